"""Where the latency of a call lies: from the median to the 99th and on to the 99.9th percentile."""

from collections.abc import Sequence
from typing import Any

from callbench.report.charts.palette import WIDTH, Spec, logarithmic, scale, shapes
from callbench.results import Result


def latency(cells: Sequence[Result], channels: Sequence[str], messages: Sequence[str]) -> Spec | None:
    """Describe the chart of one group; calls timed in batches have no place in it.

    Args:
        cells: the group's cells.
        channels: rows from the top.
        messages: series.
    """
    values: list[dict[str, Any]] = [
        {
            "channel": one.attributes["channel"],
            "message": one.attributes["message"],
            **{name: max(value, 1e-3) for name, value in one.latency.percentiles.items()},
        }
        for one in cells
        if one.latency.percentiles
    ]
    if not values:
        return None
    extent = [value[key] for value in values for key in ("p50", "p999")]
    x = logarithmic("p50", "microseconds, logarithmic: median (mark), 99th percentile (thick), 99.9th (thin)", extent)
    return {
        "width": WIDTH,
        "height": {"step": 7 if len(messages) > 2 else 12, "for": "offset"},
        "data": {"values": values},
        "encoding": {
            "y": {
                "field": "channel",
                "type": "nominal",
                "sort": list(channels),
                "axis": {"title": None, "grid": True, "tickBand": "extent"},
            },
            "yOffset": {"field": "message", "type": "nominal", "sort": list(messages)},
            "color": {"field": "message", "type": "nominal", "scale": scale(messages)},
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1},
                "encoding": {"x": {**x, "field": "p99"}, "x2": {"field": "p999"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
                "encoding": {"x": x, "x2": {"field": "p99"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 38, "opacity": 1},
                "encoding": {"x": x, "shape": {"field": "message", "type": "nominal", "scale": shapes(messages)}},
            },
        ],
    }
