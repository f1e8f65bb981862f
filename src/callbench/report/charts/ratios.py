"""Ratios of two candidates with their intervals, beside the line where both are equal."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.cut_ends import arrows, cut_ends
from callbench.report.charts.marks import SAID, answering, interval_ends, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, WIDTH, Spec, logarithmic
from callbench.stats.estimate.digits import tells
from callbench.stats.estimate.interval import Interval

PASSED, FAILED = "passed", "not passed"
_HIGH = 26


@dataclass(frozen=True)
class RatioMark:
    """One ratio.

    Attributes:
        text: the ratio as it stands beside its mark.
        passed: whether it is as it should be.
    """

    name: str
    ratio: Interval
    text: str
    passed: bool


def ratios(marks: Sequence[RatioMark], title: str) -> Spec | None:
    """Describe the chart; None without ratios.

    Args:
        marks: from above to below.
        title: of the axis.
    """
    if not marks:
        return None
    cut = cut_ends([mark.ratio for mark in marks], [1.0])
    values = [
        {
            "name": mark.name,
            "ratio": drawn.middle,
            "low": drawn.low,
            "high": drawn.high,
            **({"below": drawn.below, "above": drawn.above} if drawn.below or drawn.above else {}),
            "text": mark.text,
            "passed": PASSED if mark.passed else FAILED,
            SAID: f"{mark.name}: {_said(mark)}",
        }
        for mark, drawn in zip(marks, cut, strict=True)
    ]
    names = [mark.name for mark in marks]
    x = logarithmic("ratio", title, [1.0, *(float(str(value[end])) for value in values for end in ("low", "high"))])
    x["axis"] |= {"format": ",~r"}
    present = [word for word in (PASSED, FAILED) if any(value["passed"] == word for value in values)]
    scale = {"domain": present, "range": [SERIES[word == FAILED] for word in present]}
    colour = {"field": "passed", "type": "nominal", "scale": scale, "legend": {"symbolOpacity": 1}}
    room = {"title": None, "labelLimit": 400, "minExtent": 7 * max(map(len, names))}
    y = {"field": "name", "type": "nominal", "sort": names, "axis": room}
    text = {"type": "text", "align": "center", "dy": -9, "fontSize": 10.5, "color": INK}
    return {
        "width": WIDTH,
        "height": {"step": _HIGH},
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "color": FAINT, "strokeDash": [3, 3]},
                "encoding": {"x": {"datum": 1, **_same(x)}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
            },
            answering(
                {"mark": {"type": "point", "filled": True, "size": 60}, "encoding": {"y": y, "x": x, "color": colour}}
            ),
            *arrows(cut, y, x, colour),
            {"mark": text, "encoding": {"y": y, "x": x, "text": {"field": "text", "type": "nominal"}}},
        ],
    }


def _said(mark: RatioMark) -> str:
    """Say what a mark is; an interval that says nothing is not named."""
    told = tells(mark.ratio.half_width) or mark.ratio.half_width is None
    return value_text(mark.ratio.middle, interval_ends(mark.ratio)) if told else mark.text


def _same(x: Spec) -> Spec:
    """The axis of another layer, without its field."""
    return {name: value for name, value in x.items() if name != "field"}
