"""How far the rate of one drive can be off, from what each tenth of its time had.

Calls that follow each other resemble each other: in a queue, after a pause. So they are not counted as so many
independent trials. The time is cut into tenths, and the tenths say how much the whole varies (batch
means: Law and Kelton, "Simulation Modeling and Analysis", section 9.5.3, with ten batches).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from callbench.stats.estimate.interval import quantile

PARTS = 10


@dataclass(frozen=True)
class Parts:
    """The parts of a drive's time.

    Attributes:
        ns: how long each is.
        calls: answered rightly in each.
        errors: failed in each.
    """

    ns: Sequence[int]
    calls: Sequence[int]
    errors: Sequence[int]


def parts_of(intervals: Sequence[Sequence[int]], window_ns: int) -> Parts | None:
    """Cut the time of a drive into tenths; None where it is too short for that.

    Args:
        intervals: rising times in nanoseconds, each with the right and the failed calls that had ended by then.
        window_ns: the time of the drive; what ended later is no part of it.
    """
    within = [(0, 0, 0), *(interval for interval in intervals if interval[0] <= window_ns)]
    if len(within) <= PARTS:
        return None
    ends = np.asarray([within[round(part * (len(within) - 1) / PARTS)] for part in range(PARTS + 1)], dtype=np.int64)
    ns, calls, errors = np.diff(ends, axis=0).T.tolist()
    return Parts(ns, calls, errors)


def rate_reach(parts: Parts, confidence: float, in_step: int = 0) -> float:
    """Return half of the interval of the calls a second, from how much the parts differ.

    Args:
        parts: of the drive.
        confidence: of the interval.
        in_step: so many clients may be answered together, just before an end of a part or just after it. Each end then
            has its calls too early or too late by up to so many, which is no difference of the parts; it is taken off.
    """
    seconds = np.asarray(parts.ns) / 1e9
    of_ends = in_step**2 / 6 / float(seconds.mean()) ** 2
    variance = max(0.0, float((np.asarray(parts.calls) / seconds).var(ddof=1)) - of_ends)
    return quantile(PARTS - 1, confidence) * sqrt(variance / PARTS)
