"""The values that thresholds are compared with, from the driver's report."""

import math
from collections.abc import Sequence

from callbench.adapter.contract import Done
from callbench.analysis.load.thresholds import Threshold, ThresholdResult, share_of
from callbench.stats.histogram import Buckets
from callbench.stats.percentile_calls import few_calls, fewest_calls
from callbench.stats.share import binomial


def error_share(done: Done) -> float:
    """Return the share of failed calls; 0 without calls."""
    failed = sum(done["errors"].values())
    return failed / max(1, failed + done["calls"])


def evaluate(thresholds: Sequence[Threshold], done: Done, rate_per_s: float) -> tuple[ThresholdResult, ...]:
    """Compare each threshold with its value.

    Args:
        thresholds: the given thresholds.
        done: the driver's report.
        rate_per_s: successful calls per second.
    """
    return tuple(
        _of_few_calls(one, done, rate_per_s) or ThresholdResult(one, _value(one.metric, done, rate_per_s))
        for one in thresholds
    )


def _of_few_calls(one: Threshold, done: Done, rate_per_s: float) -> ThresholdResult | None:
    """Compare a percentile that too few calls know with its limit; None of all else.

    It lies beyond the limit where more calls than it leaves out do. Of few calls, so many of them may be beyond it, or
    none, that even their share is certain: by its exact interval.
    """
    share, histogram = share_of(one.metric), done["latency"]
    count = int(histogram["count"]) if histogram else 0
    if share is None or not histogram or not 0 < count < fewest_calls(share):
        return None
    buckets = Buckets.of(dict(histogram["buckets"]))
    beyond = int(buckets.counts[buckets.lows > one.limit * 1e3].sum())
    low, high = binomial(beyond, count)
    above = True if low > 1 - share else False if high < 1 - share else None
    shown = above if above is None or one.sign in {">", ">="} else not above
    why = few_calls(share, [count])
    if shown is None and rate_per_s > 0:
        why += f"; about {math.ceil((fewest_calls(share) - count) / rate_per_s):,} s more give them"
    return ThresholdResult(one, None, why, shown)


def _value(metric: str, done: Done, rate_per_s: float) -> float | None:
    if metric == "errors":
        return error_share(done)
    if metric == "rate":
        return rate_per_s
    histogram = done["latency"]
    if histogram is None or not histogram["count"]:
        return None
    if metric == "mean":
        return int(histogram["sum_ns"]) / histogram["count"] / 1e3
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    share = share_of(metric)
    if share is None:
        return greatest / 1e3
    [value] = Buckets.of(dict(histogram["buckets"])).percentiles([share], least, greatest)
    return value / 1e3
