"""Summaries of ranks that a study asks for: mean calls a millisecond by type, the rank in each, the average rank."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Results
from callbench.analysis.run.subject import Subject
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import CellFilter, RankColumn, RanksPart
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import figure

ABOUT = (
    "The arithmetic mean of the rates of all cells of a column, in calls per millisecond. The rank among the rows is"
    " in brackets. A row without a value in one column has no average rank. A mean over sizes and numbers of clients"
    " hides how they change the order. It does not show how certain the order is. The ranking of each group does."
)
_PER_MS = 1000.0


def section(subject: Subject) -> Section | None:
    """Show every summary of the study that has values, and the published one of the same kind below each."""
    sheets, texts = [], []
    for part in subject.study.ranks:
        averages = means(part, subject.results)
        if not any(averages):
            continue
        bounds = _bounds(part, subject.results)
        ours = _lines([(row.label, values) for row, values in zip(part.rows, averages, strict=True) if values], bounds)
        theirs = _published(part, subject.study.published)
        sheets.append(_sheet(part, averages, [*ours, *theirs]))
        if theirs and len(ours) > 1:
            texts.append(_orders(part, ours, theirs))
    if not sheets:
        return None
    return Section("ranks", "Average ranks", ABOUT, found=texts, sheets=sheets, source=TRIALS_SQL.strip())


def means(part: RanksPart, results: Results) -> list[list[float | None]]:
    """Return calls a millisecond by row and column; None if a cell is missing.

    Rows in which nothing was measured are empty lists.
    """
    rows = [[_mean(row.where, column, results) for column in part.columns] for row in part.rows]
    return [row if any(value is not None for value in row) else [] for row in rows]


def _mean(where: CellFilter, column: RankColumn, results: Results) -> float | None:
    """Average the rates of a row's cells in a column; None if a group has none, or a cell has no rate.

    Groups that the run does not have at all do not count: a quick run may leave some out.
    """
    rates: list[float] = []
    there = {cell.attributes["group"] for cell in results.cells}
    for group in (named for named in column.groups if named in there):
        cells = results.where({"group": group, **where.conditions()})
        if not cells or any(cell.rate is None for cell in cells):
            return None
        rates += [cell.rate.middle / _PER_MS for cell in cells if cell.rate is not None]
    return sum(rates) / len(rates) if rates else None


def _bounds(part: RanksPart, results: Results) -> set[tuple[str, int]]:
    """Return the rows and columns whose mean is only a lower bound, because the rate of a cell is."""
    return {
        (row.label, place)
        for row in part.rows
        for place, column in enumerate(part.columns)
        for group in column.groups
        if any(cell.at_least for cell in results.where({"group": group, **row.where.conditions()}))
    }


def ranked(values: Sequence[float | None]) -> Mapping[int, int]:
    """Rank the values that there are, the greatest first; equal ones share the better rank."""
    there = [value for value in values if value is not None]
    return {place: 1 + sum(other > value for other in there) for place, value in enumerate(values) if value is not None}


@dataclass(frozen=True)
class _Line:
    """A row of a summary: what is written, and its average rank, None if it lacks a column."""

    label: str
    texts: Sequence[str]
    average: float | None


def _lines(rows: Sequence[tuple[str, Sequence[float | None]]], bounds: Collection[tuple[str, int]] = ()) -> list[_Line]:
    """Rank rows among each other, the best average rank first; a lower bound has no rank, but may be ahead."""
    width = len(rows[0][1]) if rows else 0
    ranks = [ranked([values[place] for _, values in rows]) for place in range(width)]
    found = []
    for number, (label, values) in enumerate(rows):
        texts = [
            ""
            if value is None
            else f"≥ {figure(value)}"
            if (label, place) in bounds
            else f"{figure(value)} ({column[number]})"
            for place, (value, column) in enumerate(zip(values, ranks, strict=True))
        ]
        own = [
            column[number] for place, column in enumerate(ranks) if number in column and (label, place) not in bounds
        ]
        average = sum(own) / len(own) if len(own) == len(ranks) else None
        found.append(_Line(label, [*texts, "" if average is None else f"{average:.1f}"], average))
    return sorted(found, key=lambda line: float("inf") if line.average is None else line.average)


def _published(part: RanksPart, published: Published | None) -> list[_Line]:
    """Rank what was published of the same rows and columns, every row once."""
    if published is None or part.published is None:
        return []
    names = dict.fromkeys(row.published for row in part.rows if row.published)
    rows = [
        (name, [published.figure(part.published, name, column.published or "") for column in part.columns])
        for name in names
    ]
    return _lines([(f"published: {name}", values) for name, values in rows if any(values)])


def _orders(part: RanksPart, ours: Sequence[_Line], theirs: Sequence[_Line]) -> str:
    """Describe in which order the rows stand here, and in which they were published."""
    here = ", ".join(f"{line.label} {line.average:.1f}" for line in ours if line.average is not None)
    there = ", ".join(
        f"{line.label.removeprefix('published: ')} {line.average:.1f}" for line in theirs if line.average is not None
    )
    return f"{part.title}, order by average rank. This run: {here}. Published: {there}."


def _sheet(part: RanksPart, averages: Sequence[Sequence[float | None]], lines: Sequence[_Line]) -> Sheet:
    """Write a summary."""
    absent = [line.label for line, values in zip(part.rows, averages, strict=True) if not values]
    note = f"Not part of this run: {', '.join(absent)}." if absent else ""
    columns = ("calls/ms", *(column.label for column in part.columns), "average rank")
    about = f" {part.about}" if part.about else ""
    return Sheet(part.title, columns, [(line.label, *line.texts) for line in lines], (note + about).strip())
