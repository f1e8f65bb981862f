"""Who is worse than another in everything that is compared, and who stands on the frontier, as far as intervals tell.

With several costs there is no order, but some are beaten in all of them: Kung, Luccio and Preparata, "On finding the
maxima of a set of vectors", Journal of the ACM 22(4), 1975. Here each cost is an interval. One is worse only if
another's interval ends, in every cost, where its own begins or before, and in one of them before.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Standing(Enum):
    """Where one stands beside all others."""

    FRONTIER = "on the frontier"
    REACHES = "reaches the frontier"
    WORSE = "worse"


@dataclass(frozen=True)
class CostInterval:
    """What something costs; less is better.

    Attributes:
        low: the lower end of its interval; 0 where it may be anything below.
        high: the upper end; infinite where it may be anything above. Of what is exact, both are the value.
    """

    middle: float
    low: float = 0.0
    high: float = math.inf


def standings(costs: Sequence[Sequence[CostInterval]]) -> list[Standing]:
    """Return where each stands.

    Args:
        costs: of each, in the same order: bytes, processor time, latency.
    """
    found = []
    for own in costs:
        others = [other for other in costs if other is not own]
        if any(_beats([cost.high for cost in other], [cost.low for cost in own]) for other in others):
            found.append(Standing.WORSE)
        elif any(_beats([cost.middle for cost in other], [cost.middle for cost in own]) for other in others):
            found.append(Standing.REACHES)
        else:
            found.append(Standing.FRONTIER)
    return found


def _beats(most: Sequence[float], least: Sequence[float]) -> bool:
    pairs = list(zip(most, least, strict=True))
    return all(high <= low for high, low in pairs) and any(high < low for high, low in pairs)
