"""Where the latency of a call lies: from the median to the 99th and on to the 99.9th percentile."""

from collections.abc import Mapping, Sequence

from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.metric_values import value_of
from callbench.report.charts.marks import SAID, answering, interval_ends, value_text
from callbench.report.charts.palette import SHAPES, WIDTH, Spec, bands, logarithmic, scale, stacks
from callbench.report.charts.rows import ChartRows
from callbench.stats.estimate.digits import figure

_TITLES = {"p50": "p50", "p99": "p99", "p999": "p99.9"}


def lines(percentiles: Mapping[str, float]) -> dict[str, float]:
    """Return where a row's mark lies and its lines end; a line to what too few calls know has no length."""
    p50 = percentiles["p50"]
    p99 = percentiles.get("p99", p50)
    known = {"p50": p50, "p99": p99, "p999": percentiles.get("p999", p99)}
    return {name: max(value, 1e-3) for name, value in known.items()}


def percentiles_text(name: str, percentiles: Mapping[str, float]) -> str:
    """Say whose percentiles they are, in microseconds: `native/json+http: p50 12 µs, p99 40 µs`."""
    parts = (f"{title} {figure(percentiles[key])} µs" for key, title in _TITLES.items() if key in percentiles)
    return f"{name}: {', '.join(parts)}"


def _percentiles(cell: Result) -> list[str]:
    """Write the percentiles of a cell as tables have them, with their intervals."""
    known = [(title, value_of(cell, f"{key}_us")) for key, title in _TITLES.items()]
    return [f"{title} {value_text(it.middle, interval_ends(it), 'µs')}" for title, it in known if it is not None]


def latency(cells: Sequence[Result], places: ChartRows, messages: Sequence[str]) -> Spec | None:
    """Describe the chart of one group; calls timed in batches have no place in it.

    Args:
        cells: the group's cells.
        places: its rows.
        messages: all that the run has, for colours and shapes.
    """
    values: list[Spec] = [
        {
            "row": places.row(cell),
            "message": cell.attributes["message"],
            **lines(cell.latency.percentiles),
            SAID: f"{cell.attributes['stack']}: {', '.join(_percentiles(cell))}",
        }
        for cell in cells
        if cell.latency.percentiles and "p50" in cell.latency.percentiles
    ]
    if not values:
        return None
    extent = [value[key] for value in values for key in ("p50", "p999")]
    present = [name for name in messages if any(value["message"] == name for value in values)]
    x = logarithmic("p50", "microseconds, logarithmic: median (mark), 99th percentile (thick), 99.9th (thin)", extent)
    shape = {"field": "message", "type": "nominal", "scale": scale(present, messages, SHAPES)}
    return {
        "width": WIDTH,
        "height": bands(len(present), places),
        "data": {"values": values},
        "encoding": stacks(places, present, messages),
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1},
                "encoding": {"x": {**x, "field": "p99"}, "x2": {"field": "p999"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
                "encoding": {"x": x, "x2": {"field": "p99"}},
            },
            answering(
                {
                    "mark": {"type": "point", "filled": True, "size": 38, "opacity": 1},
                    "encoding": {"x": x, "shape": shape},
                }
            ),
        ],
    }
