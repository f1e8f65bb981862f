"""What a call costs in three ways at once: bytes, processor time and p99, with those that no other beats in all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import SAID, answering, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, WIDTH, Spec, decades, logarithmic
from callbench.stats.decide.frontier import Standing

_COLOURS = {Standing.FRONTIER: SERIES[0], Standing.REACHES: SERIES[1], Standing.WORSE: FAINT}
_SHAPES = {Standing.FRONTIER: "circle", Standing.REACHES: "diamond", Standing.WORSE: "cross"}
_HIGH = 340
# More names lie on top of each other; the table below the chart has them all.
_MOST_NAMES = 8
# A name takes so much of the width, and so much of the height.
_NAME_WIDTH, _NAME_HEIGHT = 0.3, 0.045


@dataclass(frozen=True)
class CostMark:
    """A stack in the chart.

    Attributes:
        size: bytes of a call.
        cpu_us: processor time of a call, with the ends of its interval.
        p99_us: which the area of the mark shows.
    """

    name: str
    size: float
    cpu_us: float
    cpu_low: float
    cpu_high: float
    p99_us: float
    standing: Standing


def trade_offs(marks: Sequence[CostMark], bytes_title: str) -> Spec:
    """Describe the chart.

    Args:
        marks: two or more.
        bytes_title: which bytes they are.
    """
    rows = [
        {
            "name": mark.name,
            "bytes": mark.size,
            "cpu": mark.cpu_us,
            "low": mark.cpu_low,
            "high": mark.cpu_high,
            "p99": mark.p99_us,
            "standing": mark.standing.value,
            SAID: _said(mark),
        }
        # The last lie on top.
        for mark in sorted(marks, key=lambda mark: mark.standing is not Standing.WORSE)
    ]
    present = [standing for standing in Standing if any(mark.standing is standing for mark in marks)]
    names = [standing.value for standing in present]
    extent = [time for mark in marks for time in (mark.cpu_low, mark.cpu_us, mark.cpu_high)]
    x = logarithmic("bytes", f"{bytes_title}, logarithmic", [mark.size for mark in marks])
    y: Spec = {
        "field": "cpu",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
        "axis": {"title": "processor time, µs, logarithmic", "values": decades(extent), "format": "~s", "grid": True},
    }
    times = [mark.p99_us for mark in marks]
    size = {
        "field": "p99",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [min(times), max(times) * 1.001], "range": [40, 420]},
        "legend": None,
    }
    colour = {
        "field": "standing",
        "type": "nominal",
        "scale": {"domain": names, "range": [_COLOURS[standing] for standing in present]},
    }
    shape = {**colour, "scale": {"domain": names, "range": [_SHAPES[standing] for standing in present]}}
    opacity = {"condition": {"test": f"datum.standing === '{Standing.WORSE.value}'", "value": 0.35}, "value": 0.9}
    named = [{"name": mark.name, "bytes": mark.size, "cpu": mark.cpu_us} for mark in _named(marks)]
    return {
        "width": WIDTH - 80,
        "height": _HIGH,
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.5},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
            },
            answering(
                {
                    "mark": {"type": "point", "filled": True},
                    "encoding": {"x": x, "y": y, "size": size, "color": colour, "shape": shape, "opacity": opacity},
                }
            ),
            {
                "data": {"values": named},
                "mark": {"type": "text", "align": "left", "dx": 12, "fontSize": 10.5, "color": INK},
                "encoding": {"x": x, "y": y, "text": {"field": "name", "type": "nominal"}},
            },
        ],
    }


def _said(mark: CostMark) -> str:
    cpu = value_text(mark.cpu_us, (mark.cpu_low, mark.cpu_high), "µs of processor time")
    costs = f"{mark.size:,.0f} bytes, {cpu}, p99 {value_text(mark.p99_us)} µs"
    return f"{mark.name}: {costs}, {mark.standing.value}"


def _named(marks: Sequence[CostMark]) -> list[CostMark]:
    """Choose whose names are written beside their marks: of the frontier, those that lie on no other name."""
    wide, high = (
        math.log(max(values) / min(values)) or 1.0
        for values in ([mark.size for mark in marks], [mark.cpu_us for mark in marks])
    )
    chosen: list[CostMark] = []
    for mark in (mark for mark in marks if mark.standing is Standing.FRONTIER):
        if all(
            abs(math.log(mark.size / other.size)) > _NAME_WIDTH * wide
            or abs(math.log(mark.cpu_us / other.cpu_us)) > _NAME_HEIGHT * high
            for other in chosen
        ):
            chosen.append(mark)
    return chosen[:_MOST_NAMES]
