"""How much a call's time grows with each client."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.interval import quantile, standard_error

ByBlock = Mapping[int, float]


@dataclass(frozen=True)
class Slope:
    """A mean over blocks; it may be negative, so its interval is of the figure itself, not of its logarithm.

    Attributes:
        low: lower end of its 95 % interval, None with a single block.
        high: upper end likewise.
    """

    middle: float
    low: float | None
    high: float | None


def slope(times: Mapping[int, ByBlock]) -> Slope | None:
    """Reckon the time that each client adds to a call, block by block, from the fewest to the most clients.

    Slope = (difference in time) / (difference in clients): the published theses on middleware of 2003 rank their
    stacks by it (MSE-2003:22, figure 19). The interval is Student's t over the blocks ("The probable error of a
    mean", Biometrika 6, 1908).

    Args:
        times: by number of clients, the mean time of a call in each block.

    Returns:
        The slope in the unit of the times a client, or None where no block has two numbers of clients.
    """
    few, many = min(times, default=0), max(times, default=0)
    if few == many:
        return None
    common = sorted(set(times[few]) & set(times[many]))
    return mean([(times[many][block] - times[few][block]) / (many - few) for block in common])


def mean(values: Sequence[float]) -> Slope | None:
    """Reckon a mean with Student's interval; None of nothing."""
    if not values:
        return None
    figures = np.asarray(values, dtype=float)
    middle = float(figures.mean())
    if len(values) < 2:
        return Slope(middle, None, None)
    reach = quantile(len(values) - 1) * standard_error(figures)
    return Slope(middle, middle - reach, middle + reach)
