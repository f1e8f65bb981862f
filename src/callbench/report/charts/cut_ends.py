"""Ends of intervals that an axis does not reach: one that says nothing would press all that is known into a line."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.palette import Spec
from callbench.stats.estimate.digits import tells
from callbench.stats.estimate.interval import Interval

# An axis goes beyond the values that are known by this factor at most, each way.
_BEYOND = 10.0


@dataclass(frozen=True)
class CutInterval:
    """What a chart draws of an interval: its middle and its ends, and at which of them it goes on."""

    middle: float
    low: float
    high: float
    below: bool
    above: bool


def cut_ends(intervals: Sequence[Interval], beside: Sequence[float] = ()) -> list[CutInterval]:
    """Cut the ends of intervals where they leave what is worth an axis.

    Args:
        intervals: of positive values.
        beside: other values on the axis.
    """
    known = [each.middle for each in intervals if each.half_width is None or tells(each.half_width)]
    values = [*known, *beside] or [each.middle for each in intervals]
    least, most = min(values, default=1.0) / _BEYOND, max(values, default=1.0) * _BEYOND
    made = []
    for each in intervals:
        low, high = (each.middle if end is None else end for end in (each.low, each.high))
        middle, *ends = (min(max(value, least), most) for value in (each.middle, low, high))
        made.append(CutInterval(middle, ends[0], ends[1], low < least, high > most))
    return made


def cut_text(intervals: Sequence[Interval], beside: Sequence[float] = ()) -> str:
    """Say what an arrow is, with a space before it; "" if no end is cut."""
    cut = any(each.below or each.above for each in cut_ends(intervals, beside))
    return " An arrow: the interval goes on." if cut else ""


def arrows(cut: Sequence[CutInterval], y: Spec, x: Spec, colour: Spec) -> list[Spec]:
    """Draw an arrow at each end that was cut; rows of data have `below` and `above`. Else nothing."""
    layers: list[Spec] = []
    for end, side, shape in (("low", "below", "triangle-left"), ("high", "above", "triangle-right")):
        if any(getattr(each, side) for each in cut):
            mark = {"type": "point", "filled": True, "size": 70, "opacity": 0.6, "shape": shape}
            encoding = {"y": y, "x": {**x, "field": end}, "color": colour}
            layers.append({"transform": [{"filter": f"datum.{side}"}], "mark": mark, "encoding": encoding})
    return layers
