"""Where the level of a series changes: the hierarchical divisive estimation of E-divisive.

D. S. Matteson and N. A. James, "A nonparametric approach for multiple change point analysis of multivariate data",
Journal of the American Statistical Association 109(505), 2014, with alpha = 1. A part of the series is divided where
the energy distance of its two sides, weighted by their lengths, is greatest, if a permutation test rejects that it has
one level; then each side is looked at likewise. Permutations end early where they show nothing: J. Besag and
P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 1991.

The test assumes that values of one level could have come in any order. Where neighbours are alike, it finds too much.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

# The level of each test: of a hundred series without a change, about two show one.
LEVEL = 0.02
# On each side of a change.
FEWEST_BESIDE = 3
# Fewer values cannot reject at the level.
FEWEST = 10
_PERMUTATIONS = 999
_AT_ONCE = 37
# So many permutations as extreme as the series end a test: it says nothing then.
_ENOUGH = 30

_Floats = np.ndarray[Any, np.dtype[np.float64]]


def changes(values: Sequence[float], seed: int = 0) -> list[int]:
    """Return the index of the first value after each change, ascending.

    Args:
        values: in the order of time. Of rates and times, give the logarithms.
        seed: of the permutations; the same values and seed give the same changes.
    """
    some = np.random.default_rng(seed)
    found: list[int] = []
    parts = [(0, len(values))]
    whole = np.asarray(values, dtype=float)
    while parts:
        begin, end = parts.pop()
        if end - begin < FEWEST:
            continue
        apart = np.abs(whole[begin:end, None] - whole[None, begin:end])
        divided = _divided(apart[None])
        at = int(divided[0].argmax())
        if _by_chance(apart, float(divided[0, at]), some) > LEVEL:
            continue
        middle = begin + FEWEST_BESIDE + at
        found.append(middle)
        parts += [(begin, middle), (middle, end)]
    return sorted(found)


def _divided(apart: _Floats) -> _Floats:
    """Return the weighted energy distance of both sides of each division.

    Args:
        apart: of several orders, how far each two values lie apart: orders × values × values.
    """
    count = apart.shape[1]
    left = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    right = count - left
    # What each value adds to the sum of distances within the values up to it, and from it on.
    upper = np.triu(apart)
    within_left = upper.sum(axis=1).cumsum(axis=1)[:, left - 1]
    within_right = upper.sum(axis=2)[:, ::-1].cumsum(axis=1)[:, right - 1]
    between = upper.sum(axis=(1, 2))[:, None] - within_left - within_right
    energy = (
        2 * between / (left * right) - 2 * within_left / (left * (left - 1)) - 2 * within_right / (right * (right - 1))
    )
    weighted: _Floats = energy * left * right / count
    return weighted


def _by_chance(apart: _Floats, seen: float, some: np.random.Generator) -> float:
    """Return the probability of so great a distance, were all orders of the values alike."""
    made = as_great = 0
    count = len(apart)
    while made < _PERMUTATIONS:
        orders = some.permuted(np.tile(np.arange(count), (_AT_ONCE, 1)), axis=1)
        greatest = _divided(apart[orders[:, :, None], orders[:, None, :]]).max(axis=1)
        # Ties count as chance, also where a sum in another order differs by a rounding.
        as_great += int((greatest >= seen - 1e-12 * abs(seen)).sum())
        made += _AT_ONCE
        if as_great >= _ENOUGH:
            break
    return (1 + as_great) / (1 + made)
