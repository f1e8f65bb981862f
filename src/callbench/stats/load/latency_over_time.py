"""Percentiles over the time of a load, from the buckets that a driver hands over each second.

A stretch of time has a percentile only from as many calls as it needs (`estimate/percentile_calls.py`), so a stretch
lasts until it has them: p99 at 100 calls/s is known every four seconds, the median every second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.stats.estimate.histogram import Buckets, merged
from callbench.stats.estimate.percentile_calls import fewest_calls, percentile_name

SHARES = (0.5, 0.99)
_SECOND_NS = 10**9
# More stretches cannot be seen in a chart, and an hour of histograms would fill the memory.
_MOST = 240


@dataclass(frozen=True)
class Stretch:
    """A percentile of the calls that were answered between two moments.

    Attributes:
        begin_s: since the start.
        end_s: likewise.
        us: the percentile, in microseconds.
    """

    begin_s: float
    end_s: float
    us: float


def percentile_us(counts: Mapping[int, int], share: float) -> float | None:
    """Return a percentile in microseconds; None if there are too few calls for it."""
    if sum(counts.values()) < fewest_calls(share):
        return None
    return Buckets.of(counts).percentiles([share])[0] / 1e3


class LatencyOverTime:
    """The latencies of a drive second by second, or in longer parts if it lasts long."""

    def __init__(self, most: int = _MOST) -> None:
        """Keep so many parts at most: when there are more, each has twice the length."""
        self._most = most
        self._part_ns = _SECOND_NS
        self._parts: dict[int, dict[int, int]] = {}

    def add(self, at_ns: int, counts: Sequence[tuple[int, int]]) -> None:
        """Take buckets and counts that a driver reported at a time: they are of the whole second before it."""
        place = max(0, at_ns // _SECOND_NS - 1) * _SECOND_NS // self._part_ns
        self._parts[place] = merged([self._parts.get(place, {}), dict(counts)])
        while len(self._parts) > self._most:
            self._part_ns *= 2
            halved: dict[int, dict[int, int]] = {}
            for place, part in self._parts.items():
                halved[place // 2] = merged([halved.get(place // 2, {}), part])
            self._parts = halved

    def stretches(self, every: Sequence[tuple[int, int]], end_ns: int) -> dict[str, list[Stretch]]:
        """Return percentiles over time, by their names.

        Args:
            every: buckets and counts of the whole drive: what was not handed over came last.
            end_ns: when the last call ended.
        """
        handed = merged(self._parts.values())
        rest = {bucket: count - handed.get(bucket, 0) for bucket, count in every if count > handed.get(bucket, 0)}
        parts = [((place + 1) * self._part_ns, part) for place, part in sorted(self._parts.items())]
        if parts and rest:
            parts.append((max(end_ns, parts[-1][0]), rest))
        return {percentile_name(share): _stretches(parts, share) for share in SHARES}


def _stretches(parts: Sequence[tuple[int, Mapping[int, int]]], share: float) -> list[Stretch]:
    """Join neighbours until each has as many calls as the percentile needs; too few at the end are left out."""
    found: list[Stretch] = []
    begin_ns, waiting = 0, dict[int, int]()
    for end_ns, counts in parts:
        waiting = merged([waiting, counts])
        value = percentile_us(waiting, share)
        if value is not None and end_ns > begin_ns:
            found.append(Stretch(begin_ns / 1e9, end_ns / 1e9, value))
            begin_ns, waiting = end_ns, {}
    return found
