"""Latency from sending beside latency from the intended start: what an open loop sees and a closed one does not."""

from collections.abc import Mapping, Sequence

from callbench.report.charts.latency import lines, percentiles_text
from callbench.report.charts.marks import SAID, answering
from callbench.report.charts.palette import SERIES, WIDTH, Spec, logarithmic

KINDS = ("raw", "corrected")


def open_loop(rows: Sequence[tuple[str, str, Mapping[str, float]]]) -> Spec | None:
    """Describe the chart of one group.

    Args:
        rows: a label, `raw` or `corrected`, and percentiles in microseconds; rows from the top.
    """
    if not rows:
        return None
    values: list[Spec] = [
        {"cell": label, "kind": kind, **lines(shares), SAID: percentiles_text(f"{label}, {kind}", shares)}
        for label, kind, shares in rows
    ]
    extent = [value[key] for value in values for key in ("p50", "p999")]
    x = logarithmic("p50", "microseconds, logarithmic: median (mark), 99th percentile (thick), 99.9th (thin)", extent)
    sort = list(dict.fromkeys(label for label, _, _ in rows))
    return {
        "width": WIDTH,
        "height": {"step": 12, "for": "offset"},
        "data": {"values": values},
        "encoding": {
            "y": {
                "field": "cell",
                "type": "nominal",
                "sort": sort,
                "axis": {"title": None, "grid": True, "tickBand": "extent", "labelLimit": 320},
            },
            "yOffset": {"field": "kind", "type": "nominal", "sort": list(KINDS)},
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": list(KINDS), "range": [SERIES[1], SERIES[0]]},
            },
        },
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1},
                "encoding": {"x": {**x, "field": "p99"}, "x2": {"field": "p999"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.55},
                "encoding": {"x": x, "x2": {"field": "p99"}},
            },
            answering({"mark": {"type": "point", "filled": True, "size": 42, "opacity": 1}, "encoding": {"x": x}}),
        ],
    }
