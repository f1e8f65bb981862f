"""The value of a metric of a cell, as everything shows it: over all forks, with its interval."""

from dataclasses import replace

from callbench.analysis.cells.results import Result
from callbench.model.metrics.metric import Combination
from callbench.model.metrics.registry import METRICS, PERCENTILES
from callbench.stats.estimate.digits import figure, tells
from callbench.stats.estimate.interval import Interval


def value_of(result: Result, name: str) -> Interval | None:
    """Return the value of a metric; None if the cell has none.

    What was measured once is given as it is: a mean of equal values would be off by a rounding. Percentiles come from
    all histograms together, and their interval from the forks. The greatest latency is that of all forks, and has no
    interval. Without a value is also what the forks know too badly: `why_unknown` says so.
    """
    metric, interval = METRICS[name], result.interval(name)
    if interval is None:
        return None
    if name in PERCENTILES:
        return percentile_of(interval, (result.latency.percentiles or {}).get(name.removesuffix("_us")))
    if metric.combined is Combination.GREATEST:
        return Interval(max(result.by_fork[name].values()), None, None, interval.forks)
    if (
        metric.combined is Combination.ONCE
        and interval.low is not None
        and len(once := set(result.by_fork[name].values())) == 1
    ):
        exact = once.pop()
        return Interval(exact, exact, exact, interval.forks)
    return interval


def bound_of(result: Result, name: str) -> str:
    """Return which bound a value is, a key of `BOUNDS`: a rate can be one."""
    if name != "rate_per_s":
        return ""
    at_least = result.verdict is not None and result.verdict.at_least
    return "at least" if at_least else "at most" if result.at_most else ""


def percentile_of(interval: Interval | None, middle: float | None) -> Interval | None:
    """Return a percentile: the interval of the forks, about the value of all calls together; None: they say nothing.

    Args:
        interval: of the forks; None without forks that know it.
        middle: of all calls; None: as the forks have it.
    """
    if interval is None or _says_nothing(interval):
        return None
    if middle is None:
        return interval
    shift = middle / interval.middle
    low, high = (None if end is None else end * shift for end in (interval.low, interval.high))
    return replace(interval, middle=interval.middle * shift, low=low, high=high)


def why_unknown(result: Result, name: str) -> str:
    """Say why a cell has no value of a metric although its calls were timed; "" if it has one or there is no reason."""
    if name in result.too_few:
        return result.too_few[name]
    interval = result.interval(name)
    if name not in PERCENTILES or interval is None or not _says_nothing(interval):
        return ""
    values = sorted(result.by_fork[name].values())
    return f"its forks differ too much to say: {figure(values[0])} to {figure(values[-1])} {METRICS[name].unit}"


def _says_nothing(interval: Interval) -> bool:
    """Return whether the interval of a percentile says nothing of it."""
    return interval.half_width is not None and not tells(interval.half_width)


def by_fork(result: Result, name: str) -> dict[int, float]:
    """Return what a metric was in each fork; what was measured once is the same in all of them."""
    own = result.by_fork.get(name, {})
    if METRICS[name].combined is not Combination.ONCE:
        return dict(own)
    interval = value_of(result, name)
    timed = result.by_fork.get("rate_per_s") or {0: 0.0}
    return dict.fromkeys(timed, interval.middle) if interval is not None else {}
