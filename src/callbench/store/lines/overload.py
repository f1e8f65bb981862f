"""Lines of an overload test: the search for its capacity, each overload, and the slices around it."""

from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.lines.sides import MachineUse, SideRead, SideUse
from callbench.store.lines.slices import Percentiles, SliceFigures, TimedSlice
from callbench.store.typed import Amount, Count, Intervals, Positive

Phase = Literal["before", "after"]
Moment = Literal["begin", "end", "rested"]


class ObjectiveMet(TypedDict):
    """Whether a load met an objective.

    `value_us`: what it had of what the objective limits, None if it had none. `reached_per_s`: its rate.
    """

    value_us: Amount | None
    reached_per_s: Amount
    holds: bool


class SearchedLine(ObjectiveMet):
    """A rate that was tried in search of the capacity. `starved`: as in a slice."""

    kind: Literal["step"]
    level: Amount
    at_s: Amount
    starved: NotRequired[list[str]]


class CapacityLine(TypedDict):
    """The capacity was found, or is as given."""

    kind: Literal["capacity"]
    rate_per_s: Positive
    at_s: Amount


class BeforeLine(TypedDict):
    """The median call before all overloads; a slice with a median above `limit_us` is slow."""

    kind: Literal["before"]
    before_us: Positive
    limit_us: Positive
    at_s: Amount


class HalfLine(TimedSlice):
    """A slice at half of the capacity, before all overloads (`factor` 0) or after the one of that factor.

    `holds`: whether it met the objective at its rate. Records of earlier versions lack it.
    """

    kind: Literal["slice"]
    phase: Phase
    factor: Amount
    holds: NotRequired[bool]
    sides: dict[str, SideUse]


class OverloadLine(SliceFigures):
    """An overload, with times from when a call was due; `service_us` are those from its real start.

    `until_s`: when the last call was due. `intervals`: [nanoseconds, calls, errors] so far. `holds` as in a slice.
    """

    kind: Literal["over"]
    factor: Amount
    holds: NotRequired[bool]
    rate_asked_per_s: Amount
    at_s: Amount
    until_s: Amount
    service_us: Percentiles
    intervals: Intervals
    sides: dict[str, SideUse]
    machine: MachineUse


class PassedLine(TypedDict):
    """An overload is over, and so is what was watched after it."""

    kind: Literal["passed"]
    factor: Amount
    at_s: Amount


class OverloadAgainLine(TypedDict):
    """An overload was interrupted and is repeated: its lines so far do not count."""

    kind: Literal["again"]
    factor: Amount


class OverloadMomentLine(TypedDict):
    """What each side held before any load, at the end, or after a rest."""

    kind: Literal["moment"]
    moment: Moment
    at_s: Amount
    sides: dict[str, SideRead]


class OverloadDeathLine(TypedDict):
    """The server ended, after so many right answers."""

    kind: Literal["death"]
    at_s: Amount
    calls: Count
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
