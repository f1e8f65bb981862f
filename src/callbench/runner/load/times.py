"""Statistics of a histogram of times, in microseconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callbench.stats.histogram import Buckets
from callbench.stats.percentile_calls import percentile_name

PERCENTILES = (0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)


@dataclass(frozen=True)
class LatencyStatistics:
    """Statistics of one histogram, in microseconds.

    Attributes:
        percentiles: by share: 0.99 is p99.
    """

    mean: float
    least: float
    greatest: float
    percentiles: Mapping[float, float]


def times_of(histogram: Mapping[str, Any] | None) -> LatencyStatistics | None:
    """Compute the statistics of a histogram of the contract; None if it is empty."""
    if histogram is None or not histogram["count"]:
        return None
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    values = Buckets.of(dict(histogram["buckets"])).percentiles(PERCENTILES, least, greatest)
    percentiles = {share: value / 1e3 for share, value in zip(PERCENTILES, values, strict=True)}
    return LatencyStatistics(
        int(histogram["sum_ns"]) / histogram["count"] / 1e3, least / 1e3, greatest / 1e3, percentiles
    )


def times_record(times: LatencyStatistics | None) -> dict[str, float] | None:
    """Return the statistics as JSON has them: `mean`, `min`, `p99.9`, `max`."""
    if times is None:
        return None
    percentiles = {percentile_name(share): value for share, value in times.percentiles.items()}
    return {"mean": times.mean, "min": times.least, **percentiles, "max": times.greatest}
