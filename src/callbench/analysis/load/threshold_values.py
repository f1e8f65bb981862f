"""The values that thresholds are compared with, from the driver's report."""

import math
from collections.abc import Sequence
from dataclasses import replace

from callbench.adapter.contract import Done, Histogram
from callbench.analysis.load.threshold_intervals import (
    CONFIDENCE,
    FAR,
    independent_calls,
    is_assumed,
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


# A client that made fewer calls may have met only errors by chance.
_LEAST_EACH = 5


def evaluate(
    thresholds: Sequence[Threshold], done: Done, rate_per_s: float, clients: int | None = None
) -> tuple[ThresholdResult, ...]:
    """Compare each threshold with its value.

    Args:
        thresholds: the given thresholds.
        done: the driver's report.
        rate_per_s: successful calls per second.
        clients: of a closed loop; None of an open one.
    """
    results = (
        _by_clients(threshold, done, clients) or _evaluated(threshold, done, rate_per_s) for threshold in thresholds
    )
    return tuple(replace(result, assumed=_rests_on_independence(result, done)) for result in results)


def _rests_on_independence(result: ThresholdResult, done: Done) -> bool:
    """Whether a condition is decided only if calls of an open loop do not wait for each other."""
    metric, limit = result.threshold.metric, result.threshold.limit
    if result.shown is None or result.unserved or metric == "max" or (metric == "errors" and limit == 0):
        return False
    histogram = done["latency"]
    far = share_of(metric) is not None and histogram is not None and limit * 1e3 >= FAR * histogram["max_ns"]
    return not far and is_assumed(done, metric)


def _by_clients(threshold: Threshold, done: Done, clients: int | None) -> ThresholdResult | None:
    """Fail what allows fewer errors than there are clients without any right answer; None where that is not so.

    A client rests after an error. So one that is never served makes few calls, and the share of failed calls hides it.
    """
    unserved = done.get("unserved")
    if threshold.metric != "errors" or not clients or not unserved or threshold.sign not in {">", ">="}:
        return None
    each = (done["calls"] + sum(done["errors"].values())) / clients
    if each < _LEAST_EACH or not threshold.is_true(unserved / clients):
        return None
    return ThresholdResult(threshold, error_share(done), shown=True, unserved=f"{unserved:,} of {clients:,} clients")


def _evaluated(threshold: Threshold, done: Done, rate_per_s: float) -> ThresholdResult:
    value, share, histogram = _value(threshold.metric, done, rate_per_s), share_of(threshold.metric), done["latency"]
    if value is None:
        return ThresholdResult(threshold, value)
    if threshold.metric == "max" or (threshold.metric == "errors" and threshold.limit == 0):
        # What this load had at most, or whether a call failed, is a fact of it, and no sample of anything.
        return ThresholdResult(threshold, value, shown=threshold.is_true(value))
    if share is not None and histogram is not None:
        return _of_percentile(threshold, share, value, done, histogram, rate_per_s)
    if threshold.metric == "mean" and histogram is not None:
        ends = of_mean(done, histogram)
    else:
        ends = of_errors(done) if threshold.metric == "errors" else of_rate(done, rate_per_s)
    return ThresholdResult(threshold, value, shown=_shown(threshold, *ends), ends=ends)


def _of_percentile(  # noqa: PLR0913, PLR0917 - the condition, and all that is known of the load
    threshold: Threshold, share: float, value: float, done: Done, histogram: Histogram, rate_per_s: float
) -> ThresholdResult:
    """Compare a percentile with its limit: it lies beyond it where more calls than it leaves out do."""
    independent = independent_calls(done, histogram, share, threshold.limit)
    low, high = share_above(histogram, threshold.limit, independent)
    above = True if low > 1 - share else False if high < 1 - share else None
    shown = above if above is None or threshold.sign in {">", ">="} else not above
    count, needed = int(histogram["count"]), fewest_calls(share, CONFIDENCE)
    known = None if count < fewest_calls(share) else value
    if count >= needed or (known is not None and shown is not None):
        alike = "" if independent >= needed else alike_calls(share, count, independent, CONFIDENCE)
        return ThresholdResult(threshold, value, shown=shown, alike=alike)
    why = few_calls(share, [count], CONFIDENCE)
    if shown is None and rate_per_s > 0:
        why += f"; about {math.ceil((needed - count) / rate_per_s):,} s more give them"
    return ThresholdResult(threshold, known, why, shown)


def _shown(threshold: Threshold, low: float, high: float) -> bool | None:
    """Whether a condition is true of all of an interval, or of nothing in it; None: neither."""
    both = {threshold.is_true(low), threshold.is_true(high)}
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
