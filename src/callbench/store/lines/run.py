"""Lines of a run: what stands here is of one cell or message, and all kinds together."""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.forks import (
    BatchLine,
    BatchOverLine,
    ExcludedLine,
    ForkLine,
    ForkOverLine,
    UnsteadyLine,
)
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.overload import ObjectiveMet
from callbench.store.lines.rounds import RoundLine, SliceSeen
from callbench.store.lines.starts import DiedLine, StartLine, WarmedLine
from callbench.store.lines.wire import LedgerLine, SweepLine


class MessageSide(TypedDict):
    """The bytes of a message, and how long it takes to make and to read it."""

    bytes: float
    encode_ns: float
    decode_ns: float


class CodecLine(TypedDict):
    """What a message costs without a channel, by the adapter that encodes it."""

    kind: Literal["codec"]
    stack: str
    message: str
    group: str
    cell: str
    call: str
    arguments: Mapping[str, object]
    payloads: int
    request: MessageSide
    answer: MessageSide


class SlowdownLine(TypedDict):
    """A cell whose calls kept one side busy for longer, slice by slice beside the cell as it is.

    `slowed_side`: None if that was not possible, for the reason `why`. `burn_ns`: for how long each call kept the side
    busy, which is the `share` of its time. `pairs`: [calls, nanoseconds] without, then with it.
    """

    kind: Literal["slowdown"]
    cell: str
    stack: str
    slowed_side: str | None
    why: NotRequired[str]
    burn_ns: NotRequired[int]
    share: NotRequired[float]
    pairs: NotRequired[list[tuple[int, int, int, int]]]


class KneeStepLine(SliceSeen, ObjectiveMet):
    """One step of a search for a knee, with what its slice was; `level`: clients, or calls a second."""

    kind: Literal["step"]
    knee: str
    cell: str
    fork: int
    stack: str
    step: int
    along: str
    level: float
    clients: int
    unsteady: str


class EndedLine(TypedDict):
    """Why a cell of a run with a precision was measured no more.

    `asked` and `reached`: half-widths of the interval, as a share; None if there is no interval.
    """

    kind: Literal["ended"]
    cell: str
    why: str
    asked: float
    reached: float | None
    forks: int


RunLine = (
    ForkLine
    | ForkOverLine
    | BatchLine
    | BatchOverLine
    | UnsteadyLine
    | ExcludedLine
    | RoundLine
    | CodecLine
    | StartLine
    | WarmedLine
    | DiedLine
    | LedgerLine
    | SweepLine
    | SlowdownLine
    | KneeStepLine
    | EndedLine
    | NoteLine
)

RUN_LINES: LineTypes[RunLine] = LineTypes("a run", RunLine)
