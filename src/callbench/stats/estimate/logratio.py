"""Whether two things differ, and by what factor: the log of their ratio with its error."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from callbench.stats.estimate import student
from callbench.stats.estimate.interval import Interval, quantile, standard_error

# No value is greater, so that each can be written.
_GREATEST = 700.0


@dataclass(frozen=True)
class LogRatio:
    """The log of a ratio, estimated.

    Attributes:
        log: its mean.
        error: the standard error of that mean.
        freedom: the degrees of freedom of the error.
        count: how many values lie behind it.
    """

    log: float
    error: float
    freedom: float
    count: int

    def interval(self, confidence: float) -> Interval:
        """Return the ratio with Student's interval, as `interval.geometric_mean` has it."""
        reach = quantile(self.freedom, confidence) * self.error
        return Interval(math.exp(self.log), math.exp(self.log - reach), math.exp(self.log + reach), self.count)

    def within(self, half: float) -> Interval:
        """Return the ratio with an interval that reaches so far to either side, as a logarithm."""
        low, high = (math.exp(min(self.log + sign * half, _GREATEST)) for sign in (-1, 1))
        return Interval(math.exp(self.log), low, high, self.count)

    def p_value(self, shift: float = 0.0) -> float:
        """Compute the probability of a log-ratio at least so far out, were the true one within +/- `shift`.

        Student's t, two-sided; with a shift it is compared with the nearer end of the range, where a test of a range
        has its level (Lehmann, "Testing Statistical Hypotheses", 2nd edition, 1986, section 3.7).

        Args:
            shift: how far a log-ratio can be from 0 and still mean nothing.
        """
        distance = abs(self.log) - shift
        if distance <= 0.0:
            return 1.0
        return 0.0 if self.error == 0.0 else 2 * student.above(distance / self.error, self.freedom)

    def below(self, ratio: float) -> float:
        """Compute the probability of so low a ratio, were the true one `ratio`: one-sided."""
        distance = math.log(ratio) - self.log
        if self.error == 0.0:
            return 0.0 if distance > 0.0 else 1.0
        return student.above(distance / self.error, self.freedom)


def paired(ratios: Sequence[float]) -> LogRatio:
    """Take ratios of values that met the same conditions: one a round, or one a fork.

    Raises:
        ValueError: fewer than two, or one that is not positive and finite.
    """
    if len(ratios) < 2 or not all(ratio > 0 and math.isfinite(ratio) for ratio in ratios):
        raise ValueError(f"a difference from {len(ratios)} ratios: at least two, positive and finite, are needed")
    logs = np.log(np.asarray(ratios, dtype=float))
    return LogRatio(float(logs.mean()), standard_error(logs), len(ratios) - 1, len(ratios))


def unpaired(over: Sequence[float], under: Sequence[float]) -> LogRatio:
    """Take values of two samples that met each their own conditions.

    The variances need not be equal: Welch, "The generalization of 'Student's' problem when several different
    population variances are involved", Biometrika 34, 1947; degrees of freedom after Satterthwaite, "An approximate
    distribution of estimates of variance components", Biometrics Bulletin 2(6), 1946.

    Raises:
        ValueError: fewer than two of either.
    """
    if min(len(over), len(under)) < 2:
        raise ValueError("two samples of at least two figures each are needed")
    above, below = (np.log(np.asarray(sample, dtype=float)) for sample in (over, under))
    parts = [standard_error(sample) ** 2 for sample in (above, below)]
    total = sum(parts)
    freedoms = [len(sample) - 1 for sample in (above, below)]
    freedom = total**2 / sum(part**2 / degrees for part, degrees in zip(parts, freedoms, strict=True)) if total else 1.0
    log = float(above.mean() - below.mean())
    return LogRatio(log, math.sqrt(total), freedom, min(len(over), len(under)))


Figures = np.ndarray[tuple[int], np.dtype[np.float64]]


class LogRatios(NamedTuple):
    """The logs of many ratios, estimated from few values each.

    Attributes:
        logs: their means.
        p_values: as `LogRatio.p_value` has it; 1 if there are fewer than two values.
    """

    logs: Figures
    p_values: Figures


def many_paired(
    differences: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", variance: float = 0.0, freedom: float = 0.0
) -> LogRatios:
    """Take the logs of ratios as `paired` does, a row each; rows may have gaps (NaN).

    Args:
        differences: of logarithms, a row a pair, a column a fork.
        variance: towards which that of each row is drawn, as `prior.Prior.moderated` does.
        freedom: the degrees of freedom that it is worth; 0: it is not.
    """
    there = ~np.isnan(differences)
    numbers = there.sum(axis=1)
    sums = np.where(there, differences, 0.0).sum(axis=1)
    means = sums / np.maximum(numbers, 1)
    squares = (np.where(there, differences - means[:, None], 0.0) ** 2).sum(axis=1)
    freedoms = np.maximum(numbers - 1, 1) + freedom
    errors = np.sqrt((squares + freedom * variance) / freedoms / np.maximum(numbers, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(means == 0.0, 0.0, np.abs(means) / errors)
    p_values = 2 * student.each_above(scores, freedoms)
    return LogRatios(means, np.where(numbers < 2, 1.0, p_values))
