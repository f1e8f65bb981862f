"""Whether calls of an open loop wait longer and longer: more come than are answered, so their times say nothing.

The calls that are due by a time, less those that are done, are within the server or wait for it. Under a rate that the
server holds, they are about as many at each time. If it is overloaded, they grow until the end, and so do the times of
calls.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean

_PARTS = 10
_RISING = 0.9
"""Of the pairs of tenths, so many more must rise than fall: Kendall's tau, whose chance is below 1 in 10,000."""
_AGAIN = 1.5
"""What grows all the time is twice as much at the end as in the middle. Long calls come to their number and keep it."""
_LEAST, _LEAST_SHARE = 5, 0.01
_NOISE = 4.0
"""So many standard deviations of what ended by the end. A server that works evenly hides little behind chance."""


@dataclass(frozen=True)
class Backlog:
    """Calls that were due and not done.

    Attributes:
        middle: in the middle of the load.
        end: at its end.
    """

    middle: float
    end: float


def growing(rate_per_s: float, window_ns: int, done: Sequence[tuple[int, int]]) -> Backlog | None:
    """Find a backlog that grew through all of a load; None where it did not.

    Args:
        rate_per_s: the rate at which calls were due.
        window_ns: how long they were.
        done: rising times in nanoseconds, each with the calls that had ended by then, rightly or not.
    """
    within = [(at_ns, count) for at_ns, count in done if at_ns <= window_ns]
    if len(within) < 2 * _PARTS:
        return None
    waiting = [max(0.0, rate_per_s * at_ns / 1e9 - count) for at_ns, count in within]
    size = len(waiting) / _PARTS
    parts = [fmean(waiting[int(part * size) : int((part + 1) * size)]) for part in range(_PARTS)]
    signs = [(later > earlier) - (later < earlier) for earlier, later in combinations(parts, 2)]
    much = max(_LEAST, _LEAST_SHARE * rate_per_s * window_ns / 1e9, _NOISE * _deviation(within))
    middle, end = waiting[len(waiting) // 2], waiting[-1]
    if sum(signs) < _RISING * len(signs) or end < max(much, _AGAIN * middle):
        return None
    return Backlog(middle, end)


def _deviation(done: Sequence[tuple[int, int]]) -> float:
    """Return the standard deviation of the calls that ended by the last time, from those between the times.

    What lasts for longer than the time between two readings shows only in longer times.
    """
    pace = done[-1][1] / done[-1][0]
    longer = [done[round(part * (len(done) - 1) / _PARTS)] for part in range(1, _PARTS + 1)]
    return max(
        math.hypot(*(after - before - pace * (end_ns - begin_ns) for (begin_ns, before), (end_ns, after) in pairs))
        for pairs in (pairwise([(0, 0), *read]) for read in (done, longer))
    )
