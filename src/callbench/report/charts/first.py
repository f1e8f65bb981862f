"""The one chart of a run's first screen: message × channel as a heat map where they are crossed, else a ranking."""

import math
from collections.abc import Mapping, Sequence

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.run.rankings import Ranking
from callbench.analysis.run.subject import Subject
from callbench.report.charts.chart import chart
from callbench.report.charts.heat_map import CallPanel, HeatCell, Layout, heat_map
from callbench.report.charts.leaders import Leader, leaders
from callbench.report.charts.marks import interval_ends
from callbench.report.text.answer import crossed, leading
from callbench.report.text.choice import RankingChoice
from callbench.report.text.section import Chart
from callbench.stats.estimate.digits import figure, short_figure

MOST_LEADERS = 12
_FIRST, _TIE, _AT_LEAST = "first", "tie", "at least"
_ID = "first"


def first_chart(subject: Subject, choices: Sequence[RankingChoice]) -> Chart | None:
    """Draw it; None if the run compares no stacks."""
    first = leading(choices)
    tables = [choice.ranking for choice in first]
    if not tables:
        return None
    standing = _standings(tables, choices)
    if crossed(tables[0].cells):
        return _matrix(subject, tables, standing)
    return _ranking(subject, first[0], standing)


def _standings(tables: Sequence[Ranking], choices: Sequence[RankingChoice]) -> dict[str, str]:
    """Return who has the highest rate of its kind, and who may be the fastest as well, by the cell's id."""
    found: dict[str, str] = {}
    for choice in choices:
        if choice.ranking not in tables:
            continue
        found |= {each.id: _AT_LEAST for each in (*choice.reaching, *choice.below)}
        found |= {each.id: _TIE for each in choice.ties}
        if choice.best is not None:
            found[choice.best.id] = _FIRST
    return found


def _matrix(subject: Subject, tables: Sequence[Ranking], standing: Mapping[str, str]) -> Chart | None:
    """Draw the heat map."""
    published = _published(subject)
    panels = [
        CallPanel(subject.title_of(table.group), [_cell(cell, standing, published) for cell in table.cells])
        for table in tables
    ]
    cells = [cell for panel in panels for cell in panel.cells]
    messages = list(dict.fromkeys(cell.attributes["message"] for cell in subject.results.cells))
    messages = [name for name in messages if any(cell.message == name for cell in cells)]
    channels = sorted({cell.channel for cell in cells}, key=lambda name: -_mean(cells, name))
    about = (
        "Calls per second with "
        + tables[0].where
        + ": the stronger the colour, the more. Thick frame: the highest rate"
    )
    kinds = max(sum(standing.get(cell.id) == _FIRST for cell in table.cells) for table in tables)
    about += ", between processes and in one." if kinds > 1 else "."
    about += " The fastest is one of those in a frame (95 %)."
    if any(cell.published for cell in cells):
        study = subject.study.published
        about += f" Below, in italics: published{f', {study.title}' if study else ''}."
    wide, small = (heat_map(panels, Layout(messages, channels, phone)) for phone in (False, True))
    return chart(_ID, "Message and channel", about, wide, TRIALS_SQL, small)


def _cell(cell: Result, standing: Mapping[str, str], published: Mapping[str, str]) -> HeatCell:
    rate, half_width = (cell.rate.middle, cell.rate.half_width) if cell.rate else (0.0, None)
    held = standing.get(cell.id, "")
    bound = "≥" if held == _AT_LEAST else ""
    message, channel = cell.attributes["message"], cell.attributes["channel"]
    ends = interval_ends(cell.rate) if cell.rate else None
    text = bound + short_figure(rate, half_width)
    return HeatCell(message, channel, rate, text, held, published.get(cell.id, ""), ends=ends)


def _mean(cells: Sequence[HeatCell], channel: str) -> float:
    """Return the mean of the logarithms of a channel's rates."""
    logs = [math.log(cell.rate) for cell in cells if cell.channel == channel]
    return math.fsum(logs) / len(logs)


def _published(subject: Subject) -> dict[str, str]:
    """Return the published rate of each cell that has one, as it was printed."""
    tables = [table for table in subject.tables if table.statistic == "rate_per_s" and table.beside]
    places = (cell for table in tables for row in table.rows for cell in row.places)
    return {cell.cell: cell.published for cell in places if cell.cell and cell.published}


def _ranking(subject: Subject, choice: RankingChoice, standing: Mapping[str, str]) -> Chart | None:
    """Draw the stacks of a ranking with the highest rates."""
    cells = sorted((cell for cell in choice.ranking.cells if cell.rate), key=lambda cell: -_rate(cell))
    stacks = [
        Leader(
            choice.name(cell),
            cell.rate,
            ("≥ " if standing.get(cell.id) == _AT_LEAST else "") + figure(cell.rate.middle, cell.rate.half_width),
            standing.get(cell.id, ""),
        )
        for cell in cells[:MOST_LEADERS]
        if cell.rate
    ]
    about = f"Calls per second with {choice.ranking.where}, with 95 % intervals. In colour: the highest rate, and those"
    about += " that are not distinguished from it. A triangle: at least that."
    about += f" {len(cells) - len(stacks)} slower stacks are in the ranking." if len(cells) > len(stacks) else ""
    return chart(_ID, subject.title_of(choice.ranking.group), about, leaders(stacks), TRIALS_SQL)


def _rate(cell: Result) -> float:
    return cell.rate.middle if cell.rate else 0.0
