"""Values over the seconds of something long: a panel a value, one above the other over one axis of time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from callbench.report.charts.marks import SAID, answering_line, value_text
from callbench.report.charts.palette import FAINT, INK, SERIES, WIDTH, Spec

Points = Sequence[tuple[float, float]]
# More to a line cannot be seen, and makes the page heavy.
MOST_POINTS = 800
# `~g` writes 100 as `1e+2` beside few other marks.
DECIMAL = ",~r"


@dataclass(frozen=True)
class Panel:
    """One value.

    Attributes:
        title: of its axis.
        said: what a point is, with places for its `line` and its `value`: `{line} {value} ms`.
        lines: points of seconds and value, by name.
        limits: values that it was compared with, by what is said of them: a line across the panel each.
        value_format: how d3 writes its values; `DECIMAL` where they may lie below 1.
    """

    title: str
    said: str
    lines: Mapping[str, Points]
    value_format: str = "~s"
    limits: Mapping[str, float] = field(default_factory=dict)


def over_time(panels: Sequence[Panel], marks: Mapping[float, str] | None = None) -> Spec | None:
    """Describe the chart; None if there is nothing to draw.

    Args:
        panels: from above to below; those without points are left out.
        marks: what happened when, drawn across every panel.
    """
    drawable = [panel for panel in panels if any(panel.lines.values())]
    if not drawable:
        return None
    names = list(dict.fromkeys(name for panel in drawable for name in panel.lines))
    until = max(at for panel in drawable for points in panel.lines.values() for at, _ in points)
    return {
        "vconcat": [_panel(panel, names, until, marks or {}, last=panel is drawable[-1]) for panel in drawable],
        "resolve": {"scale": {"color": "shared"}},
    }


def thinned(points: Points) -> Points:
    """Take the medians of as many neighbours as it needs to leave at most MOST_POINTS."""
    if len(points) <= MOST_POINTS:
        return points
    size = -(-len(points) // MOST_POINTS)
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [(median(at for at, _ in part), median(value for _, value in part)) for part in parts]


def _alone(panel: Panel) -> bool:
    """Return whether a line is a single point, which has no length: it is drawn as a mark."""
    return any(len(points) == 1 for points in panel.lines.values())


def _panel(panel: Panel, names: Sequence[str], until: float, marks: Mapping[float, str], *, last: bool) -> Spec:
    values = [
        {"line": name, "at": at, "value": value, SAID: _said(panel, name, at, value)}
        for name, points in panel.lines.items()
        for at, value in thinned(points)
    ]
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"domain": [0, until], "nice": False},
        "axis": {"title": "seconds" if last else None, "labels": last, "tickCount": 10, "grid": False},
    }
    y = {"field": "value", "type": "quantitative", "scale": {"zero": True}}
    colour = {
        "field": "line",
        "type": "nominal",
        "scale": {"domain": list(names), "range": [SERIES[place % len(SERIES)] for place in range(len(names))]},
    }
    line = {
        "data": {"values": values},
        "mark": {"type": "line", "strokeWidth": 1.4, "interpolate": "linear", "point": _alone(panel)},
        "encoding": {
            "x": x,
            "y": {**y, "axis": {"title": panel.title, "tickCount": 4, "format": panel.value_format, "grid": True}},
            "color": colour,
        },
    }
    layers = answering_line(line, values)
    if marks:
        layers.append(
            {
                "data": {"values": [{"at": at, "what": what} for at, what in marks.items()]},
                "mark": {"type": "rule", "strokeDash": [3, 3], "color": FAINT},
                "encoding": {"x": x},
            }
        )
    return {"width": WIDTH, "height": 120, "layer": [*layers, *_limits(panel)]}


def _said(panel: Panel, name: str, at: float, value: float) -> str:
    """Say what a point is: `p99 12 ms after 8.5 s`."""
    seconds = f"{at:.3g}" if at < 100 else f"{at:,.0f}"
    return f"{panel.said.format(line=name, value=value_text(value))} after {seconds} s"


def _limits(panel: Panel) -> list[Spec]:
    """Draw what a value was compared with, and say above the line what it is."""
    if not panel.limits:
        return []
    data = {"values": [{"value": value, "what": what} for what, value in panel.limits.items()]}
    y = {"field": "value", "type": "quantitative"}
    text = {"type": "text", "align": "left", "baseline": "bottom", "dy": -2, "color": INK}
    return [
        {"data": data, "mark": {"type": "rule", "color": INK}, "encoding": {"y": y}},
        {"data": data, "mark": text, "encoding": {"y": y, "x": {"value": 4}, "text": {"field": "what"}}},
    ]
