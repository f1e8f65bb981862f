"""Every trial of a search for a knee: its level, and whether it met the objective."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.palette import SERIES, WIDTH, Spec, decades, logarithmic


@dataclass(frozen=True)
class Tried:
    """One step: level, the figure held against the objective in microseconds, and whether it met it."""

    stack: str
    level: float
    value_us: float
    holds: bool


def knee_chart(tried: Sequence[Tried], x_title: str, y_title: str) -> Spec | None:
    """Describe the chart of one objective."""
    if not tried:
        return None
    names = list(dict.fromkeys(one.stack for one in tried))
    values = [
        {"stack": one.stack, "x": one.level, "y": max(one.value_us, 1e-3), "met": "met" if one.holds else "not met"}
        for one in tried
    ]
    extent = [max(one.value_us, 1e-3) for one in tried]
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    return {
        "width": WIDTH - 60,
        "height": 240,
        "data": {"values": values},
        "mark": {"type": "point", "size": 44, "filled": True},
        "encoding": {
            "x": {**logarithmic("x", x_title, [one.level for one in tried])},
            "y": {
                "field": "y",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
                "axis": {"title": y_title, "values": decades(extent), "format": "~s", "grid": True},
            },
            "color": {"field": "stack", "type": "nominal", "scale": {"domain": names, "range": colours}},
            "shape": {
                "field": "met",
                "type": "nominal",
                "scale": {"domain": ["met", "not met"], "range": ["circle", "cross"]},
            },
        },
    }
