"""An interval for a median from order statistics: it holds whatever the values' distribution is."""

from math import comb

from callbench.stats.estimate.interval import CONFIDENCE

# Fewer values have no interval of 95 %: the smallest and the greatest of five hold the median in 93.75 %.
LEAST = 6


def rank(count: int) -> int | None:
    """Give the rank r so that the r-th smallest and the r-th greatest of so many values hold the median.

    Each value lies below the median with probability 1/2, so the coverage is 1 - 2 P(Binomial(n, 1/2) < r) (Conover,
    "Practical Nonparametric Statistics", 3rd edition, 1999, section 3.2).

    Returns:
        The greatest such rank, from 1; None where there are too few values.
    """
    below, last = 0.0, None
    for place in range(1, count // 2 + 1):
        below += comb(count, place - 1) / 2**count
        if 1 - 2 * below < CONFIDENCE:
            break
        last = place
    return last
