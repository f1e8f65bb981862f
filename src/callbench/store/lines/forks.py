"""Lines of forks and batches: what was begun, what is over, and what was left out."""

from typing import Annotated, Literal, NotRequired, TypedDict

from callbench.store.typed import AtLeast


class ForkLine(TypedDict):
    """A fork began: the rounds of its batches, whether probes watch it, and the cells that take part."""

    kind: Literal["fork"]
    fork: int
    idle: str
    rounds: int
    watch: bool
    cells: list[str]


class ForkOverLine(TypedDict):
    """A fork ended, after so many seconds of this session; its batches took so many before their first round."""

    kind: Literal["fork over"]
    fork: int
    seconds: float
    start_s: NotRequired[float]
    round_s: NotRequired[float]


class BatchLine(TypedDict):
    """A batch began: the names of its units."""

    kind: Literal["batch"]
    fork: int
    batch: int
    units: list[str]


class UnitRecord(TypedDict):
    """What a unit used of a processor while others were driven, as a share, and whether it was stopped then."""

    unit: str
    stack: str
    idle_share: Annotated[float, AtLeast()] | None
    paused: bool


class BatchOverLine(TypedDict):
    """A batch ended, with all of its rounds and searches."""

    kind: Literal["batch over"]
    fork: int
    batch: int
    units: list[UnitRecord]


class UnsteadyLine(TypedDict):
    """Trials that do not count, because the stack still became faster."""

    kind: Literal["unsteady"]
    fork: int
    batch: int
    stack: str
    trials: list[int]
    why: str


class ExcludedLine(TypedDict):
    """A stack was left out, or one cell of it; `failed`: something went wrong, and not by its nature."""

    kind: Literal["excluded"]
    stack: str
    fork: int
    cell: str | None
    why: str
    failed: NotRequired[bool]
