"""Every trial of a search for a knee: its level, and whether it met the objective."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.report.charts.marks import SAID, answering, value_text
from callbench.report.charts.palette import FAINT, SERIES, WIDTH, Spec, decades, logarithmic


@dataclass(frozen=True)
class KneeStep:
    """One step: level, the value compared with the objective in microseconds, and whether it met it."""

    stack: str
    level: float
    value_us: float
    holds: bool


@dataclass(frozen=True)
class CrossedAt:
    """Where the objective is crossed: the level that still meets it, and the ends of its interval."""

    level: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class ObjectiveMark:
    """The objective: `p99 under 5 ms`, and where it lies in microseconds."""

    name: str
    us: float


def knee_chart(
    tried: Sequence[KneeStep], x_title: str, y_title: str, objective: ObjectiveMark, crossed: CrossedAt | None = None
) -> Spec | None:
    """Describe the chart of one objective, which is a line across it; values are drawn in milliseconds.

    Args:
        tried: every load.
        x_title: of the axis of loads.
        y_title: of the axis of times.
        objective: the line across.
        crossed: where the objective is crossed, as a line from above to below within its interval.
    """
    if not tried:
        return None
    names = list(dict.fromkeys(trial.stack for trial in tried))
    values = [
        {
            "stack": trial.stack,
            "x": trial.level,
            "y": _ms(trial.value_us),
            "met": "met" if trial.holds else "not met",
            SAID: f"{trial.stack}: {value_text(trial.level, unit=x_title.removesuffix(', logarithmic'))},"
            f" {value_text(_ms(trial.value_us))} ms; {objective.name} {'met' if trial.holds else 'not met'}",
        }
        for trial in tried
    ]
    extent = [_ms(objective.us), *(_ms(trial.value_us) for trial in tried)]
    levels = [trial.level for trial in tried] + ([crossed.low, crossed.high] if crossed else [])
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    axes = {
        "x": logarithmic("x", x_title, [level for level in levels if level > 0]),
        "y": {
            "field": "y",
            "type": "quantitative",
            "scale": {"type": "log", "nice": False, "domain": [min(extent) / 1.15, max(extent) * 1.15]},
            "axis": {"title": y_title, "values": decades(extent), "format": "~g", "grid": True},
        },
    }
    return {
        "width": WIDTH - 60,
        "height": 240,
        "layer": [
            *(_crossing(crossed, axes) if crossed and crossed.low > 0 else []),
            answering(_steps(values, names, colours, axes)),
            *_line(objective, max(trial.level for trial in tried), axes),
        ],
    }


def _ms(microseconds: float) -> float:
    """Return milliseconds, never so few that a logarithmic axis has no place for them."""
    return max(microseconds, 1e-3) / 1e3


def _crossing(crossed: CrossedAt, axes: Spec) -> list[Spec]:
    """Draw the level that still meets the objective, and its interval."""
    data = {"values": [{"x": crossed.level, "low": crossed.low, "high": crossed.high, "name": crossed.text}]}
    x = {name: value for name, value in axes["x"].items() if name != "field"}
    between = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    text = {"type": "text", "align": "left", "baseline": "top", "dx": 4, "dy": 4, "y": 0, "color": FAINT}
    name = {"x": axes["x"], "text": {"field": "name", "type": "nominal"}}
    return [
        {"data": data, "mark": {"type": "rect", "color": SERIES[0], "opacity": 0.15}, "encoding": between},
        {"data": data, "mark": {"type": "rule", "color": SERIES[0], "strokeWidth": 2}, "encoding": {"x": axes["x"]}},
        {"data": data, "mark": text, "encoding": name},
    ]


def _steps(values: list[Spec], names: Sequence[str], colours: Sequence[str], axes: Spec) -> Spec:
    """Describe the marks. What their shapes mean stands above the chart, so that one legend is enough."""
    alone = {"legend": None} if len(names) == 1 else {}
    shapes = {"domain": ["met", "not met"], "range": ["circle", "cross"]}
    return {
        "data": {"values": values},
        "mark": {"type": "point", "size": 44, "filled": True},
        "encoding": {
            **axes,
            "color": {
                "field": "stack",
                "type": "nominal",
                "scale": {"domain": list(names), "range": list(colours)},
                **alone,
            },
            "shape": {"field": "met", "type": "nominal", "scale": shapes, "legend": None},
        },
    }


def _line(objective: ObjectiveMark, most: float, axes: Spec) -> list[Spec]:
    """Draw the objective, with its name above it at the right."""
    data = {"values": [{"y": _ms(objective.us), "x": most, "name": objective.name}]}
    text = {"type": "text", "align": "right", "baseline": "bottom", "dy": -3, "color": FAINT}
    return [
        {"data": data, "mark": {"type": "rule", "strokeDash": [5, 4], "color": FAINT}, "encoding": {"y": axes["y"]}},
        {"data": data, "mark": text, "encoding": {**axes, "text": {"field": "name", "type": "nominal"}}},
    ]
