"""What lies along a parameter of a study: the values of its charts, and what they come to in words."""

from collections.abc import Mapping

from callbench.analysis.cells.results import Result, Results
from callbench.analysis.judge.lower_bounds import is_below
from callbench.analysis.wording.words import some, ties
from callbench.catalog.study.report_parts import ChartPart
from callbench.model.metrics.registry import METRICS, OF_TIME
from callbench.stats.decide.ranking import standings
from callbench.stats.estimate.contrast import ByBlock, ratios_by_fork
from callbench.stats.estimate.digits import figure, given
from callbench.stats.estimate.interval import Interval, geometric_mean

Figures = Mapping[str, Mapping[float, Interval]]
Values = Mapping[str, Mapping[float, ByBlock]]


def figures(part: ChartPart, results: Results) -> Figures:
    """Look up what a chart shows: by series and place on its axis.

    A place whose conditions fit no cell, or more than one, has no value.
    """
    found = _values(part, results, doubted=True)
    return {
        label: {at: geometric_mean(list(values.values())) for at, values in line.items()}
        for label, line in found.items()
    }


def _values(part: ChartPart, results: Results, *, doubted: bool) -> Values:
    """Look up the values by fork. Without `doubted`, those that may not be ranked are left out."""
    shown: dict[str, dict[float, ByBlock]] = {}
    for series in part.series:
        line = shown.setdefault(series.label, {})
        for point in part.points:
            conditions = {"group": point.group, **({"link": part.link} if part.link else {})}
            cell = _cell(results, {**conditions, **series.where.conditions()})
            below = None if part.over is None else _cell(results, {**conditions, **part.over.conditions()})
            if cell is None or (part.over is not None and below is None):
                continue
            if not doubted and part.statistic in OF_TIME and (cell.doubts or (below is not None and below.doubts)):
                continue
            under = [] if below is None else [below.by_fork.get(part.statistic, {})]
            values = ratios_by_fork([cell.by_fork.get(part.statistic, {})], under)
            if values:
                line[point.at] = values
    return shown


def _cell(results: Results, conditions: Mapping[str, str]) -> Result | None:
    """Find the one cell that is meant."""
    cells = results.where(conditions)
    return cells[0] if len(cells) == 1 else None


def in_words(part: ChartPart, results: Results) -> str:
    """Describe from what to what a chart's lines reach at its first and its last place, and which cannot be told apart.

    Nothing if it has no value that may be compared.
    """
    found = _values(part, results, doubted=False)
    places = sorted({at for line in found.values() for at in line})
    ends = [places[0], places[-1]] if len(places) > 1 else places
    unit = "" if part.over is not None else f" {METRICS[part.statistic].unit}"
    texts = []
    for at in ends:
        here = {name: line[at] for name, line in found.items() if at in line}
        unclear = _unclear(here, _bounds(part, results, at))
        texts.append(f"at {given(at)}: {unclear or _span(here, unit)}")
    more = "; the chart has the values between" if len(places) > 2 else ""
    return f"by {part.x}, {'; '.join(texts)}{more}." if texts else ""


def _bounds(part: ChartPart, results: Results, at: float) -> dict[str, ByBlock]:
    """Look up the values at a place that are only bounds, because Callbench itself was the limit of a rate."""
    every = _values(part, results, doubted=True)
    found: dict[str, ByBlock] = {}
    for series in part.series:
        sides = [series.where, *([part.over] if part.over is not None else [])]
        points = [point for point in part.points if point.at == at]
        places = [{"group": point.group, **({"link": part.link} if part.link else {})} for point in points]
        cells = (_cell(results, {**conditions, **where.conditions()}) for conditions in places for where in sides)
        if part.statistic in OF_TIME and at in every[series.label] and any(cell and cell.at_least for cell in cells):
            found[series.label] = every[series.label][at]
    return found


def _unclear(here: Mapping[str, ByBlock], bounds: Mapping[str, ByBlock]) -> str:
    """Say which lines keep the ends of the others from being the least and the greatest; nothing if none does."""
    ends = [geometric_mean(list(values.values())) for values in here.values()]
    least, most = (pick(ends, key=lambda end: end.middle) for pick in (min, max))
    reaching = [
        name
        for name, values in bounds.items()
        if not (is_below(least, average := geometric_mean(list(values.values()))) and is_below(average, most))
    ]
    if not reaching:
        return ""
    return f"the order is not known, since Callbench itself was the limit of {some(reaching)}"


def _span(here: Mapping[str, ByBlock], unit: str) -> str:
    """Write the least and the greatest of the lines at one place, each with those that share its place."""
    names, means = list(here), {name: geometric_mean(list(values.values())) for name, values in here.items()}
    texts = {name: f"{figure(mean.middle, mean.half_width)}{unit}" for name, mean in means.items()}
    ranked = sorted(names, key=lambda name: means[name].middle)
    if len(ranked) == 1:
        return f"{texts[ranked[0]]} ({ranked[0]})"
    ranks = standings([here[name] for name in names])
    if not any(standing.behind for standing in ranks):
        both = f"from {texts[ranked[0]]} ({ranked[0]}) to {texts[ranked[-1]]} ({ranked[-1]})"
        return f"{both}, no two distinguished"
    led = {names[standing.index] for standing in ranks if standing.behind}
    ahead = {names[other] for standing in ranks for other in standing.behind}
    least = [name for name in ranked if name not in ahead]
    most = [name for name in reversed(ranked) if name not in led]
    ends = [f"{texts[group[0]]} ({group[0]}{ties(group[1:])})" for group in (least, most)]
    return f"from {ends[0]} to {ends[1]}"
