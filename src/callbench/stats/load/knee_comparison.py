"""Which of several knees lies higher: apart from the search for each, which is light to load."""

import math
from collections.abc import Mapping, Sequence

from callbench.stats.decide.decision import DecidedComparison, Question, decided
from callbench.stats.estimate.interval import CONFIDENCE
from callbench.stats.estimate.logratio import paired
from callbench.stats.load.knee import Knee, KneeOutcome


def compared(
    highest: Mapping[int, Knee], others: Sequence[Mapping[int, Knee]], precision: float
) -> list[DecidedComparison | None]:
    """Decide what other knees are beside the highest one, fork by fork and all together.

    What lies between two steps was not looked at, so knees that are nearer to each other than the search's precision
    are equivalent.

    Args:
        highest: by fork.
        others: likewise.
        precision: of the searches, as a share.

    Returns:
        Of each the ratio of its level over the highest one's, decided; None if fewer than two forks have both, or
        one is known as a bound only that says nothing of the ratio.
    """
    differences = []
    for other in others:
        forks = sorted(highest.keys() & other.keys())
        open_ends = any(
            highest[fork].end is KneeOutcome.BELOW or other[fork].end is KneeOutcome.AT_LEAST for fork in forks
        )
        ratios = [other[fork].level / highest[fork].level for fork in forks]
        differences.append(paired(ratios) if len(ratios) > 1 and not open_ends else None)
    margin = math.log1p(precision)
    verdicts = iter(
        decided([Question(difference, margin) for difference in differences if difference is not None], 1 - CONFIDENCE)
    )
    return [None if difference is None else next(verdicts) for difference in differences]
