"""A share of counted things, with its interval."""

from scipy import stats

from callbench.stats.interval import CONFIDENCE


def binomial(count: int, of: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Where the share lies that `count` of `of` are a sample of: Clopper and Pearson's exact interval.

    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26, 1934.

    Args:
        count: those that have the property, from 0 to `of`.
        of: all, at least 1.
        confidence: the interval's least coverage.
    """
    interval = stats.binomtest(count, of).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)
