"""What lies along a parameter of a study: the figures of its charts, and what they come to in words."""

from collections.abc import Mapping

from callbench.report.units import UNITS
from callbench.results import Result, Results
from callbench.stats.contrast import block_ratios
from callbench.stats.digits import figure
from callbench.stats.interval import Interval, geometric_mean
from callbench.study.shown import ChartPart

Figures = Mapping[str, Mapping[float, Interval]]


def figures(part: ChartPart, results: Results) -> Figures:
    """Look up what a chart shows: by series and place on its axis.

    A place whose conditions fit no cell, or more than one, has no figure.
    """
    shown: dict[str, dict[float, Interval]] = {}
    for series in part.series:
        line = shown.setdefault(series.label, {})
        for point in part.points:
            place = {"group": point.group, **({"link": part.link} if part.link else {})}
            cell = _cell(results, {**place, **series.where.conditions()})
            below = None if part.over is None else _cell(results, {**place, **part.over.conditions()})
            if cell is None or (part.over is not None and below is None):
                continue
            under = [] if below is None else [below.by_block.get(part.statistic, {})]
            values = block_ratios([cell.by_block.get(part.statistic, {})], under)
            if values:
                line[point.at] = geometric_mean(values)
    return shown


def _cell(results: Results, conditions: Mapping[str, str]) -> Result | None:
    """Find the one cell that is meant."""
    found = results.where(conditions)
    return found[0] if len(found) == 1 else None


def in_words(part: ChartPart, found: Figures) -> str:
    """Say from what to what a chart's lines reach at its first and its last place; nothing where it has no figure."""
    places = sorted({at for line in found.values() for at in line})
    ends = [places[0], places[-1]] if len(places) > 1 else places
    unit = "" if part.over is not None else f" {UNITS[part.statistic].name}"
    told = [f"at {at:,g}: {_span({name: line[at] for name, line in found.items() if at in line}, unit)}" for at in ends]
    return f"by {part.x}, {'; '.join(told)}." if told else ""


def _span(here: Mapping[str, Interval], unit: str) -> str:
    """Write the least and the greatest of the lines at one place."""
    ranked = sorted(here, key=lambda name: here[name].middle)
    least, most = (
        f"{figure(here[name].middle, here[name].half_width)}{unit} ({name})" for name in (ranked[0], ranked[-1])
    )
    return least if len(ranked) == 1 else f"from {least} to {most}"
