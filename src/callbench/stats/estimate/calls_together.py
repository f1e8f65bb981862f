"""By what factor calls that resemble each other say less of a share than as many independent ones.

In a queue, a slow call is followed by slow calls. So of ten thousand calls above a limit in one jam, one is news. The
time is cut into parts, and the parts say how much the share varies: its variance over that of independent calls is the
design effect (Kish, "Survey Sampling", 1965, section 8.2). As it is known from few parts only, it is made greater by
the square of Student's over the normal quantile (Korn and Graubard, "Confidence intervals for proportions with small
expected number of positive counts estimated from survey data", Survey Methodology 24, 1998).
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from callbench.stats.estimate.interval import quantile

# Of Student's distribution with so much freedom, the quantile is the normal one.
_ENDLESS = 10**6


def calls_together(above: Sequence[int], calls: Sequence[int], confidence: float) -> float:
    """Return the factor, at least 1.

    Args:
        above: in each part, the calls that have the property; of none or of all of them, nothing can be learned.
        calls: in each part, all calls.
        confidence: of the interval that the calls are counted for.
    """
    counted, every = np.asarray(above, dtype=float), np.asarray(calls, dtype=float)
    share = counted.sum() / every.sum() if every.sum() else 0.0
    if len(every) < 2 or not 0 < share < 1:
        return 1.0
    variance = len(every) / (len(every) - 1) * float(((counted - share * every) ** 2).sum())
    effect = variance / float(every.sum() * share * (1 - share))
    freedom = len(every) - 1
    of_few = quantile(freedom, confidence) / quantile(_ENDLESS, confidence)
    return max(1.0, effect) * of_few * of_few


def mean_reach(sums: Sequence[float], calls: Sequence[int], confidence: float) -> float:
    """Return half of the interval of the mean of all calls, from how much the parts' means differ (batch means).

    Args:
        sums: of the calls' values in each part.
        calls: in each part, of which two have some.
        confidence: of the interval.
    """
    totals, every = np.asarray(sums, dtype=float), np.asarray(calls, dtype=float)
    mean = totals.sum() / every.sum()
    variance = len(every) / (len(every) - 1) * float(((totals - mean * every) ** 2).sum())
    return quantile(len(every) - 1, confidence) * sqrt(variance) / float(every.sum())
