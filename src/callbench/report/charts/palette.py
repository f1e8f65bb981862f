"""Colours and type of all charts.

A colour here is a stand-in that drawing replaces by a variable of the page's style.
"""

import math
from collections.abc import Sequence
from typing import Any

from callbench.report.charts.rows import ChartRows

Spec = dict[str, Any]

INK = "#c000ff"
FAINT = "#c000fe"
RULE = "#c000fd"
PAPER = "#c000fc"
SERIES = tuple(f"#c0000{number}" for number in range(1, 9))
STAND_INS = {INK: "currentColor", FAINT: "var(--faint)", RULE: "var(--rule)", PAPER: "var(--paper)"} | {
    stand_in: f"var(--series-{number})" for number, stand_in in enumerate(SERIES, 1)
}
# One more than colours, the last an hourglass: so the ninth name has the first colour in another shape.
SHAPES = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "M-0.9,-0.9H0.9L-0.9,0.9H0.9Z",
)
WIDTH = 800

CONFIG: Spec = {
    "background": None,
    "font": "system-ui, -apple-system, Segoe UI, Roboto, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": FAINT,
        "titleColor": FAINT,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "gridColor": RULE,
        "domainColor": RULE,
        "tickColor": RULE,
        "titlePadding": 8,
    },
    "axisY": {"labelColor": INK, "ticks": False, "domain": False, "labelPadding": 8, "grid": False},
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 400,
        "title": None,
        "symbolSize": 70,
        "columnPadding": 30,
        "offset": 6,
    },
}


def scale(present: Sequence[str], names: Sequence[str], marks: Sequence[str] = SERIES) -> Spec:
    """Return each name that is present its colour or shape: its place among all names decides, in every chart alike."""
    return {"domain": list(present), "range": [marks[names.index(name) % len(marks)] for name in present]}


def bands(series: int, places: ChartRows) -> Spec:
    """Choose the height of a row: so that its series have room, and its label."""
    return {"step": 7, "for": "offset"} if series > 2 and not places.apart else {"step": 20, "for": "position"}


def stacks(places: ChartRows, present: Sequence[str], messages: Sequence[str]) -> Spec:
    """Place a mark for each stack, in the colour of its message.

    Args:
        places: its rows.
        present: the messages that the chart has.
        messages: all that the run has, so that a message keeps its colour from chart to chart.
    """
    within = {} if places.apart else {"yOffset": {"field": "message", "type": "nominal", "sort": list(present)}}
    # Room for names in a wider font than the one that the chart was laid out with.
    room = {"minExtent": 7 * max(map(len, places.rows), default=0), "labelLimit": 400} if places.apart else {}
    return {
        "y": {
            "field": "row",
            "type": "nominal",
            "sort": list(places.rows),
            "axis": {"title": None, "grid": True, "tickBand": "extent", **room},
        },
        **within,
        "color": {"field": "message", "type": "nominal", "scale": scale(present, messages)},
    }


def decades(values: Sequence[float]) -> list[float]:
    """Choose marks for a logarithmic axis: powers of ten, with 2 and 5 between if there are few; else round steps."""
    if not values:
        return []
    low, high = min(values), max(values)
    powers = range(-9, 16)
    whole = [10.0**power for power in powers if low / 10 < 10.0**power < high * 10]
    if sum(low <= mark <= high for mark in whole) >= 3:
        return whole
    marks = [step * 10.0**power for power in powers for step in (1, 2, 5) if low / 2 < step * 10.0**power < high * 2]
    return marks if low == high or sum(low <= mark <= high for mark in marks) >= 2 else _round_steps(low, high)


def _round_steps(low: float, high: float) -> list[float]:
    """Choose marks from below one value to above the other, such as 48, 50, 52: one alone gives no measure."""
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(multiple * power for multiple in (1, 2, 5, 10) if multiple * power >= (high - low) / 6 * (1 - 1e-9))
    counts = range(math.floor(low / step), math.ceil(high / step) + 1)
    return [float(f"{count * step:.12g}") for count in counts if count > 0]


def logarithmic(field: str, title: str, values: Sequence[float]) -> Spec:
    """Describe a logarithmic x axis."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": [min(values) / 1.15, max(values) * 1.15]},
        "axis": {
            "title": title,
            "values": decades(values),
            "format": "~s",
            "tickSize": 4,
            "labelOverlap": "greedy",
            "labelSeparation": 6,
        },
    }
