"""The latency of calls by percentile, out to the rarest that enough calls know, with its interval; several overlaid."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import SAID, answering_line, value_text
from callbench.report.charts.palette import SERIES, WIDTH, Spec, decades

# Where the axis has marks, by how rare a call beyond is: one in 2 lies beyond the median.
_MARKS = {
    1 / 0.9: "p10",
    2: "p50",
    4: "p75",
    10: "p90",
    100: "p99",
    1_000: "p99.9",
    10_000: "p99.99",
    100_000: "p99.999",
}
# A line is told by these too, not by its colour alone.
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])
# Colours differ for so many.
MOST_CURVES = len(SERIES)


@dataclass(frozen=True)
class Quantile:
    """A percentile in milliseconds, with the ends of its interval; both are the value where it has none.

    Attributes:
        share: of the calls that take no longer; 0.99 for p99.
    """

    share: float
    ms: float
    low: float
    high: float


def latency_curve(curves: Mapping[str, Sequence[Quantile]]) -> Spec | None:
    """Describe the chart; None if no curve has two percentiles.

    Args:
        curves: by name, at most `MOST_CURVES`; of one alone, the name is not shown.
    """
    known = {name: [each for each in quantiles if each.ms > 0] for name, quantiles in curves.items()}
    known = {name: quantiles for name, quantiles in known.items() if len(quantiles) > 1}
    if not known:
        return None
    times = [each.ms for quantiles in known.values() for each in quantiles]
    unit, factor = ("ms", 1.0) if max(times) >= 1 else ("µs", 1e3)
    values: list[Mapping[str, float | str]] = [
        {
            "name": name,
            "beyond": 1 / (1 - each.share),
            "time": each.ms * factor,
            "low": max(each.low, 1e-6) * factor,
            "high": each.high * factor,
            SAID: _said(name if len(known) > 1 else "", each, factor, unit),
        }
        for name, quantiles in known.items()
        for each in quantiles
    ]
    return {
        "width": WIDTH - 60,
        "height": 240 if len(known) == 1 else 320,
        "data": {"values": values},
        "layer": _layers(list(known), values, unit),
    }


def _said(name: str, quantile: Quantile, factor: float, unit: str) -> str:
    """Say what a point of a curve is: `native/json+http, p99: 12 ms (11 to 13)`."""
    ends = (quantile.low * factor, quantile.high * factor)
    # As many decimals as tell how few calls take longer.
    places = max(1, math.ceil(-math.log10(1 - quantile.share)) - 1)
    percentile = f"p{quantile.share * 100:.{places}f}".rstrip("0").rstrip(".")
    of = f"{name}, {percentile}" if name else percentile
    return f"{of}: {value_text(quantile.ms * factor, ends, unit)}"


def _layers(names: Sequence[str], values: Sequence[Mapping[str, float | str]], unit: str) -> list[Spec]:
    """Describe a band and a line for each curve."""
    extent = [float(value[field]) for value in values for field in ("time", "low", "high")]
    rarest = [float(value["beyond"]) for value in values]
    x, y = _axis_of_percentiles(min(rarest), max(rarest)), _axis_of_times(extent, unit)
    between = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    line = {"x": x, "y": {**y, "field": "time"}}
    if len(names) == 1:
        return [
            {"mark": {"type": "area", "color": SERIES[0], "opacity": 0.2}, "encoding": between},
            *answering_line({"mark": {"type": "line", "color": SERIES[0], "strokeWidth": 2}, "encoding": line}, values),
        ]
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(names))]
    colour: Spec = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": list(names), "range": list(SERIES[: len(names)])},
    }
    dash: Spec = {"field": "name", "type": "nominal", "scale": {"domain": list(names), "range": dashes}}
    # A layer for each band: with one scale for bands and lines, the legend has the pale colours of the bands.
    bands = [
        {
            "transform": [{"filter": {"field": "name", "equal": name}}],
            "mark": {"type": "area", "color": SERIES[place], "opacity": 0.16},
            "encoding": between,
        }
        for place, name in enumerate(names)
    ]
    lines = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**line, "color": colour, "strokeDash": dash}}
    return [*bands, *answering_line(lines, values)]


def _axis_of_percentiles(least: float, most: float) -> Spec:
    """Describe the axis along which each rarer call has as much room as the one before."""
    marks = {at: name for at, name in _MARKS.items() if least / 1.001 <= at <= most * 1.001}
    names = " : ".join(f"datum.value === {at!r} ? '{name}'" for at, name in marks.items())
    return {
        "field": "beyond",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(2.0, least), most * 1.05]},
        "axis": {
            "title": "percentile of the calls",
            "values": list(marks),
            "labelExpr": f"{names} : ''",
            "grid": True,
        },
    }


def _axis_of_times(extent: Sequence[float], unit: str) -> Spec:
    return {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
        "axis": {"title": f"{unit}, logarithmic", "values": decades(extent), "format": "~g", "grid": True},
    }
