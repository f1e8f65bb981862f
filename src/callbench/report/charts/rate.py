"""Rate by stack, with intervals: a row a channel, a mark a message."""

from collections.abc import Sequence
from typing import Any

from callbench.report.charts.palette import SHAPES, WIDTH, Spec, bands, logarithmic, scale, stacks
from callbench.results import Result


def rate(cells: Sequence[Result], channels: Sequence[str], messages: Sequence[str]) -> Spec | None:
    """Describe the chart of one group.

    Args:
        cells: the group's cells.
        channels: rows from the top.
        messages: all that the run has, for colours and shapes.
    """
    values: list[dict[str, Any]] = []
    for one in cells:
        if one.rate:
            low, high = one.rate.low or one.rate.middle, one.rate.high or one.rate.middle
            row = {
                "channel": one.attributes["channel"],
                "message": one.attributes["message"],
                "stack": one.attributes["stack"],
            }
            values.append({**row, "rate": one.rate.middle, "low": low, "high": high})
    if not values:
        return None
    extent = [value[key] for value in values for key in ("low", "high", "rate")]
    present = [name for name in messages if any(value["message"] == name for value in values)]
    x = logarithmic("rate", "calls a second, logarithmic", extent)
    shape = {"field": "message", "type": "nominal", "scale": scale(present, messages, SHAPES)}
    return {
        "width": WIDTH,
        "height": bands(len(present)),
        "data": {"values": values},
        "encoding": stacks(channels, present, messages),
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.75},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {"mark": {"type": "point", "filled": True, "size": 42, "opacity": 1}, "encoding": {"x": x, "shape": shape}},
        ],
    }
