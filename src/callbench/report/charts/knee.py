"""Every trial of a search for a knee: its level, and whether it met the objective."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from callbench.report.charts.palette import FAINT, SERIES, WIDTH, Spec, decades, logarithmic


@dataclass(frozen=True)
class KneeStep:
    """One step: level, the value compared with the objective in microseconds, and whether it met it."""

    stack: str
    level: float
    value_us: float
    holds: bool


@dataclass(frozen=True)
class Limit:
    """The objective: `p99 under 5 ms`, and where it lies in microseconds."""

    name: str
    us: float


def knee_chart(tried: Sequence[KneeStep], x_title: str, y_title: str, objective: Limit) -> Spec | None:
    """Describe the chart of one objective, which is a line across it."""
    if not tried:
        return None
    names = list(dict.fromkeys(one.stack for one in tried))
    values = [
        {"stack": one.stack, "x": one.level, "y": max(one.value_us, 1e-3), "met": "met" if one.holds else "not met"}
        for one in tried
    ]
    extent = [objective.us, *(max(one.value_us, 1e-3) for one in tried)]
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    axes = {
        "x": logarithmic("x", x_title, [one.level for one in tried]),
        "y": {
            "field": "y",
            "type": "quantitative",
            "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
            "axis": {"title": y_title, "values": decades(extent), "format": "~s", "grid": True},
        },
    }
    return {
        "width": WIDTH - 60,
        "height": 240,
        "layer": [_steps(values, names, colours, axes), *_line(objective, max(one.level for one in tried), axes)],
    }


def _steps(values: list[dict[str, Any]], names: Sequence[str], colours: Sequence[str], axes: Spec) -> Spec:
    """Describe the marks. What their shapes mean stands above the chart, so that one legend is enough."""
    shapes = {"domain": ["met", "not met"], "range": ["circle", "cross"]}
    return {
        "data": {"values": values},
        "mark": {"type": "point", "size": 44, "filled": True},
        "encoding": {
            **axes,
            "color": {"field": "stack", "type": "nominal", "scale": {"domain": list(names), "range": list(colours)}},
            "shape": {"field": "met", "type": "nominal", "scale": shapes, "legend": None},
        },
    }


def _line(objective: Limit, most: float, axes: Spec) -> list[Spec]:
    """Draw the objective, with its name above it at the right."""
    data = {"values": [{"y": objective.us, "x": most, "name": objective.name}]}
    text = {"type": "text", "align": "right", "baseline": "bottom", "dy": -3, "color": FAINT}
    return [
        {"data": data, "mark": {"type": "rule", "strokeDash": [5, 4], "color": FAINT}, "encoding": {"y": axes["y"]}},
        {"data": data, "mark": text, "encoding": {**axes, "text": {"field": "name", "type": "nominal"}}},
    ]
