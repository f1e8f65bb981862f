"""What all cells of a run say together of how one of them varies from fork to fork, and how the ratio of two does."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.prior import Prior, prior

# Rates by fork.
Rates = Mapping[int, float]


def of_cells(cells: Iterable[Rates]) -> Prior:
    """Learn how a rate varies."""
    return prior([[math.log(rate) for rate in rates.values()] for rates in cells])


def of_ratios(rankings: Iterable[Sequence[Rates]]) -> Prior:
    """Learn how the ratio of two cells of one ranking varies: of each cell to the one before it."""
    pairs = (pair for mine in rankings for pair in pairwise(mine))
    return prior([[math.log(ratio) for ratio in fork_ratios([one], [other])] for one, other in pairs])
