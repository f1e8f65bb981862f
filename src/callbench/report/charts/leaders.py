"""The stacks of one ranking, the highest rate first, with intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import SAID, answering, interval_ends, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, WIDTH, Spec, logarithmic
from callbench.stats.estimate.interval import Interval

_HIGH = 24


@dataclass(frozen=True)
class Leader:
    """One stack.

    Attributes:
        rate: in calls/s.
        text: the rate as it stands beside its mark.
        standing: `first`, `tie`, `at least`, or "" for the others.
    """

    name: str
    rate: Interval
    text: str
    standing: str = ""


def _said(stack: Leader) -> str:
    """Say what a mark is: `≥ 12,300 calls/s, 11,900 to 12,700`."""
    rate = value_text(stack.rate.middle, interval_ends(stack.rate), "calls/s")
    return f"{stack.name}: {'≥ ' if stack.standing == 'at least' else ''}{rate}"


def leaders(stacks: Sequence[Leader]) -> Spec:
    """Describe the chart.

    Args:
        stacks: one or more, from above to below.
    """
    values = [
        {
            "name": stack.name,
            "rate": stack.rate.middle,
            "low": stack.rate.middle if stack.rate.low is None else stack.rate.low,
            "high": stack.rate.middle if stack.rate.high is None else stack.rate.high,
            "text": stack.text,
            "standing": stack.standing or "behind",
            SAID: _said(stack),
        }
        for stack in stacks
    ]
    names = [stack.name for stack in stacks]
    x = logarithmic(
        "rate", "calls/s, logarithmic", [float(str(value[end])) for value in values for end in ("low", "high")]
    )
    room = {"title": None, "labelLimit": 400, "minExtent": 7 * max(map(len, names))}
    standing = ["first", "tie", "at least", "behind"]
    colour = {"domain": standing, "range": [SERIES[0], SERIES[0], SERIES[1], FAINT]}
    shape = {"domain": standing, "range": ["circle", "circle", "triangle-right", "circle"]}
    marks = {
        "color": {"field": "standing", "type": "nominal", "scale": colour, "legend": None},
        "shape": {"field": "standing", "type": "nominal", "scale": shape, "legend": None},
    }
    return {
        "width": WIDTH,
        "height": {"step": _HIGH},
        "data": {"values": values},
        "encoding": {"y": {"field": "name", "type": "nominal", "sort": names, "axis": room}},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": marks["color"]},
            },
            answering(
                {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": {"x": x, **marks}}
            ),
            {
                "mark": {"type": "text", "align": "center", "dy": -9, "fontSize": 10.5, "color": INK},
                "encoding": {"x": x, "text": {"field": "text", "type": "nominal"}},
            },
        ],
    }
