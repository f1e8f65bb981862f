"""Where one thing overtakes another along a scale: the crossing of two curves that were measured at a few points."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.stats.decide.decision import Decision, by_ratio
from callbench.stats.estimate.interval import Interval


@dataclass(frozen=True)
class Crossing:
    """A change of places, in the unit of the scale.

    Attributes:
        low: the last point at which the one was shown to be ahead.
        high: the first point after it at which the other was.
        at: between the two, where the straight line through the logarithms of the ratio passes 1.
    """

    low: float
    high: float
    at: float


def crossings(scale: Sequence[float], ratios: Sequence[Interval]) -> list[Crossing]:
    """Find where the ratio of two curves passes 1 for sure: from an interval above 1 to one below it, or back.

    A point whose interval holds 1 says nothing and is passed over, so that noise makes no crossing.

    Args:
        scale: where the ratios were measured, rising.
        ratios: the one over the other, paired within forks.

    Raises:
        ValueError: the two are not of one length, or the scale does not rise.
    """
    if len(scale) != len(ratios) or any(after <= before for before, after in itertools.pairwise(scale)):
        raise ValueError(f"crossings need a scale that rises and a ratio for each of its points, not {scale}")
    sides = [by_ratio(ratio) for ratio in ratios]
    clear = [each for each in zip(scale, ratios, sides, strict=True) if each[-1] in (Decision.BETTER, Decision.WORSE)]
    found = []
    for (low, before, first), (high, after, second) in itertools.pairwise(clear):
        if first is not second:
            start, end = math.log(before.middle), math.log(after.middle)
            found.append(Crossing(low, high, low + (high - low) * start / (start - end)))
    return found
