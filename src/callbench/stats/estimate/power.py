"""What a comparison could have seen, and how many forks it would take to see what is there."""

import math

import numpy as np

from callbench.stats.estimate import student
from callbench.stats.estimate.logratio import LogRatio

# How often a difference that "could have been detected" is detected (Bloom, "Minimum detectable effects: a simple way
# to report the statistical power of experimental designs", Evaluation Review 19(5), 1995).
POWER = 0.8
# More starts of a stack than this are no sensible number: the interval narrows with their square root, and a hundred
# take most of a night.
MOST_FORKS = 100


def reach(difference: LogRatio, level: float) -> float:
    """Compute half of a two-sided interval of coverage 1 - level, as a logarithm."""
    return student.quantile(1 - level / 2, difference.freedom) * difference.error


def missed(difference: LogRatio) -> float:
    """Compute by how much an estimate falls short of the truth in 20 of 100 cases, as a logarithm."""
    return student.quantile(POWER, difference.freedom) * difference.error


def forks_needed(difference: LogRatio, distance: float, level: float, most: int = MOST_FORKS) -> int | None:
    """Compute how many forks in all would show that a ratio lies on its side of a bound, in 80 % of such runs.

    With n forks of spread s the interval reaches t s / sqrt n, and the estimate falls short of the truth by as much
    again with the quantile of the power: the sum has to be within the distance (Cohen, "Statistical power analysis for
    the behavioral sciences", 2nd edition, 1988, section 2.4, for the t test). The truth is taken to lie if it was
    estimated, so the number is a rough one: say "about".

    Args:
        difference: estimated from `count` forks.
        distance: of the estimate from the bound, as a logarithm.
        level: of the two-sided test.
        most: a greater number is none.

    Returns:
        The least number, 2 or more; None if not even `most` would do.
    """
    if distance <= 0:
        return None
    spread = difference.error * math.sqrt(difference.count)
    forks = np.arange(2, most + 1)
    # Two samples have more degrees of freedom than one has; both grow with the forks.
    freedoms = difference.freedom * (forks - 1) / max(1, difference.count - 1)
    reaches = (
        (student.each_quantile(1 - level / 2, freedoms) + student.each_quantile(POWER, freedoms))
        * spread
        / np.sqrt(forks)
    )
    enough = forks[reaches <= distance]
    return int(enough[0]) if len(enough) else None
