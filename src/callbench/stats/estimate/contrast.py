"""Comparing within forks: the ratio of two things, fork by fork, so that a machine that drifts does not decide."""

from collections.abc import Mapping, Sequence

import numpy as np

ByBlock = Mapping[int, float]


def fork_ratios(over: Sequence[ByBlock], under: Sequence[ByBlock]) -> list[float]:
    """Divide the product of `over` by the product of `under` in every fork that all of them have.

    Pairing takes what a fork does to all of its trials out of the ratio (blocking: Fisher, "The Design of
    Experiments", 1935, chapter IV).

    Args:
        over: positive values by fork, one mapping a cell.
        under: the same, below the line.

    Returns:
        A ratio a fork, in the order of the forks.
    """
    return list(ratios_by_fork(over, under).values())


def ratios_by_fork(over: Sequence[ByBlock], under: Sequence[ByBlock]) -> dict[int, float]:
    """Divide as `fork_ratios` does, and keep the forks."""
    every = [*over, *under]
    common = sorted(set.intersection(*(set(figures) for figures in every))) if every else []
    return {
        fork: float(
            np.exp(sum(np.log(factor[fork]) for factor in over) - sum(np.log(divisor[fork]) for divisor in under))
        )
        for fork in common
    }
