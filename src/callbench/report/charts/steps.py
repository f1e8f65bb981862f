"""A value over the steps of a ladder, with its interval, a line a stack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from callbench.report.charts.marks import answering
from callbench.report.charts.palette import SERIES, SHAPES, WIDTH, Spec, decades
from callbench.stats.estimate.interval import Interval


@dataclass(frozen=True)
class Point:
    """A step: where it lies, its value and the ends of its interval."""

    series: str
    x: float
    y: float
    low: float
    high: float

    @classmethod
    def of(cls, series: str, x: float, interval: Interval) -> Self:
        """Take a value with its interval; if there is none, the mark stands alone."""
        middle = interval.middle
        return cls(series, x, middle, interval.low or middle, interval.high or middle)


@dataclass(frozen=True)
class Axes:
    """What the axes are called, and whether x is logarithmic; y always is.

    Attributes:
        whole_curve: whether y reaches as far as the curve does, not only as far as the marks.
        y_format: how d3 writes the values along y; `~g` where they lie below 1.
    """

    x: str
    y: str
    logarithmic_x: bool = False
    whole_curve: bool = False
    y_format: str = "~s"


def steps(points: Sequence[Point], curve: Sequence[tuple[str, float, float]], axes: Axes) -> Spec | None:
    """Describe the chart of one ladder.

    Args:
        points: what was measured.
        curve: a fitted law, as series, x and y, drawn thin and broken; may be empty.
        axes: their titles.
    """
    if not points:
        return None
    names = list(dict.fromkeys(point.series for point in points))
    extent = [value for point in points for value in (point.low, point.high, point.y)]
    extent += [value for _, _, value in curve] if axes.whole_curve else []
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
        "axis": {"title": axes.y, "values": decades(extent), "format": axes.y_format, "grid": True},
    }
    levels = sorted({point.x for point in points})
    x_axis = {"title": axes.x, "format": "~s", "values": decades(levels) if axes.logarithmic_x else levels}
    domain = [levels[0] / 1.1, levels[-1] * 1.1]
    x_scale = {"type": "log", "nice": False, "domain": domain} if axes.logarithmic_x else {"zero": False}
    colour = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": [SERIES[place % len(SERIES)] for place in range(len(names))]},
        "legend": {"columns": 3, "labelLimit": 260},
    }
    shape = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": [SHAPES[place % len(SHAPES)] for place in range(len(names))]},
    }
    values = [
        {"series": point.series, "x": point.x, "y": point.y, "low": point.low, "high": point.high} for point in points
    ]
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.75},
            "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"y": y}},
        answering(
            {"mark": {"type": "point", "filled": True, "size": 46, "opacity": 1}, "encoding": {"y": y, "shape": shape}}
        ),
    ]
    if curve:
        fitted = [{"series": series, "x": x, "y": value} for series, x, value in curve]
        mark = {"type": "line", "strokeWidth": 1, "strokeDash": [4, 3], "clip": True}
        layers.append({"data": {"values": fitted}, "mark": mark, "encoding": {"y": y}})
    return {
        "width": WIDTH - 60,
        "height": 260,
        "data": {"values": values},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "scale": x_scale, "axis": x_axis},
            "color": colour,
        },
        "layer": layers,
    }
