"""Summaries of ranks that a study asks for: mean calls a millisecond by type, the rank in each, the average rank."""

from collections.abc import Mapping, Sequence

from callbench.report.section import Section, Sheet
from callbench.report.subject import Subject
from callbench.results import TRIALS_SQL, Results
from callbench.stats.digits import figure
from callbench.study.model import RankColumn, RanksPart, Where

ABOUT = (
    "The arithmetic mean of the rates of all cells of a column, in calls a millisecond, and in brackets the rank among"
    " the rows; a row that lacks a column has no average rank. A mean over sizes and numbers of clients hides how"
    " either changes the order, and says nothing of how sure the order is: the ranking of each group does."
)
_PER_MS = 1000.0


def section(subject: Subject) -> Section | None:
    """Show every summary of the study that has figures."""
    sheets = [_sheet(part, found) for part in subject.study.ranks if any(found := means(part, subject.results))]
    if not sheets:
        return None
    return Section("ranks", "Ranks", ABOUT, sheets=sheets, source=TRIALS_SQL.strip())


def means(part: RanksPart, results: Results) -> list[list[float | None]]:
    """Give calls a millisecond by row and column; None where a cell is missing.

    Rows in which nothing was measured are empty lists.
    """
    rows = [[_mean(row.where, column, results) for column in part.columns] for row in part.rows]
    return [row if any(value is not None for value in row) else [] for row in rows]


def _mean(where: Where, column: RankColumn, results: Results) -> float | None:
    """Average the rates of a row's cells in a column; None where a group has none, or a cell has no rate."""
    rates: list[float] = []
    for group in column.groups:
        cells = results.where({"group": group, **where.conditions()})
        if not cells or any(one.rate is None for one in cells):
            return None
        rates += [one.rate.middle / _PER_MS for one in cells if one.rate is not None]
    return sum(rates) / len(rates)


def ranked(values: Sequence[float | None]) -> Mapping[int, int]:
    """Rank the figures that there are, the greatest first; equal ones share the better rank."""
    there = [value for value in values if value is not None]
    return {place: 1 + sum(other > value for other in there) for place, value in enumerate(values) if value is not None}


def _sheet(part: RanksPart, found: Sequence[Sequence[float | None]]) -> Sheet:
    """Write a summary, the best average rank first."""
    rows = [(line.label, values) for line, values in zip(part.rows, found, strict=True) if values]
    ranks = [ranked([values[place] for _, values in rows]) for place in range(len(part.columns))]
    written: list[tuple[float, Sequence[str]]] = []
    for number, (label, values) in enumerate(rows):
        texts = [
            "" if value is None else f"{figure(value)} ({column[number]})"
            for value, column in zip(values, ranks, strict=True)
        ]
        own = [column[number] for column in ranks if number in column]
        average = sum(own) / len(own) if len(own) == len(ranks) else None
        order = float("inf") if average is None else average
        written.append((order, (label, *texts, "" if average is None else f"{average:.1f}")))
    absent = [line.label for line, values in zip(part.rows, found, strict=True) if not values]
    note = f"Not part of this run: {', '.join(absent)}." if absent else ""
    columns = ("calls/ms", *(column.label for column in part.columns), "average rank")
    about = f" {part.about}" if part.about else ""
    return Sheet(part.title, columns, [texts for _, texts in sorted(written, key=lambda one: one[0])], note + about)
