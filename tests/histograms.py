"""Histograms of many times at once, as the contract has them: `index_of`, over an array."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from callbench.stats.estimate.histogram import TOP


def buckets(values_ns: Sequence[int] | NDArray[np.int64]) -> list[list[int]]:
    """Return each bucket that has a time, and how many, indices rising."""
    values = np.minimum(np.asarray(values_ns, dtype=np.int64), TOP)
    # A double holds every whole number up to 2^53, so its exponent is the octave.
    octaves = np.frexp(values.astype(np.float64))[1].astype(np.int64) - 1
    above = 128 * (octaves - 6) + (values >> np.maximum(octaves - 7, 0)) - 128
    indices, counts = np.unique(np.where(values < 128, values, above), return_counts=True)
    return np.stack((indices, counts), axis=1).tolist()  # type: ignore[no-any-return]


def histogram(values_ns: Sequence[int] | NDArray[np.int64]) -> dict[str, Any] | None:
    """Return the contract's histogram of times; None without any."""
    values = np.asarray(values_ns, dtype=np.int64)
    if not len(values):
        return None
    return {
        "count": len(values),
        "sum_ns": str(values.sum()),
        "min_ns": int(values.min()),
        "max_ns": int(values.max()),
        "buckets": buckets(values),
    }


def sparse(values_ns: Sequence[int] | NDArray[np.int64]) -> Mapping[int, int]:
    """Return the buckets as the core's histograms are: counts by index."""
    return {index: count for index, count in buckets(values_ns)}  # noqa: C416 - lists are no pairs to mypy
