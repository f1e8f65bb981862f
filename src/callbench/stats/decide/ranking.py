"""Ranks with ties: who is faster than whom, told by pairs within forks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.decide.decision import parted
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.interval import CONFIDENCE
from callbench.stats.estimate.logratio import many_paired
from callbench.stats.estimate.prior import NONE, Prior


@dataclass(frozen=True)
class RankedItem:
    """One place of a ranking.

    Attributes:
        index: which of the things given.
        rank: 1 + how many are faster beyond doubt.
        ties: those that it cannot be told from, in the ranking's order.
        behind: those that are faster beyond doubt, likewise.
    """

    index: int
    rank: int
    ties: Sequence[int]
    behind: Sequence[int] = ()


def standings(  # noqa: PLR0913 - the things, and what is known of some of them
    figures: Sequence[ByBlock],
    level: float = 1 - CONFIDENCE,
    prior: Prior = NONE,
    at_least: Collection[int] = (),
    at_most: Collection[int] = (),
    *,
    fields: Sequence[Collection[int]] = (),
) -> list[RankedItem]:
    """Rank things of which more is better; two tie when the interval of their paired difference holds 1.

    Every pair is tested on the log of its fork ratios, all pairs together (`decision.parted`): the chance that any
    pair is parted wrongly stays below `level`. Ties need not be transitive, so a rank is 1 + the number of those that
    are faster beyond doubt: what ties with the first shares its rank (Goldstein and Spiegelhalter, "League tables and
    their limitations", Journal of the Royal Statistical Society A 159(3), 1996, on why a rank without its uncertainty
    misleads).

    The first of a field has a question of its own: which may be the greatest (`above`)? What another is shown to be
    above is not, however many pairs there are in the ranking.

    Args:
        figures: a positive value a fork for each thing.
        level: of the whole ranking.
        prior: what all pairs of the run say of how one varies.
        at_least: which of the values are lower bounds. Such a thing may be ahead of others, and nothing is ahead of it.
        at_most: likewise of upper bounds. Others may be ahead of such a thing, and it is ahead of nothing.
        fields: things among which the first is asked for; a thing can be in several.

    Returns:
        The standings, best first; those of equal rank by their geometric mean.
    """
    count = len(figures)
    means = [float(np.mean(np.log(list(by_fork.values())))) if by_fork else -np.inf for by_fork in figures]
    is_faster = faster(figures, level, prior)
    for field in fields:
        among = [index for index in field if index not in at_least and index not in at_most]
        is_faster[np.ix_(among, among)] |= above([figures[index] for index in among], level, prior)
    is_faster[:, list(at_least)] = False
    is_faster[list(at_most), :] = False
    order = sorted(range(count), key=lambda index: (int(is_faster[:, index].sum()), -means[index]))
    tied = ~(is_faster | is_faster.T)
    return [
        RankedItem(
            index,
            1 + int(is_faster[:, index].sum()),
            tuple(other for other in order if other != index and tied[index, other]),
            tuple(other for other in order if is_faster[other, index]),
        )
        for index in order
    ]


def faster(
    figures: Sequence[ByBlock], level: float = 1 - CONFIDENCE, prior: Prior = NONE
) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Return for each pair (row, column) whether the first is shown to be faster, as in `standings`."""
    count, logs = len(figures), _logs(figures)
    is_faster = np.zeros((count, count), dtype=np.bool_)
    rows, columns = np.triu_indices(count, 1)
    if not len(rows):
        return is_faster
    signs = parted(logs[rows] - logs[columns], level, prior)
    is_faster[rows, columns] = signs > 0
    is_faster[columns, rows] = signs < 0
    return is_faster


def above(
    figures: Sequence[ByBlock], level: float = 1 - CONFIDENCE, prior: Prior = NONE
) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Return for each pair (row, column) whether the first is shown to be above: the second is not the greatest.

    That the greatest of all is left out has a chance below `level`: one of its own comparisons must mislead, and each
    is corrected for the number of the others (Gupta, "On some multiple decision (selection and ranking) rules",
    Technometrics 7(2), 1965). That says less than a ranking, which parts every pair, so it is shown of more.

    A comparison misleads to one side only: with what is not above the greatest, and seems so. So of a two-sided
    probability half counts; but for one comparison the whole: what its 95 % interval does not part stays together.

    Args:
        figures: a positive value a fork for each thing.
        level: of the whole.
        prior: what all pairs of the run say of how one varies.
    """
    count, logs = len(figures), _logs(figures)
    is_above = np.zeros((count, count), dtype=np.bool_)
    rows, columns = np.triu_indices(count, 1)
    if not len(rows):
        return is_above
    many = many_paired(logs[rows] - logs[columns], prior.variance, prior.freedom)
    shown = many.p_values * max(1.0, (count - 1) / 2) < level
    is_above[rows, columns] = shown & (many.logs > 0)
    is_above[columns, rows] = shown & (many.logs < 0)
    return is_above


def _logs(figures: Sequence[ByBlock]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Return the logarithms, a row a thing and a column a fork; NaN where one has no value."""
    forks = sorted({fork for by_fork in figures for fork in by_fork})
    logs = np.full((len(figures), max(len(forks), 1)), np.nan)
    for row, by_fork in enumerate(figures):
        for column, fork in enumerate(forks):
            if fork in by_fork:
                logs[row, column] = np.log(by_fork[fork])
    return logs
