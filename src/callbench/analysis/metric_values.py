"""The value of a metric of a cell, as everything shows it: over all forks, with its interval."""

from dataclasses import replace

from callbench.analysis.results import Result
from callbench.model.metrics.metric import Combination
from callbench.model.metrics.registry import METRICS
from callbench.stats.interval import Interval


def value_of(result: Result, name: str) -> Interval | None:
    """Return the value of a metric; None if the cell has none.

    What was measured once is given as it is: a mean of equal values would be off by a rounding. Percentiles come from
    all histograms together, and their interval from the forks. The greatest latency is that of all forks, and has no
    interval.
    """
    metric, interval = METRICS[name], result.interval(name)
    if interval is None:
        return None
    if metric.combined is Combination.GREATEST:
        return Interval(max(result.by_fork[name].values()), None, None, interval.forks)
    if (
        metric.combined is Combination.ONCE
        and interval.low is not None
        and len(once := set(result.by_fork[name].values())) == 1
    ):
        exact = once.pop()
        return Interval(exact, exact, exact, interval.forks)
    percentiles, short = result.latency.percentiles or {}, name.removesuffix("_us")
    if metric.combined is not Combination.HISTOGRAMS or short not in percentiles:
        return interval
    shift = percentiles[short] / interval.middle
    low, high = (None if one is None else one * shift for one in (interval.low, interval.high))
    return replace(interval, middle=interval.middle * shift, low=low, high=high)


def by_fork(result: Result, name: str) -> dict[int, float]:
    """Return what a metric was in each fork; what was measured once is the same in all of them."""
    own = result.by_fork.get(name, {})
    if METRICS[name].combined is not Combination.ONCE:
        return dict(own)
    interval = value_of(result, name)
    timed = result.by_fork.get("rate_per_s") or {0: 0.0}
    return dict.fromkeys(timed, interval.middle) if interval is not None else {}
