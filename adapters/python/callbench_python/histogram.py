"""The log-linear histogram of the contract: 128 buckets an octave, exact count, sum, least and greatest."""

from collections import Counter
from collections.abc import Iterable
from threading import Lock
from typing import Any

_BITS = 7
_MOST = (1 << 42) - 1
# The number of distinct times that are kept before they are put into their buckets. It limits the memory.
_RAW = 8192


def _above(value: int) -> int:
    """The lower bits of a time, which do not determine its bucket."""
    return max(0, value.bit_length() - 1 - _BITS)


class Histogram:
    """Times in nanoseconds, of all clients. They are counted as they are, which Python does in C, and sorted later."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._lock = Lock()
        self._raw: Counter[int] = Counter()
        self._buckets: Counter[int] = Counter()
        self._sum, self._least, self._greatest = 0, 1 << 64, 0

    def take(self, values: Iterable[int]) -> None:
        """Count some values."""
        with self._lock:
            self._raw.update(values)
            if len(self._raw) > _RAW:
                self._sort()

    def median_of_few(self) -> int | None:
        """The smallest value of the bucket that contains the median; None if nothing was counted."""
        values = sorted(self._raw.elements())
        if not values:
            return None
        value = values[(len(values) - 1) // 2]
        return value >> _above(value) << _above(value)

    def sparse(self) -> dict[str, Any]:
        """The contract's form."""
        self._sort()
        count = self._buckets.total()
        least = self._least if count else 0
        ends = {"count": count, "sum_ns": str(self._sum), "min_ns": least, "max_ns": self._greatest}
        return {**ends, "buckets": sorted(self._buckets.items())}

    def _sort(self) -> None:
        for value, count in self._raw.items():
            within = min(value, _MOST)
            self._buckets[(_above(within) << _BITS) + (within >> _above(within))] += count
            self._sum += value * count
            self._least, self._greatest = min(self._least, value), max(self._greatest, value)
        self._raw.clear()
