"""The mean of differences within forks, with its interval: for what is added and taken away, not multiplied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.estimate.interval import CONFIDENCE, quantile, standard_error


@dataclass(frozen=True)
class Difference:
    """A difference and where it lies, in the unit of what was subtracted; it may be negative.

    Attributes:
        middle: the arithmetic mean.
        low: lower end, or None if one fork alone says nothing about spread.
        high: upper end, or None likewise.
        forks: how many differences it was made from.
    """

    middle: float
    low: float | None
    high: float | None
    forks: int

    def holds(self, value: float) -> bool | None:
        """Return whether a value lies within the interval; None if there is none."""
        return None if self.low is None or self.high is None else self.low <= value <= self.high

    def less(self, value: float) -> "Difference":
        """Take a constant away."""
        low = None if self.low is None else self.low - value
        return Difference(self.middle - value, low, None if self.high is None else self.high - value, self.forks)

    def turned(self) -> "Difference":
        """Take it the other way round: what the second is more than the first."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Difference(-self.middle, low, high, self.forks)


def mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Difference:
    """Compute the arithmetic mean and Student's interval, m +/- t s / sqrt n ("The probable error of a mean", 1908).

    Args:
        values: one finite value a fork, of either sign.
        confidence: the interval's coverage.

    Raises:
        ValueError: no values, or one that is not finite.
    """
    figures = np.asarray(values, dtype=float)
    if not len(figures) or not np.isfinite(figures).all():
        raise ValueError(f"mean of {values}: finite figures are needed")
    middle = float(figures.mean())
    if len(figures) < 2:
        return Difference(middle, None, None, len(figures))
    reach = quantile(len(figures) - 1, confidence) * standard_error(figures)
    return Difference(middle, middle - reach, middle + reach, len(figures))


def paired(whole: Mapping[int, float], part: Mapping[int, float]) -> list[float]:
    """Subtract in every fork that both have, in the order of the forks."""
    return [whole[fork] - part[fork] for fork in sorted(whole.keys() & part.keys())]
