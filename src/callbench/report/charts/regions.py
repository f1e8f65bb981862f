"""Who wins where: a map over two logarithmic axes. Pale where others are as good, grey where it is undecided."""

import math

from callbench.analysis.advice.regions import Axis, Regions
from callbench.report.charts.marks import SAID, answering, value_text
from callbench.report.charts.palette import INK, PAPER, RULE, SERIES, WIDTH, Spec, decades

UNDECIDED = "undecided"
_TIED = 0.45
# The third is a grey, which means undecided here.
_COLOURS = (*SERIES[:2], *SERIES[3:])


def regions(map_: Regions) -> Spec | None:
    """Describe the map; None where it is undecided everywhere."""
    present = [name for place, name in enumerate(map_.names) if any(place in row for row in map_.winners)]
    if not present:
        return None
    half_x, half_y = (math.sqrt(axis.places[1] / axis.places[0]) for axis in (map_.x, map_.y))
    values = [
        {
            "x": at / half_x,
            "x2": at * half_x,
            "y": level / half_y,
            "y2": level * half_y,
            "winner": map_.names[winner] if winner >= 0 else UNDECIDED,
            "tied": tied,
            SAID: f"{value_text(at)} {map_.x.unit}, {value_text(level)} {map_.y.unit}: "
            + (map_.names[winner] if winner >= 0 else UNDECIDED)
            + (", others are as good" if tied else ""),
        }
        for level, row, tied_row in zip(map_.y.places, map_.winners, map_.tied, strict=True)
        for at, winner, tied in zip(map_.x.places, row, tied_row, strict=True)
    ]
    colours = [_COLOURS[place % len(_COLOURS)] for place in range(len(present))]
    colour = {
        "field": "winner",
        "type": "nominal",
        "scale": {"domain": [*present, UNDECIDED], "range": [*colours, RULE]},
        "legend": {"columns": 2, "labelLimit": 300},
    }
    encoding = {"x": _axis(map_.x, "x"), "x2": {"field": "x2"}, "y": _axis(map_.y, "y"), "y2": {"field": "y2"}}
    layers: list[Spec] = [
        answering(
            {
                "data": {"values": values},
                "mark": {"type": "rect"},
                "encoding": {**encoding, "color": colour, "opacity": _opacity()},
            }
        ),
    ]
    if map_.x.here is not None and map_.y.here is not None and _within(map_.x) and _within(map_.y):
        here = [{"x": map_.x.here, "y": map_.y.here}]
        mark = {"type": "point", "shape": "circle", "size": 120, "filled": True, "color": PAPER, "stroke": INK}
        place = {"x": _axis(map_.x, "x"), "y": _axis(map_.y, "y")}
        layers.append({"data": {"values": here}, "mark": {**mark, "strokeWidth": 2, "opacity": 1}, "encoding": place})
    return {"width": WIDTH - 80, "height": 340, "layer": layers}


def _opacity() -> Spec:
    return {"condition": {"test": "datum.tied", "value": _TIED}, "value": 1}


def _within(axis: Axis) -> bool:
    return axis.here is not None and axis.places[0] <= axis.here <= axis.places[-1]


def _axis(axis: Axis, field: str) -> Spec:
    half = math.sqrt(axis.places[1] / axis.places[0])
    ends = [axis.places[0] / half, axis.places[-1] * half]
    title = f"{axis.name}, {axis.unit}"
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "domain": ends},
        "axis": {"title": title, "values": decades(ends), "format": "~s", "grid": False, "tickSize": 4},
    }
