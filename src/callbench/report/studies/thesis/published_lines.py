"""Lines of this run beside published ones: a colour a thing, whole if it was measured and broken where published."""

from collections.abc import Mapping, Sequence

from callbench.report.charts.marks import answering
from callbench.report.charts.palette import SERIES, WIDTH, Spec, decades

Lines = Mapping[str, Sequence[tuple[float, float]]]
HERE, THERE = "this run", "published"
# From that many times its least value an axis of positive values is logarithmic.
_WIDE = 20.0


def published_lines(
    here: Lines, there: Lines, x: Mapping[str, object], y_title: str, *, straight: bool = False
) -> Spec | None:
    """Describe the chart.

    Args:
        here: points by name.
        there: published points by the same names, or by names of their own.
        x: how Vega-Lite is to draw the horizontal axis of the field `x`: quantitative, or nominal for types.
        y_title: of the vertical one.
        straight: whether lines are straight in the values themselves: the vertical axis is then never logarithmic.
    """
    values = [
        {"name": name, "kind": kind, "x": at, "y": value}
        for kind, lines in ((HERE, here), (THERE, there))
        for name, points in lines.items()
        for at, value in points
    ]
    return _spec(values, list(dict.fromkeys([*here, *there])), x, y_title, straight=straight)


def marks(
    here: Mapping[str, Mapping[str, float]], there: Mapping[str, Mapping[str, float]], y_title: str
) -> Spec | None:
    """Describe a chart over names in the place of numbers: values by name of the line, and by name on the axis."""
    values = [
        {"name": name, "kind": kind, "x": at, "y": value}
        for kind, lines in ((HERE, here), (THERE, there))
        for name, points in lines.items()
        for at, value in points.items()
    ]
    return _spec(
        values,
        list(dict.fromkeys([*here, *there])),
        {"type": "nominal", "sort": None, "axis": {"title": None, "labelAngle": 0}},
        y_title,
    )


def _spec(
    values: Sequence[Mapping[str, object]],
    names: Sequence[str],
    x: Mapping[str, object],
    y_title: str,
    *,
    straight: bool = False,
) -> Spec | None:
    """Describe lines with marks."""
    extent = [float(str(value["y"])) for value in values]
    if not extent:
        return None
    low, high = min(extent), max(extent)
    y: Spec = {"field": "y", "type": "quantitative", "axis": {"title": y_title, "format": "~s", "grid": True}}
    if not straight and low > 0 and high > _WIDE * low:
        y["scale"] = {"type": "log", "nice": False, "domain": [low / 1.15, high * 1.15]}
        y["axis"] = {**y["axis"], "title": f"{y_title}, logarithmic", "values": decades(extent)}
    kinds = {"domain": [HERE, THERE]}
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colour = {"field": "name", "type": "nominal", "scale": {"domain": list(names), "range": colours}}
    dash = {"field": "kind", "type": "nominal", "scale": {**kinds, "range": [[1, 0], [4, 3]]}, "legend": None}
    filled = {"field": "kind", "type": "nominal", "scale": {**kinds, "range": ["circle", "diamond"]}}
    return {
        "width": WIDTH - 60,
        "height": 320,
        "data": {"values": list(values)},
        "encoding": {
            "x": {"field": "x", **x},
            "y": y,
            "color": {**colour, "legend": {"columns": 3, "labelLimit": 260}},
        },
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"strokeDash": dash}},
            answering(
                {"mark": {"type": "point", "filled": True, "size": 40, "opacity": 1}, "encoding": {"shape": filled}}
            ),
        ],
    }
