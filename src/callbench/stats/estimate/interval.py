"""A geometric mean with its interval, from one value a fork."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from callbench.stats.estimate import student

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A value and where it lies, in the unit of what it was made from.

    Attributes:
        middle: the geometric mean.
        low: lower end, or None if one fork alone says nothing about spread.
        high: upper end, or None likewise.
        forks: how many values it was made from.
    """

    middle: float
    low: float | None
    high: float | None
    forks: int

    @property
    def half_width(self) -> float | None:
        """Half of the interval as a share of the middle: 0.04 is 4 %. None if there is no interval.

        The interval is symmetric in the logarithm; the larger side, upwards, is taken.
        """
        return None if self.high is None else self.high / self.middle - 1.0


def geometric_mean(values: Sequence[float]) -> Interval:
    """Compute the geometric mean of positive values and Student's interval of their logarithms.

    With y = ln x, mean m and standard deviation s (n - 1 below the line), the interval is exp(m +/- t s / sqrt n), t
    the quantile (1 + CONFIDENCE) / 2 of Student's distribution with n - 1 degrees of freedom (Student, "The probable
    error of a mean", Biometrika 6, 1908; for the logarithm, Fleming and Wallace, "How not to lie with statistics",
    CACM 29(3), 1986, on why ratios and rates are averaged geometrically).

    Args:
        values: one positive value a fork.

    Raises:
        ValueError: no values, or one that is not positive and finite.
    """
    if not values or not all(value > 0 and np.isfinite(value) for value in values):
        raise ValueError(f"geometric mean of {values}: positive and finite figures are needed")
    logs = np.log(np.asarray(values, dtype=float))
    mean = float(logs.mean())
    if len(values) < 2:
        return Interval(float(np.exp(mean)), None, None, len(values))
    reach = quantile(len(values) - 1, CONFIDENCE) * standard_error(logs)
    return Interval(float(np.exp(mean)), float(np.exp(mean - reach)), float(np.exp(mean + reach)), len(values))


def standard_error(logs: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """Compute the standard error of the mean: s / sqrt n."""
    return float(logs.std(ddof=1) / np.sqrt(len(logs)))


@cache
def quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return Student's t for a two-sided interval."""
    return student.quantile((1 + confidence) / 2, freedom)
