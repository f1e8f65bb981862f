"""How counts grow with a size: a line a stack."""

from collections.abc import Mapping, Sequence

from callbench.report.charts.marks import answering_line
from callbench.report.charts.palette import SERIES, WIDTH, Spec


def growth(series: Mapping[str, Sequence[tuple[float, float]]], x_title: str, y_title: str) -> Spec:
    """Describe a chart of lines.

    Args:
        series: points by name, at most as many names as there are colours are told apart by colour alone.
        x_title: of the horizontal axis.
        y_title: of the vertical one.
    """
    values = [{"name": name, "x": x, "y": y} for name, points in series.items() for x, y in points]
    names = list(series)
    return {
        "width": WIDTH,
        "height": 320,
        "data": {"values": values},
        "layer": answering_line({"mark": {"type": "line", "strokeWidth": 1.6, "interpolate": "linear"}}, values),
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "axis": {"title": x_title, "format": "~s", "grid": False}},
            "y": {
                "field": "y",
                "type": "quantitative",
                "axis": {"title": y_title, "format": "~s", "grid": True, "tickCount": 6},
            },
            "color": {
                "field": "name",
                "type": "nominal",
                "scale": {"domain": names, "range": [SERIES[place % len(SERIES)] for place in range(len(names))]},
            },
            "strokeDash": {
                "field": "name",
                "type": "nominal",
                "legend": None,
                "scale": {
                    "domain": names,
                    "range": [_DASHES[place // len(SERIES) % len(_DASHES)] for place in range(len(names))],
                },
            },
        },
    }


_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
