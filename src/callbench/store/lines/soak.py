"""Lines of a soak: its slices, what was sampled beside them, and what happened to the server."""

from typing import Literal, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.overload import Moment
from callbench.store.lines.sides import MachineUse, SideRead, SideUse
from callbench.store.lines.slices import EndpointCounts, TimedSlice
from callbench.store.typed import Amount, Buckets, Count


class SoakStartLine(TypedDict):
    """The server was started, or found, for the first time (`start` 0) or again, which took so long."""

    kind: Literal["start"]
    start: Count
    at_s: Amount
    took_s: Amount


class SoakSliceLine(TimedSlice):
    """A slice of a step of so many clients."""

    kind: Literal["slice"]
    step: Count
    clients: Count
    start: Count
    sides: dict[str, SideUse]


class RestLine(TypedDict):
    """A time without clients, after a step."""

    kind: Literal["rest"]
    step: Count
    clients: Count
    start: Count
    at_s: Amount
    seconds: Amount
    sides: dict[str, SideUse]
    machine: MachineUse


class HistogramLine(TypedDict):
    """The histogram of the slices since the line before, of nanoseconds: [index, count]."""

    kind: Literal["histogram"]
    step: Count
    min_ns: Count
    max_ns: Count
    buckets: Buckets


class EndpointsLine(TypedDict):
    """The endpoints of the same slices, if clients call several."""

    kind: Literal["endpoints"]
    step: Count
    endpoints: list[EndpointCounts]


class SoakMomentLine(TypedDict):
    """What each side held at the begin or the end of a step, or after the rest."""

    kind: Literal["moment"]
    step: Count
    clients: Count
    start: Count
    moment: Moment
    at_s: Amount
    sides: dict[str, SideRead]


class SoakDeathLine(TypedDict):
    """A side ended, after so many right answers; `step` is None for a client."""

    kind: Literal["death"]
    side: Literal["server", "client"]
    start: Count
    step: Count | None
    at_s: Amount
    calls: Count
    how: str
    why: str


class SoakOverLine(TypedDict):
    """The soak ended early, and why."""

    kind: Literal["over"]
    at_s: Amount
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
