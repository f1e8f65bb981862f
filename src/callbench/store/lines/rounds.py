"""Lines of rounds: every cell once, each for a slice, with the raw echoes and the reference stacks between them."""

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from callbench.store.lines.driven import Counted, Driven
from callbench.store.lines.sides import GapsSeen, ProcessesSeen, ProcessorsSeen, TrafficSeen
from callbench.store.typed import AS_IT_IS


class Probed(TypedDict, total=False):
    """What the probes saw of a slice: what crossed its link, who used the processors, who was absent, and memory."""

    traffic: Annotated[TrafficSeen, AS_IT_IS] | None
    processors: Annotated[ProcessorsSeen, AS_IT_IS]
    gaps: Annotated[GapsSeen, AS_IT_IS]
    processes: Annotated[ProcessesSeen, AS_IT_IS]


class Repeated(TypedDict):
    """A slice that was discarded, because the host took the processors away for so long."""

    calls: int
    elapsed_ns: int
    absence_ns: int


class SliceSeen(Probed):
    """A slice, without its place in the plan.

    `agree`: whether both sides counted alike; None if the server cannot count. `resume_ns` and `compiler_ns` say how
    long waking its processes and their compilers took; `absence_ns`, for how long the processors were taken away.
    """

    started: str
    done: Driven
    counted: Counted | None
    backend: Counted | None
    agree: bool | None
    resume_ns: NotRequired[int]
    compiler_ns: NotRequired[int]
    absence_ns: NotRequired[int]
    repeated: NotRequired[list[Repeated]]


class SliceRecord(SliceSeen):
    """A slice of a cell, or a whole trial where a cell is driven in one piece.

    `disturbed`: why a trial does not count, or "".
    """

    trial: int
    cell: str
    watched: bool
    disturbed: NotRequired[str]


class EchoRecord(TypedDict):
    """A slice of a raw echo; `cells` are those that it is the baseline of."""

    stack: str
    options: Mapping[str, object]
    request_bytes: int
    answer_bytes: int
    cells: list[str]
    started: str
    done: Driven
    p50_ns: int | None
    p99_ns: int | None


class ReferenceRecord(TypedDict):
    """A slice of a reference stack, by which batches of a fork are compared."""

    stack: str
    call: str
    done: Driven


RoundKind = Literal["round", "watched round", "repeated round"]


class RoundSlices(TypedDict):
    """What a round drove."""

    slices: list[SliceRecord]
    echoes: list[EchoRecord]
    references: list[ReferenceRecord]


class RoundLine(RoundSlices):
    """A round. One that is watched has probes; one that is repeated does not count.

    `batch` is None and `whole` is true for a cell that is driven in one piece.
    """

    kind: RoundKind
    fork: int
    batch: int | None
    round: int
    idle: str
    started: str
    whole: NotRequired[bool]
