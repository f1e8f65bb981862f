"""The one chart of a run's first screen: message × channel as a heat map where they are crossed, else a ranking."""

import math
from collections.abc import Mapping, Sequence

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.run.rankings import Ranking
from callbench.analysis.run.subject import Subject
from callbench.report.charts.draw import chart
from callbench.report.charts.heat_map import CallPanel, HeatCell, Layout, heat_map
from callbench.report.charts.leaders import Leader, leaders
from callbench.report.text.answer import crossed, leading
from callbench.report.text.choice import RankingChoice
from callbench.report.text.section import Chart
from callbench.stats.estimate.digits import figure

MOST_LEADERS = 12
_FIRST, _TIE, _AT_LEAST = "first", "tie", "at least"
_ID = "first"


def first_chart(subject: Subject, choices: Sequence[RankingChoice]) -> Chart | None:
    """Draw it; None if the run compares no stacks."""
    first = leading(choices)
    tables = [one.ranking for one in first]
    if not tables:
        return None
    standing = _standings(tables, choices)
    if crossed(tables[0].cells):
        return _matrix(subject, tables, standing)
    return _ranking(subject, first[0], standing)


def _standings(tables: Sequence[Ranking], choices: Sequence[RankingChoice]) -> dict[str, str]:
    """Return who has the highest rate of its kind, and who may be the fastest as well, by the cell's id."""
    found: dict[str, str] = {}
    for one in choices:
        if one.ranking not in tables:
            continue
        found |= {each.id: _AT_LEAST for each in (*one.reaching, *one.below)}
        found |= {each.id: _TIE for each in one.ties}
        if one.best is not None:
            found[one.best.id] = _FIRST
    return found


def _matrix(subject: Subject, tables: Sequence[Ranking], standing: Mapping[str, str]) -> Chart | None:
    """Draw the heat map."""
    published = _published(subject)
    panels = [
        CallPanel(subject.title_of(table.group), [_cell(one, standing, published) for one in table.cells])
        for table in tables
    ]
    cells = [one for panel in panels for one in panel.cells]
    messages = list(dict.fromkeys(one.attributes["message"] for one in subject.results.cells))
    messages = [name for name in messages if any(one.message == name for one in cells)]
    channels = sorted({one.channel for one in cells}, key=lambda name: -_mean(cells, name))
    about = (
        "Calls per second with "
        + tables[0].where
        + ": the stronger the colour, the more. Thick frame: the highest rate"
    )
    kinds = max(sum(standing.get(one.id) == _FIRST for one in table.cells) for table in tables)
    about += ", between processes and in one." if kinds > 1 else "."
    about += " The fastest is one of those in a frame (95 %)."
    if any(one.published for one in cells):
        study = subject.study.published
        about += f" Below, in italics: published{f', {study.title}' if study else ''}."
    wide, small = (heat_map(panels, Layout(messages, channels, phone)) for phone in (False, True))
    return chart(_ID, "Message and channel", about, wide, TRIALS_SQL, small)


def _cell(one: Result, standing: Mapping[str, str], published: Mapping[str, str]) -> HeatCell:
    rate, half_width = (one.rate.middle, one.rate.half_width) if one.rate else (0.0, None)
    held = standing.get(one.id, "")
    bound = "≥" if held == _AT_LEAST else ""
    message, channel = one.attributes["message"], one.attributes["channel"]
    return HeatCell(message, channel, rate, bound + _short(rate, half_width), held, published.get(one.id, ""))


def _short(rate: float, half_width: float | None) -> str:
    """Write a rate in few characters, with no more digits than its interval supports: `9.8M`, `105k`, `2,400`."""
    value = float(figure(rate, half_width).replace(",", ""))
    for unit, size in (("M", 1e6), ("k", 1e4)):
        if value >= size:
            scaled = value / (1e6 if unit == "M" else 1e3)
            return f"{scaled:.3g}{unit}"
    return figure(rate, half_width)


def _mean(cells: Sequence[HeatCell], channel: str) -> float:
    """Return the mean of the logarithms of a channel's rates."""
    logs = [math.log(one.rate) for one in cells if one.channel == channel]
    return math.fsum(logs) / len(logs)


def _published(subject: Subject) -> dict[str, str]:
    """Return the published rate of each cell that has one, as it was printed."""
    tables = [table for table in subject.tables if table.statistic == "rate_per_s" and table.beside]
    places = (one for table in tables for row in table.rows for one in row.places)
    return {one.cell: one.published for one in places if one.cell and one.published}


def _ranking(subject: Subject, choice: RankingChoice, standing: Mapping[str, str]) -> Chart | None:
    """Draw the stacks of a ranking with the highest rates."""
    cells = sorted((one for one in choice.ranking.cells if one.rate), key=lambda one: -_rate(one))
    stacks = [
        Leader(
            choice.name(one),
            one.rate,
            ("≥ " if standing.get(one.id) == _AT_LEAST else "") + figure(one.rate.middle, one.rate.half_width),
            standing.get(one.id, ""),
        )
        for one in cells[:MOST_LEADERS]
        if one.rate
    ]
    about = f"Calls per second with {choice.ranking.where}, with 95 % intervals. In colour: the highest rate, and those"
    about += " that are not distinguished from it. A triangle: at least that."
    about += f" {len(cells) - len(stacks)} slower stacks are in the ranking." if len(cells) > len(stacks) else ""
    return chart(_ID, subject.title_of(choice.ranking.group), about, leaders(stacks), TRIALS_SQL)


def _rate(one: Result) -> float:
    return one.rate.middle if one.rate else 0.0
