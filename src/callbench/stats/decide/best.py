"""Which of several things is the least, and whether that is shown: the one test behind every choice of an advice.

To name a wrong one, it must have been shown to be less than the one that truly is the least. With k things there are
k - 1 such comparisons, so each is made at level / (k - 1), and the chance of any wrong name stays below the level
(Bonferroni; Hsu, "Multiple comparisons: theory and methods", 1996, chapter 4, on comparisons with the best). Holm's
steps would not do: they correct a family that is fixed before the data are seen, and here the data say what is
compared with what.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.estimate import student
from callbench.stats.estimate.contrast import ByBlock, fork_ratios
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import LogRatio, paired
from callbench.stats.estimate.power import reach
from callbench.stats.estimate.prior import NONE, Prior

Figures = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
Indices = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class ComparedWithBest:
    """One thing compared with the least.

    Attributes:
        name: which.
        ratio: its value over that of the least, with the interval that decides. It holds what the circumstances may
            have brought, and is corrected for the number of things; None from fewer than two common forks.
        behind: whether it is shown to be more than the least.
        equivalent: whether it is shown to lie within the margin of it.
        no_better: whether it is shown not to be less than the least by more than the margin. It may be more by any.
    """

    name: str
    ratio: Interval | None
    behind: bool
    equivalent: bool
    no_better: bool


@dataclass(frozen=True)
class Best:
    """The least of several, and the others compared with it, the nearest first.

    Attributes:
        margin: the log-ratio that does not matter.
    """

    name: str
    others: Sequence[ComparedWithBest]
    margin: float = 0.0

    @property
    def shown(self) -> bool:
        """Whether it is shown to be less than every other."""
        return all(rival.behind for rival in self.others)

    @property
    def leaders(self) -> list[str]:
        """It, and those that are not shown to be more."""
        return [self.name, *(rival.name for rival in self.others if not rival.behind)]

    @property
    def safe(self) -> bool:
        """Whether no other is less by more than the margin: who chooses it loses no more, whatever the others are."""
        return all(rival.no_better for rival in self.others)

    @property
    def alike(self) -> list[str]:
        """It, and those that are shown to lie within the margin of it."""
        return [self.name, *(rival.name for rival in self.others if rival.equivalent)]


Estimated = Callable[[tuple[str, str], LogRatio], LogRatio]
"""Gives a ratio of two things, known from its forks alone, the error that all that is known says."""


def _as_it_is(names: tuple[str, str], ratio: LogRatio) -> LogRatio:  # noqa: ARG001 - an `Estimated`
    return ratio


def least_of(
    values: Mapping[str, ByBlock],
    level: float,
    margin: float,
    shift: float,
    estimated: Estimated = _as_it_is,
) -> Best:
    """Name the least, and compare the others with it, fork by fork.

    Args:
        values: positive, by name and fork; at least one name, each with a fork.
        level: the chance of naming a wrong one, and of calling one equivalent or no better that is not.
        margin: a log-ratio that does not matter.
        shift: a log-ratio that the circumstances may have brought, as the error of a prediction.
        estimated: gives the ratio of two names the error that it truly has.

    Raises:
        ValueError: there is nothing to compare.
    """
    if not values or not all(values.values()):
        raise ValueError("the least of nothing: every name needs a value")
    means = {name: math.fsum(map(math.log, by_fork.values())) / len(by_fork) for name, by_fork in values.items()}
    best = min(means, key=lambda name: means[name])
    others = [
        _compared((name, best), values, level / max(1, len(values) - 1), (margin, shift), estimated)
        for name in sorted(means, key=lambda name: means[name])
        if name != best
    ]
    return Best(best, others, margin)


def _compared(
    names: tuple[str, str],
    values: Mapping[str, ByBlock],
    level: float,
    bounds: tuple[float, float],
    estimated: Estimated,
) -> ComparedWithBest:
    name, best = names
    ratios = fork_ratios([values[name]], [values[best]])
    if len(ratios) < 2:
        return ComparedWithBest(name, None, behind=False, equivalent=False, no_better=False)
    difference = estimated(names, paired(ratios))
    margin, shift = bounds
    half = reach(difference, level) + shift
    behind = difference.log > 0 and difference.p_value(shift) < level
    within = not behind and abs(difference.log) + half <= margin
    return ComparedWithBest(name, difference.within(half), behind, within, behind or difference.log - half >= -margin)


@dataclass(frozen=True)
class BestByPlace:
    """The least in each of many places, and how the others compare with it there.

    Attributes:
        best: by place, the index of the name with the least mean.
        behind: by name and place, whether it is shown to be more than the least.
        by_margin: by name and place, whether it is behind, and its mean is more by the margin.
        within: by name and place, whether it is shown to lie within the margin; the least itself does.
        no_better: by name and place, whether it is shown not to be less by more than the margin.
    """

    best: Indices
    behind: Flags
    by_margin: Flags
    within: Flags
    no_better: Flags

    @property
    def winners(self) -> Indices:
        """By place, the index of the only leader; -1 where no other is shown to be more by the margin."""
        return np.where(self._all(self.by_margin), self.best, -1)

    @property
    def tied(self) -> Flags:
        """By place, whether no name is less by more than the margin, and some are not shown to be more by it."""
        return self._all(self.no_better) & ~self._all(self.by_margin)

    def _all(self, others: Flags) -> Flags:
        names = np.arange(len(others))[:, None]
        return np.asarray((others | (names == self.best[None, :])).all(axis=0))


def best_by_place(  # noqa: PLR0913, PLR0917 - many comparisons and all that they are held against
    logs: Figures, level: float, margin: float, shift: float, prior: Prior = NONE, shares: Figures | None = None
) -> BestByPlace:
    """Name the least in each of many places at once, as `least_of` does where all forks are there.

    Args:
        logs: logarithms of values, shaped (names, forks, places).
        level: as of `least_of`, in each place by itself.
        margin: as of `least_of`.
        shift: as of `least_of`.
        prior: what many pairs say of how such a ratio varies.
        shares: by name and place, the share of a value that varies as the prior says; without it, all of it.
    """
    names, forks, places = logs.shape
    best = logs.mean(axis=1).argmin(axis=0)
    is_best = np.arange(names)[:, None] == best[None, :]
    if names == 1 or forks < 2:
        none = np.zeros((names, places), dtype=bool)
        return BestByPlace(best, none, none, is_best, is_best)
    own = np.take_along_axis(logs, best[None, None, :], axis=0)
    differences = logs - own
    means = differences.mean(axis=1)
    freedom = forks - 1 + prior.freedom
    varying = np.ones((names, places)) if shares is None else shares
    expected = prior.variance * (varying**2 + np.take_along_axis(varying, best[None, :], axis=0) ** 2) / 2
    variances = (((differences - means[:, None, :]) ** 2).sum(axis=1) + prior.freedom * expected) / freedom
    errors, each_level = np.sqrt(variances / forks), level / (names - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = (means - shift) / errors
    chances = 2 * student.each_above(np.nan_to_num(scores, nan=-np.inf).ravel(), np.full(scores.size, freedom))
    behind = (chances.reshape(scores.shape) < each_level) & ~is_best
    half = student.quantile(1 - each_level / 2, freedom) * errors + shift
    no_better = is_best | behind | (means - half >= -margin)
    return BestByPlace(best, behind, behind & (means >= margin), is_best | (means + half <= margin), no_better)
