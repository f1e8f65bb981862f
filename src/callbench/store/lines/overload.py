"""Lines of an overload test: the search for its capacity, each overload, and the slices around it."""

from typing import Annotated, Literal, NotRequired, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.sides import MachineUse, SideRead, SideUse
from callbench.store.lines.slices import Percentiles, SliceFigures, TimedSlice
from callbench.store.typed import AS_IT_IS

Phase = Literal["before", "after"]
Moment = Literal["begin", "end", "rested"]


class ObjectiveMet(TypedDict):
    """Whether a load met an objective.

    `value_us`: what it had of what the objective limits, None if it had none. `reached_per_s`: its rate.
    """

    value_us: float | None
    reached_per_s: float
    holds: bool


class SearchedLine(ObjectiveMet):
    """A rate that was tried in search of the capacity. `starved`: as in a slice."""

    kind: Literal["step"]
    level: float
    at_s: float
    starved: NotRequired[list[str]]


class CapacityLine(TypedDict):
    """The capacity was found, or is as given."""

    kind: Literal["capacity"]
    rate_per_s: float
    at_s: float


class BeforeLine(TypedDict):
    """The median call before all overloads; a slice with a median above `limit_us` is slow."""

    kind: Literal["before"]
    before_us: float
    limit_us: float
    at_s: float


class HalfLine(TimedSlice):
    """A slice at half of the capacity, before all overloads (`factor` 0) or after the one of that factor.

    `holds`: whether it met the objective at its rate. Records of earlier versions lack it.
    """

    kind: Literal["slice"]
    phase: Phase
    factor: float
    holds: NotRequired[bool]
    sides: dict[str, SideUse]


class OverloadLine(SliceFigures):
    """An overload, with times from when a call was due; `service_us` are those from its real start.

    `until_s`: when the last call was due. `intervals`: [nanoseconds, calls, errors] so far. `holds` as in a slice.
    """

    kind: Literal["over"]
    factor: float
    holds: NotRequired[bool]
    rate_asked_per_s: float
    at_s: float
    until_s: float
    service_us: Percentiles
    intervals: Annotated[list[tuple[int, int, int]], AS_IT_IS]
    sides: dict[str, SideUse]
    machine: MachineUse


class PassedLine(TypedDict):
    """An overload is over, and so is what was watched after it."""

    kind: Literal["passed"]
    factor: float
    at_s: float


class OverloadAgainLine(TypedDict):
    """An overload was interrupted and is repeated: its lines so far do not count."""

    kind: Literal["again"]
    factor: float


class OverloadMomentLine(TypedDict):
    """What each side held before any load, at the end, or after a rest."""

    kind: Literal["moment"]
    moment: Moment
    at_s: float
    sides: dict[str, SideRead]


class OverloadDeathLine(TypedDict):
    """The server ended, after so many right answers."""

    kind: Literal["death"]
    at_s: float
    calls: int
    how: str
    why: str


OverloadTestLine = (
    SearchedLine
    | CapacityLine
    | BeforeLine
    | HalfLine
    | OverloadLine
    | PassedLine
    | OverloadAgainLine
    | OverloadMomentLine
    | OverloadDeathLine
    | NoteLine
)
OVERLOAD_LINES: LineTypes[OverloadTestLine] = LineTypes("an overload", OverloadTestLine)
