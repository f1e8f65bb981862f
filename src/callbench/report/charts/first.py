"""The one chart of a run's first screen: message × channel as a heat map where they are crossed, else a ranking."""

import math
from collections.abc import Mapping, Sequence

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.metric_values import bound_of
from callbench.analysis.run.rankings import Ranking, in_process
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import listed
from callbench.report.charts.chart import chart
from callbench.report.charts.cut_ends import cut_text
from callbench.report.charts.heat_map import CallPanel, HeatCell, Layout, heat_map
from callbench.report.charts.leaders import Leader, LeaderStanding, leaders
from callbench.report.charts.marks import interval_ends
from callbench.report.text.answer import crossed, leading
from callbench.report.text.choice import RankingChoice
from callbench.report.text.section import Chart
from callbench.stats.estimate.digits import BOUNDS, short_figure

MOST_LEADERS = 12
_FIRST, _TIE, _AT_LEAST, _AT_MOST = "first", "tie", "at least", "at most"
_ID = "first"


def first_chart(subject: Subject, choices: Sequence[RankingChoice]) -> Chart | None:
    """Draw it; None if the run has no rates."""
    first = leading(choices)
    tables = [choice.ranking for choice in first]
    if not tables:
        return _alone(subject)
    if crossed(tables[0].cells):
        return _matrix(subject, tables, _standings(tables, choices))
    return _ranking(subject, first[0])


def _standings(tables: Sequence[Ranking], choices: Sequence[RankingChoice]) -> dict[str, str]:
    """Return who has the highest rate of its kind, and who may be the fastest as well, by the cell's id."""
    found: dict[str, str] = {}
    for choice in choices:
        if choice.ranking not in tables:
            continue
        found |= {each.id: _AT_MOST if each.at_most else _AT_LEAST for each in (*choice.reaching, *choice.below)}
        found |= {each.id: _TIE for each in choice.ties}
        if choice.first is not None:
            found[choice.first.id] = _FIRST
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
    signs = [sign.strip() for held, sign in BOUNDS.items() if sign and held in standing.values()]
    about += f" The fastest is one of those in a frame{f' or with {listed(signs)}' if signs else ''} (95 %)."
    if any(cell.published for cell in cells):
        study = subject.study.published
        about += f" Below, in italics: published{f', {study.title}' if study else ''}."
    wide, small = (heat_map(panels, Layout(messages, channels, phone)) for phone in (False, True))
    return chart(_ID, "Message and channel", about, wide, TRIALS_SQL, small)


def _cell(cell: Result, standing: Mapping[str, str], published: Mapping[str, str]) -> HeatCell:
    rate, half_width = (cell.rate.middle, cell.rate.half_width) if cell.rate else (0.0, None)
    held = standing.get(cell.id, "")
    bound = BOUNDS.get(held, "").strip()
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


def _ranking(subject: Subject, choice: RankingChoice) -> Chart | None:
    """Draw the stacks of a ranking with the highest rates."""
    stacks = [
        Leader(choice.name(cell), cell.rate, _of_ranking(subject, choice, cell), bound_of(cell, "rate_per_s"))
        for cell in choice.ranking.cells
        if cell.rate
    ]
    about = f"Calls per second with {choice.ranking.where}, with 95 % intervals."
    return _leaders(subject.title_of(choice.ranking.group), about, stacks)


def _of_ranking(subject: Subject, choice: RankingChoice, cell: Result) -> LeaderStanding:
    """Return how a stack stands. What cannot be called by others is beside a choice of what can."""
    if choice.kind and in_process(subject, cell):
        return LeaderStanding.INSIDE
    if cell is choice.first:
        return LeaderStanding.FIRST
    return LeaderStanding.TIE if cell in choice.ties else _of_cell(cell, LeaderStanding.SLOWER)


def _of_cell(cell: Result, ranked: LeaderStanding) -> LeaderStanding:
    """Return how a cell stands that is compared with none: a bound, a value without a rank, or another."""
    if cell.at_least:
        return LeaderStanding.AT_LEAST
    return LeaderStanding.AT_MOST if cell.at_most else ranked if cell.ranked else LeaderStanding.UNRANKED


def _alone(subject: Subject) -> Chart | None:
    """Draw the rates of a run that compares no stacks."""
    stacks = [
        Leader(named(cell), cell.rate, _of_cell(cell, LeaderStanding.ALONE), bound_of(cell, "rate_per_s"))
        for cell in subject.results.cells
        if cell.rate and cell.open_loop is None
    ]
    return _leaders("Rate", "Calls per second, with 95 % intervals.", stacks) if stacks else None


def _leaders(title: str, about: str, stacks: Sequence[Leader]) -> Chart | None:
    """Draw the highest of some rates."""
    shown = sorted(stacks, key=lambda stack: -stack.rate.middle)[:MOST_LEADERS]
    left = len(stacks) - len(shown)
    about += f" {left} more {'has a lower rate' if left == 1 else 'have lower rates'}." if left else ""
    about += cut_text([stack.rate for stack in shown])
    return chart(_ID, title, about, leaders(shown), TRIALS_SQL)
