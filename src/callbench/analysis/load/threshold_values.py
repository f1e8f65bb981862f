"""The values that thresholds are compared with, from the driver's report."""

import math
from collections.abc import Sequence

from callbench.adapter.contract import Done, Histogram
from callbench.analysis.load.threshold_intervals import (
    CONFIDENCE,
    independent_calls,
    of_errors,
    of_mean,
    of_rate,
    share_above,
)
from callbench.analysis.load.thresholds import Threshold, ThresholdResult, share_of
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.percentile_calls import alike_calls, few_calls, fewest_calls


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
    return tuple(_evaluated(one, done, rate_per_s) for one in thresholds)


def _evaluated(one: Threshold, done: Done, rate_per_s: float) -> ThresholdResult:
    value, share, histogram = _value(one.metric, done, rate_per_s), share_of(one.metric), done["latency"]
    if value is None:
        return ThresholdResult(one, value)
    if one.metric == "max" or (one.metric == "errors" and one.limit == 0):
        # What this load had at most, or whether a call failed, is a fact of it, and no sample of anything.
        return ThresholdResult(one, value, shown=one.is_true(value))
    if share is not None and histogram is not None:
        return _of_percentile(one, share, value, done, histogram, rate_per_s)
    if one.metric == "mean" and histogram is not None:
        ends = of_mean(done, histogram)
    else:
        ends = of_errors(done) if one.metric == "errors" else of_rate(done, rate_per_s)
    return ThresholdResult(one, value, shown=_shown(one, *ends), ends=ends)


def _of_percentile(  # noqa: PLR0913, PLR0917 - the condition, and all that is known of the load
    one: Threshold, share: float, value: float, done: Done, histogram: Histogram, rate_per_s: float
) -> ThresholdResult:
    """Compare a percentile with its limit: it lies beyond it where more calls than it leaves out do."""
    independent = independent_calls(done, histogram, share, one.limit)
    low, high = share_above(histogram, one.limit, independent)
    above = True if low > 1 - share else False if high < 1 - share else None
    shown = above if above is None or one.sign in {">", ">="} else not above
    count, needed = int(histogram["count"]), fewest_calls(share, CONFIDENCE)
    known = None if count < fewest_calls(share) else value
    if count >= needed or (known is not None and shown is not None):
        alike = "" if independent >= needed else alike_calls(share, count, independent, CONFIDENCE)
        return ThresholdResult(one, value, shown=shown, alike=alike)
    why = few_calls(share, [count], CONFIDENCE)
    if shown is None and rate_per_s > 0:
        why += f"; about {math.ceil((needed - count) / rate_per_s):,} s more give them"
    return ThresholdResult(one, known, why, shown)


def _shown(one: Threshold, low: float, high: float) -> bool | None:
    """Whether a condition is true of all of an interval, or of nothing in it; None: neither."""
    both = {one.is_true(low), one.is_true(high)}
    return both.pop() if len(both) == 1 else None


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
