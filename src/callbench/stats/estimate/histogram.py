"""Histograms with 128 buckets an octave, sparse: their bounds, their sum, their percentiles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

Whole = np.ndarray[tuple[int], np.dtype[np.int64]]
TOP = 2**42 - 1


def index_of(value: int) -> int:
    """Return the bucket of a time in ns, as contract/CONTRACT.md has it."""
    value = min(value, TOP)
    if value < 128:
        return value
    octave = value.bit_length() - 1
    return 128 * (octave - 6) + (value >> (octave - 7)) - 128


def bounds_of(index: int) -> tuple[int, int]:
    """Return a bucket's lower bound and width in ns."""
    if index < 128:
        return index, 1
    shift = index // 128 - 1
    return (128 + index % 128) << shift, 1 << shift


def merged(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Add sparse histograms up, bucket by bucket, indices rising. Percentiles come after this, never before."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for index, count in histogram.items():
            total[index] = total.get(index, 0) + count
    return dict(sorted(total.items()))


@dataclass(frozen=True)
class Buckets:
    """A histogram as arrays, lower bounds rising.

    Attributes:
        lows: lower bounds in ns.
        widths: in ns.
        counts: how many values lie in each.
    """

    lows: Whole
    widths: Whole
    counts: Whole

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> "Buckets":
        """Take a sparse histogram."""
        pairs = sorted(histogram.items())
        bounds = [bounds_of(index) for index, _ in pairs]
        return cls(
            np.array([low for low, _ in bounds], dtype=np.int64),
            np.array([width for _, width in bounds], dtype=np.int64),
            np.array([count for _, count in pairs], dtype=np.int64),
        )

    @property
    def middles(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """The middle of each bucket, in ns: it holds whole nanoseconds, from its lower bound to one below the next."""
        return self.lows + (self.widths - 1) / 2

    def mean_and_deviation(self) -> tuple[float, float]:
        """Compute the mean of the values and their standard deviation, in ns, each value in its bucket's middle.

        Raises:
            ZeroDivisionError: the histogram is empty.
        """
        mean = np.average(self.middles, weights=self.counts)
        return float(mean), float(np.sqrt(np.average((self.middles - mean) ** 2, weights=self.counts)))

    def percentiles(self, shares: Iterable[float], low_ns: float = 0, high_ns: float = TOP) -> list[float]:
        """Find percentiles, in ns.

        The value of rank ceil(q n), the inverse of the empirical distribution (definition 1 of Hyndman and Fan,
        "Sample quantiles in statistical packages", The American Statistician 50(4), 1996), taken as the middle of its
        bucket: at most 1/256 (0.4 %) off.

        Args:
            shares: 0.5 for the median.
            low_ns: the least value, which no percentile lies below.
            high_ns: the greatest value.

        Raises:
            ValueError: the histogram is empty.
        """
        if not len(self.counts):
            raise ValueError("an empty histogram has no percentiles")
        sums = np.cumsum(self.counts)
        wanted = np.asarray(list(shares), dtype=float)
        # The small share taken off keeps 0.9 x 10 from being rank 10, since decimals are not exact.
        ranks = np.maximum(1, np.ceil(wanted * float(sums[-1]) * (1 - 1e-12)))
        places = np.searchsorted(sums, ranks)
        return [float(value) for value in np.clip(self.middles[places], low_ns, high_ns)]
