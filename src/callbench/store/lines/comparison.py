"""Lines of a comparison: what both sides of a pair did in a fork, and which pairs were left out."""

from typing import Literal, NotRequired, TypedDict

from callbench.store.lines.forks import UnitRecord
from callbench.store.lines.notes import NoteLine
from callbench.store.lines.of_kind import LineTypes
from callbench.store.typed import Amount, Buckets, Count

Side = Literal[0, 1]
# Those that were stored before have no calls within the window.
DrivenSlice = tuple[Side, Count, Count, Count, Amount] | tuple[Side, Count, Count, Count]


class MetCell(TypedDict):
    """A cell in a fork: its slices, or why it cannot be driven.

    `slices`: side, calls, errors, nanoseconds, and the calls within the window. `latency`: of each side the counts of
    a histogram of nanoseconds, [index, count]; None if calls were not timed one by one. `sustained`: calls a second of
    each side without a pause. `cannot`, `lacks` and `side`: why not, whether a stack does not have the call, and whose
    it is.
    """

    cell: str
    agree: NotRequired[bool]
    slices: NotRequired[list[DrivenSlice]]
    latency: NotRequired[tuple[Buckets | None, Buckets | None]]
    sustained: NotRequired[tuple[Amount, Amount]]
    cannot: NotRequired[str]
    lacks: NotRequired[bool]
    side: NotRequired[str]


class MetRecord(TypedDict):
    """What a fork found.

    `echoes`: calls and nanoseconds of the raw echo in each round. `repeated`: rounds that were driven again.
    `unsteady`: why the fork does not count, or "".
    """

    cells: list[MetCell]
    echoes: NotRequired[list[tuple[Count, Count]]]
    repeated: NotRequired[Count]
    started_s: NotRequired[Amount]
    units: NotRequired[list[UnitRecord]]
    unsteady: NotRequired[str]


class MetLine(MetRecord):
    """A fork of a pair."""

    kind: Literal["met"]
    round: Count
    pair: Count
    started: str


class LeftOutLine(TypedDict):
    """A pair that was left out: why, and which side it was."""

    kind: Literal["excluded"]
    pair: Count
    round: Count
    why: str
    sides: NotRequired[list[str]]


ComparisonLine = MetLine | LeftOutLine | NoteLine
COMPARISON_LINES: LineTypes[ComparisonLine] = LineTypes("a comparison", ComparisonLine)
