"""Find the cells whose calls are long for their slices, and how long their slices must be.

A slice ends before a slow call does that began in it. Of one client, and of clients that do not wait for each other,
what was cut off is known from the time of that call. But where the slow call holds up others, they wait for its whole
time in a long drive, and for the end of a slice in a slice. So such a cell needs slices of several of its calls.
"""

from collections import defaultdict
from dataclasses import dataclass

from callbench.model.cell import Cell
from callbench.runner.drive.slices import Length
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.rate import Drive

# A call that takes so much of a slice is long for it.
LONG = 0.4
# Of the time of all calls, the share in long ones from which on slices become longer.
SHARE = 0.02
# Then they last so many times the longest call,
TIMES = 5
# but at most so many seconds: a few of them must fit into a fork.
MOST_SECONDS = 2.0


@dataclass
class _Time:
    """The time in calls of a cell, in ns: of all, of long ones, and of the longest."""

    all: int = 0
    long: int = 0
    longest: int = 0

    @property
    def is_long(self) -> bool:
        """Whether the long ones take so much that they matter."""
        return self.long > SHARE * self.all


class LongCalls:
    """Collects, over all forks of a run, the time that each cell spends in long calls."""

    def __init__(self) -> None:
        """Start without slices."""
        self._times: dict[str, _Time] = defaultdict(_Time)

    def add_slice(self, cell: Cell, length: Length, done: Drive) -> None:
        """Add a slice.

        Args:
            cell: that was driven.
            length: of the slice, as it was asked for.
            done: the contract's `done`.
        """
        load, times = cell.load, done.get("latency")
        if load.open or load.clients < 2 or not times or not times["count"]:
            return
        own = self._times[cell.id]
        if own.is_long:
            # In longer slices its calls are no longer long for them, and they must stay so.
            own.longest = max(own.longest, int(times["max_ns"]))
            return
        own.all += int(times["sum_ns"])
        # Slices of slow calls last for a number of them.
        limit_ns = LONG * max(length.seconds * 1e9, float(done.get("window_ns") or 0))
        if int(times["max_ns"]) < limit_ns:
            return
        buckets = Buckets.of(dict(times["buckets"]))
        own.long += int((buckets.lows * buckets.counts)[buckets.lows >= limit_ns].sum())
        own.longest = max(own.longest, int(times["max_ns"]))

    def lengthened(self, cell: Cell, length: Length) -> Length:
        """Return the length of a cell's next slices, where it has many long calls; else the length that is given."""
        own = self._times.get(cell.id)
        if own is None or not own.is_long:
            return length
        return Length(max(length.seconds, min(MOST_SECONDS, TIMES * own.longest / 1e9)), length.calls)
