"""A share of counted things, with its interval."""

from callbench.stats.estimate.interval import CONFIDENCE


def binomial(count: float, of: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Where the share lies that `count` of `of` are a sample of: Clopper and Pearson's exact interval.

    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26, 1934.

    Args:
        count: those that have the property, from 0 to `of`; of trials that resemble each other, the independent ones
            that say as much, which need not be whole.
        of: all, above 0.
        confidence: the interval's least coverage.
    """
    from scipy import special  # noqa: PLC0415 - see callbench.stats.estimate.student

    beyond = (1 - confidence) / 2
    low = special.betaincinv(count, of - count + 1, beyond) if count else 0.0
    high = special.betaincinv(count + 1, of - count, 1 - beyond) if count < of else 1.0
    return float(low), float(high)
