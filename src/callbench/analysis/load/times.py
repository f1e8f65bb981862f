"""Statistics of a histogram of times, in microseconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.percentile_calls import few_calls, fewest_calls, percentile_name
from callbench.stats.load.rate import DriveTimes
from callbench.store.lines.slices import LatencyFigures

PERCENTILES = (0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)


@dataclass(frozen=True)
class LatencyStatistics:
    """Statistics of one histogram, in microseconds.

    Attributes:
        percentiles: by share: 0.99 is p99; those that too few calls know are not there.
        few_calls: of those by share, how many calls they need.
    """

    mean: float
    least: float
    greatest: float
    percentiles: Mapping[float, float]
    few_calls: Mapping[float, str] = field(default_factory=dict)


def times_of(histogram: DriveTimes | None) -> LatencyStatistics | None:
    """Compute the statistics of a histogram of the contract; None if it is empty."""
    if histogram is None or not histogram["count"]:
        return None
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    values = Buckets.of(dict(histogram["buckets"])).percentiles(PERCENTILES, least, greatest)
    count = int(histogram["count"])
    few = {share: few_calls(share, [count]) for share in PERCENTILES if count < fewest_calls(share)}
    percentiles = {share: value / 1e3 for share, value in zip(PERCENTILES, values, strict=True) if share not in few}
    return LatencyStatistics(int(histogram["sum_ns"]) / count / 1e3, least / 1e3, greatest / 1e3, percentiles, few)


def times_record(times: LatencyStatistics | None) -> LatencyFigures | None:
    """Return the statistics as JSON has them: `mean`, `min`, `p99.9`, `max`.

    A percentile that too few calls know is None, and `unknown` says why, by its name.
    """
    if times is None:
        return None
    percentiles = {percentile_name(share): times.percentiles.get(share) for share in PERCENTILES}
    unknown = {percentile_name(share): why for share, why in times.few_calls.items()}
    known = {"mean": times.mean, "min": times.least, **percentiles, "max": times.greatest}
    return cast("LatencyFigures", {**known, "unknown": unknown} if unknown else known)
