"""Comparing within blocks: the ratio of two things, block by block, so that a machine that drifts does not decide."""

from collections.abc import Mapping, Sequence

import numpy as np

ByBlock = Mapping[int, float]


def block_ratios(over: Sequence[ByBlock], under: Sequence[ByBlock]) -> list[float]:
    """Divide the product of `over` by the product of `under` in every block that all of them have.

    Pairing takes what a block does to all of its trials out of the ratio (blocking: Fisher, "The Design of
    Experiments", 1935, chapter IV).

    Args:
        over: positive figures by block, one mapping a cell.
        under: the same, below the line.

    Returns:
        A ratio a block, in the order of the blocks.
    """
    return list(ratios_by_block(over, under).values())


def ratios_by_block(over: Sequence[ByBlock], under: Sequence[ByBlock]) -> dict[int, float]:
    """Divide as `block_ratios` does, and keep the blocks."""
    every = [*over, *under]
    common = sorted(set.intersection(*(set(figures) for figures in every))) if every else []
    return {
        block: float(np.exp(sum(np.log(one[block]) for one in over) - sum(np.log(one[block]) for one in under)))
        for block in common
    }
