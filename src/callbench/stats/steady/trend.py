"""How fast a value grows with the calls made: a leak is a slope that is not zero."""

import math
from collections.abc import Sequence

import numpy as np

from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import quantile

Figures = np.ndarray[tuple[int], np.dtype[np.float64]]

# The first half of a trial belongs to pools, caches and heaps that fill up once; a leak continues after that.
SETTLING = 0.5
SEGMENTS = 8
# Fewer samples than this have no slope: each segment needs two, or its minimum is whatever it happened to be.
LEAST_SAMPLES = 2 * SEGMENTS
# A gate asks this of each side of each step, every night.
SURE = 0.99
# A fall by so much of the rise, and fewer of them in the half than this: the rise may be one tooth of a saw.
_FALL, _TEETH = 0.5, 3


def slope(calls: Sequence[float], values: Sequence[float]) -> Difference | None:
    """Compute how much a value rises with each call, in the second half of a series of samples.

    A collector lets memory rise like a saw and fall; only what it cannot give back is a leak. So the half is cut into
    segments of equally many samples, and the line goes through the least of each, by ordinary least squares with
    Student's 99 % interval of its slope, n - 2 degrees of freedom (Draper and Smith, "Applied Regression Analysis", 3rd
    edition, 1998, section 1.4). A saw whose teeth are longer than a segment bends the line, which widens the interval.
    If the values fell at any time, and hardly in that half, the half may lie in one tooth: the interval then reaches
    to 0. A tooth that is longer than all samples cannot be told from a leak by anybody.

    Args:
        calls: made until each sample, not falling.
        values: the value at each sample.

    Returns:
        The slope in the value's unit for each call, or None if there are too few samples or no calls.
    """
    kept = int(len(calls) * SETTLING)
    at, seen = np.asarray(calls[kept:], dtype=float), np.asarray(values[kept:], dtype=float)
    if len(at) < LEAST_SAMPLES or at[-1] <= at[0]:
        return None
    x, y = _troughs(at, seen)
    if np.ptp(x) <= 0:
        return None
    if np.ptp(y) == 0:
        return Difference(0.0, 0.0, 0.0, len(x))
    across, up = x - x.mean(), y - y.mean()
    spread = float(across @ across)
    middle = float(across @ up) / spread
    left = up - middle * across
    error = math.sqrt(float(left @ left) / (len(x) - 2) / spread)
    reach = quantile(len(x) - 2, SURE) * error
    low = middle - reach
    if low > 0 and _is_one_tooth(values, kept, middle * (at[-1] - at[0])):
        low = 0.0
    return Difference(middle, low, middle + reach, len(x))


def _is_one_tooth(values: Sequence[float], kept: int, rise: float) -> bool:
    """Return whether a rise since the sample `kept` may be what a collector takes back: it did so before, or after."""
    falls, top = [], values[0]
    for place, value in enumerate(values):
        top = max(top, value)
        if top - value >= _FALL * rise:
            falls.append(place)
            top = value
    return bool(falls) and sum(place >= kept for place in falls) < _TEETH


def _troughs(at: Figures, seen: Figures) -> tuple[Figures, Figures]:
    """Find the least of each segment, and the calls at which it was seen."""
    places = [part[np.argmin(seen[part])] for part in np.array_split(np.arange(len(seen)), SEGMENTS)]
    return at[places], seen[places]
