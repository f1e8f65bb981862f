"""Rate by stack, with intervals: a mark a stack."""

from collections.abc import Sequence

from callbench.analysis.cells.results import Result
from callbench.report.charts.marks import SAID, answering, value_text
from callbench.report.charts.palette import SHAPES, WIDTH, Spec, bands, logarithmic, scale, stacks
from callbench.report.charts.rows import ChartRows

# Intervals are cut off beyond that many times the least and the greatest rate: a hopeless one would squeeze all else.
_REACH = 10.0


def rate(cells: Sequence[Result], places: ChartRows, messages: Sequence[str]) -> Spec | None:
    """Describe the chart of one group.

    Args:
        cells: the group's cells.
        places: its rows.
        messages: all that the run has, for colours and shapes.
    """
    values: list[Spec] = []
    for cell in cells:
        if cell.rate:
            low, high = cell.rate.low or cell.rate.middle, cell.rate.high or cell.rate.middle
            row = {
                "row": places.row(cell),
                "message": cell.attributes["message"],
                "stack": cell.attributes["stack"],
            }
            told = f"{cell.attributes['stack']}: {value_text(cell.rate.middle, (low, high), 'calls/s')}"
            values.append({**row, "rate": cell.rate.middle, "low": low, "high": high, SAID: told})
    if not values:
        return None
    rates = [value["rate"] for value in values]
    least, most = min(rates) / _REACH, max(rates) * _REACH
    extent = rates + [max(value["low"], least) for value in values] + [min(value["high"], most) for value in values]
    present = [name for name in messages if any(value["message"] == name for value in values)]
    x = logarithmic("rate", "calls/s, logarithmic", extent)
    shape = {"field": "message", "type": "nominal", "scale": scale(present, messages, SHAPES)}
    return {
        "width": WIDTH,
        "height": bands(len(present), places),
        "data": {"values": values},
        "encoding": stacks(places, present, messages),
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.75, "clip": True},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            answering(
                {
                    "mark": {"type": "point", "filled": True, "size": 42, "opacity": 1},
                    "encoding": {"x": x, "shape": shape},
                }
            ),
        ],
    }
