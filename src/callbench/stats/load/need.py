"""Whether a needed level is held: by all loads of that level, most of them made for this between those of the search.

All of at least six met the objective, or all missed it: at a level that is met half of the time, either comes about at
most once in 64 searches, whenever these loads are made. That is the rule of an interval of six crossings too
(`median_interval`), and takes a fraction of its time. Loads that are split say nothing here: the crossings decide then.
"""

from collections.abc import Sequence

from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate import median_interval
from callbench.stats.load.knee import SearchRange

# A load far above a level that fails takes long, and says no more.
_BEYOND = 2.0


def asked_level(need: float, held_from: float, lowest_failed: float | None, span: SearchRange) -> float | None:
    """Give the level of these loads: the one that can show what the coarse search makes likely.

    Args:
        need: what is to be held.
        held_from: as in `shown`.
        lowest_failed: of the coarse search; None where all were met.
        span: where to look.

    Returns:
        The least level that shows that it is held; or the needed one, or less where much less has failed already. None
        where neither is likely.
    """
    if held_from <= span.high and (lowest_failed is None or held_from < lowest_failed):
        level = held_from
    elif held_from <= need or (lowest_failed is not None and lowest_failed <= need):
        level = need if lowest_failed is None else min(need, lowest_failed * _BEYOND)
    else:
        return None
    return min(max(level, span.low), span.high)


def is_open(met: Sequence[bool]) -> bool:
    """Return whether another such load can decide: all were alike, and there are too few."""
    return len(met) < median_interval.LEAST and len(set(met)) <= 1


def shown(met: Sequence[bool], level: float, need: float, held_from: float) -> Outcome:
    """Decide whether a needed level is held.

    Args:
        met: whether each load of that level met the objective.
        level: what these loads were of.
        need: what is to be held.
        held_from: the least level whose loads can show that; above the need where loads are too short for a queue.

    Returns:
        Undecided where they are split, too few, or of a level that says nothing of the needed one.
    """
    if is_open(met) or len(set(met)) > 1:
        return Outcome.UNDECIDED
    if met[0]:
        return Outcome.PASSED if level >= held_from else Outcome.UNDECIDED
    return Outcome.FAILED if level <= need else Outcome.UNDECIDED
