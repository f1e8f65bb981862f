"""The metrics of a cell as plain values: what JSON, CSV and the table `metrics` of a query have of them."""

import math

from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.metric_values import value_of, why_unknown
from callbench.model.metrics.registry import VALUES

Value = dict[str, float | str | None]


def metrics(result: Result) -> dict[str, Value]:
    """Return what a cell has of each metric, with its 95 % interval. What was not measured is not there.

    `low` and `high` are None if there is no interval: of a single fork, and of what none can be given of. A percentile
    that too few calls know, or forks that differ too much, is None itself, and `why` says so.
    """
    intervals = {name: value_of(result, name) for name in VALUES}
    known: dict[str, Value] = {
        name: {"value": interval.middle, "low": _finite(interval.low), "high": _finite(interval.high)}
        for name, interval in intervals.items()
        if interval is not None
    }
    none: Value = {"value": None, "low": None, "high": None}
    return {
        name: known[name] if interval is not None else {**none, "why": why}
        for name, interval in intervals.items()
        if interval is not None or (why := why_unknown(result, name))
    }


def _finite(end: float | None) -> float | None:
    """An end that lies beyond all bounds is none."""
    return end if end is not None and math.isfinite(end) else None
