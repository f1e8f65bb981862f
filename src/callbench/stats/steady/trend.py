"""How fast a value grows with the calls made: a leak is a slope that is not zero."""

import math
from collections.abc import Sequence

import numpy as np

from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import CONFIDENCE, quantile

Figures = np.ndarray[tuple[int], np.dtype[np.float64]]

# The first half of a trial belongs to pools, caches and heaps that fill up once; a leak continues after that.
SETTLING = 0.5
SEGMENTS = 8
# Fewer samples than this have no slope: each segment needs some, or its minimum is whatever it happened to be.
LEAST_SAMPLES = 4 * SEGMENTS


def slope(calls: Sequence[float], values: Sequence[float], confidence: float = CONFIDENCE) -> Difference | None:
    """Compute how much a value rises with each call, in the second half of a series of samples.

    A collector lets memory rise like a saw and fall; only what it cannot give back is a leak. So the half is cut into
    segments of equally many samples, and the line goes through the least of each, by ordinary least squares with
    Student's interval of its slope, n - 2 degrees of freedom (Draper and Smith, "Applied Regression Analysis", 3rd
    edition, 1998, section 1.4). A saw whose teeth are longer than a segment bends the line, which widens the interval;
    one whose single tooth is longer than the half cannot be told from a leak by anybody.

    Args:
        calls: made until each sample, not falling.
        values: the value at each sample.
        confidence: the interval's coverage.

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
    reach = quantile(len(x) - 2, confidence) * error
    return Difference(middle, middle - reach, middle + reach, len(x))


def _troughs(at: Figures, seen: Figures) -> tuple[Figures, Figures]:
    """Find the least of each segment, and the calls at which it was seen."""
    places = [part[np.argmin(seen[part])] for part in np.array_split(np.arange(len(seen)), SEGMENTS)]
    return at[places], seen[places]
