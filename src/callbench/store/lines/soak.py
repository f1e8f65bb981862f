"""Lines of a soak: its slices, what was sampled beside them, and what happened to the server."""

from typing import Annotated, Literal, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.overload import Moment
from callbench.store.lines.sides import MachineUse, SideRead, SideUse
from callbench.store.lines.slices import EndpointCounts, TimedSlice
from callbench.store.typed import AS_IT_IS


class SoakStartLine(TypedDict):
    """The server was started, or found, for the first time (`start` 0) or again, which took so long."""

    kind: Literal["start"]
    start: int
    at_s: float
    took_s: float


class SoakSliceLine(TimedSlice):
    """A slice of a step of so many clients."""

    kind: Literal["slice"]
    step: int
    clients: int
    start: int
    sides: dict[str, SideUse]


class RestLine(TypedDict):
    """A time without clients, after a step."""

    kind: Literal["rest"]
    step: int
    clients: int
    start: int
    at_s: float
    seconds: float
    sides: dict[str, SideUse]
    machine: MachineUse


class HistogramLine(TypedDict):
    """The histogram of the slices since the line before, of nanoseconds: [index, count]."""

    kind: Literal["histogram"]
    step: int
    min_ns: int
    max_ns: int
    buckets: Annotated[list[tuple[int, int]], AS_IT_IS]


class EndpointsLine(TypedDict):
    """The endpoints of the same slices, if clients call several."""

    kind: Literal["endpoints"]
    step: int
    endpoints: list[EndpointCounts]


class SoakMomentLine(TypedDict):
    """What each side held at the begin or the end of a step, or after the rest."""

    kind: Literal["moment"]
    step: int
    clients: int
    start: int
    moment: Moment
    at_s: float
    sides: dict[str, SideRead]


class SoakDeathLine(TypedDict):
    """A side ended, after so many right answers; `step` is None for a client."""

    kind: Literal["death"]
    side: Literal["server", "client"]
    start: int
    step: int | None
    at_s: float
    calls: int
    how: str
    why: str


class SoakOverLine(TypedDict):
    """The soak ended early, and why."""

    kind: Literal["over"]
    at_s: float
    why: str


SoakLine = (
    SoakStartLine
    | SoakSliceLine
    | RestLine
    | HistogramLine
    | EndpointsLine
    | SoakMomentLine
    | SoakDeathLine
    | SoakOverLine
    | NoteLine
)
SOAK_LINES: LineTypes[SoakLine] = LineTypes("a soak", SoakLine)
