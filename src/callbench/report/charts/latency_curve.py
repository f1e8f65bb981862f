"""The latency of calls by percentile, out to the rarest that enough calls know, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.palette import SERIES, WIDTH, Spec, decades

# Where the axis has marks, by how rare a call beyond is: one in 2 lies beyond the median.
_MARKS = {2: "p50", 4: "p75", 10: "p90", 100: "p99", 1_000: "p99.9", 10_000: "p99.99", 100_000: "p99.999"}


@dataclass(frozen=True)
class Quantile:
    """A percentile in milliseconds, with the ends of its interval.

    Attributes:
        share: of the calls that take no longer; 0.99 for p99.
    """

    share: float
    ms: float
    low: float
    high: float


def latency_curve(quantiles: Sequence[Quantile]) -> Spec | None:
    """Describe the chart; None if fewer than two percentiles are known."""
    known = [quantile for quantile in quantiles if quantile.ms > 0]
    if len(known) < 2:
        return None
    values = [
        {"beyond": 1 / (1 - quantile.share), "ms": quantile.ms, "low": max(quantile.low, 1e-6), "high": quantile.high}
        for quantile in known
    ]
    extent = [value[name] for value in values for name in ("ms", "low", "high")]
    marks = {at: name for at, name in _MARKS.items() if at <= values[-1]["beyond"] * 1.001}
    names = " : ".join(f"datum.value === {at} ? '{name}'" for at, name in marks.items())
    x = {
        "field": "beyond",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [2, values[-1]["beyond"] * 1.05]},
        "axis": {"title": "percentile of the calls", "values": list(marks), "labelExpr": f"{names} : ''", "grid": True},
    }
    y = {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
        "axis": {"title": "ms, logarithmic", "values": decades(extent), "format": "~g", "grid": True},
    }
    between = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    line = {"x": x, "y": {**y, "field": "ms"}}
    return {
        "width": WIDTH - 60,
        "height": 240,
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "area", "color": SERIES[0], "opacity": 0.2}, "encoding": between},
            {"mark": {"type": "line", "color": SERIES[0], "strokeWidth": 2}, "encoding": line},
        ],
    }
