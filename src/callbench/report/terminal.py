"""A whole run in the terminal: the answer, tables, verdicts, and every cell."""

from rich.console import Console
from rich.text import Text

from callbench.analysis.judge.claims import Verdict
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import FilledTable, TableCell, table_cell
from callbench.analysis.wording.words import (
    MARKS,
    apart_text,
    as_sentence,
    claim_ratio_text,
    published_text,
    remark_text,
)
from callbench.model.metrics.registry import LISTED
from callbench.report.sections import hosts, ranking
from callbench.report.text.choice import sheet
from callbench.report.text.columns import alike, differing
from callbench.report.text.grid import Column, Grid, grid_of
from callbench.report.text.run_opening import run_opening
from callbench.report.text.section import Sheet
from callbench.report.text.summary import Summary, cautions, elsewhere, summary, verdicts_text

STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNDECIDED: "yellow", Verdict.UNMEASURED: "dim"}


def print_run(subject: Subject, console: Console) -> None:
    """Print all of a run: what its page has first, its tables and claims, and every cell."""
    summary_ = summary(subject)
    opening = run_opening(subject, summary_)
    console.print(Text(opening.title, style="bold"), soft_wrap=True)
    for sentence in opening.sentences:
        console.print(Text(sentence), soft_wrap=True)
    console.print()
    print_summary(subject, console, summary_)
    print_cells(subject, console)


def print_summary(subject: Subject, console: Console, known: Summary | None = None) -> None:
    """Print a study's tables and claims, what to choose, and what is not known.

    Args:
        subject: what it is about.
        console: where to.
        known: its summary, if it is at hand.
    """
    beside = [table for table in subject.tables if table.beside] or list(subject.tables)
    if subject.selected or not beside:
        _ranking(subject, console)
    for table in beside:
        if table.missing:
            console.print(Text.assemble((table.title, "bold"), f"\n{table.missing}\n"))
        else:
            _grid(table).print(console)
            if table.left_out:
                console.print(Text(f"{table.left_out}\n", style="dim"))
    if any(question.measured for question in subject.asked):
        _questions(subject, console)
    _summary(subject, known or summary(subject), console)


def _summary(subject: Subject, overview: Summary, console: Console) -> None:
    """Print what to choose, which claims hold, what is not known, and the other results."""
    if overview.choices:
        _words(sheet(overview.choices)).print(console)
    if subject.judged:
        _claims(subject).print(console)
        console.print(
            Text("\n".join([f"Claims: {verdicts_text(subject.judged)}", *elsewhere(subject), ""])), soft_wrap=True
        )
    open_ = overview.open_results.sheet()
    if open_ is not None:
        _words(open_).print(console)
        if more := overview.open_results.in_words():
            console.print(Text(more), soft_wrap=True)
    for beside in overview.besides:
        console.print(Text(str(beside)), soft_wrap=True)


def _words(sheet_: Sheet) -> Grid:
    """Lay a sheet of words out."""
    grid = Grid([Column(name) for name in sheet_.columns], title=sheet_.title)
    for row in sheet_.rows:
        grid.add(*row)
    return grid


def _ranking(subject: Subject, console: Console) -> None:
    """Print the rankings of selected cells, or of a study that asks for no tables."""
    section = ranking.section(subject)
    if section is None:
        return
    for shown in section.every_sheet:
        columns = [Column(name, number=0 < place < len(shown.columns) - 1) for place, name in enumerate(shown.columns)]
        grid = Grid(columns, title=shown.title)
        for row in shown.rows:
            grid.add(*row)
        grid.print(console)
        if shown.note:
            console.print(Text(f"{shown.note}\n", style="dim"), soft_wrap=True)


def _grid(table: FilledTable) -> Grid:
    """Lay one table out; the published value stands beneath in brackets."""
    unit = ", ".join(part for part in (table.metric.unit, "published in brackets" if table.beside else "") if part)
    columns = [Column(""), *(Column(name, number=True) for name in table.columns)]
    grid = Grid(columns, title=f"{table.title} ({unit})" if unit else table.title)
    for row in table.rows:
        label = f"{row.section}: {row.label}" if row.section else row.label
        grid.add(label, *(_place(cell) for cell in row.places))
    return grid


def _place(cell: TableCell) -> Text:
    """Write one value."""
    text = Text.assemble(cell.text or (cell.why, "dim"), (f" {cell.spread}" if cell.spread else "", "dim"))
    if cell.published:
        text.append(f"\n({cell.published})", style="dim")
    return text


def _claims(subject: Subject) -> Grid:
    """Lay the verdicts out."""
    grid = Grid([Column(name) for name in ("", "claim", "decided by", "threshold", "published")], title="Claims")
    for claim in subject.judged:
        deciding = claim.deciding
        shown = f"{deciding.comparison.label}: {claim_ratio_text(deciding)}" if deciding.ratio else deciding.why
        shown = "\n".join(part for part in (shown, remark_text(deciding), apart_text(claim)) if part)
        mark = Text(f"{MARKS[claim.verdict]} {claim.verdict}", style=STYLES[claim.verdict])
        grid.add(mark, claim.text, shown, deciding.threshold, published_text(deciding.published))
    return grid


def _questions(subject: Subject, console: Console) -> None:
    """Print the open questions, each with its answers."""
    console.print(Text("Open questions", style="bold"))
    for question in subject.asked:
        console.print(Text(question.text, style="italic"))
        if not question.measured:
            console.print(Text("  not measured in this run", style="dim"))
            continue
        for answer in question.answers:
            verdict = answer.compared.verdict
            mark = Text(f"  {MARKS[verdict]} ", style=STYLES[verdict])
            label = answer.compared.comparison.label
            shown = f"{label}: {claim_ratio_text(answer.compared) or answer.compared.why}"
            sentence = answer.sentence or as_sentence(remark_text(answer.compared))
            console.print(Text.assemble(mark, f"{sentence} ".lstrip(), (shown, "dim")))
    console.print()


def print_cells(subject: Subject, console: Console) -> None:
    """Print every cell, a line each, or a block each where the terminal is narrow."""
    _cells(subject).print(console)
    sentence = alike(subject.results.cells)
    if sentence:
        console.print(Text(sentence, style="dim"), soft_wrap=True)
    if (machines := hosts.section(subject)) is not None:
        for shown in machines.sheets:
            grid_of(shown).print(console)
    for caution in cautions(subject):
        console.print(Text(f"! {caution}", style="yellow"), soft_wrap=True)


def _cells(subject: Subject) -> Grid:
    """Lay every cell out."""
    cells = subject.results.cells
    columns = differing(cells, within=True)
    others = [metric for name, metric in LISTED.items() if name != "rate_per_s" and not metric.wide]
    grid = Grid(
        [
            *(Column(name) for name in ("stack", "group")),
            *(Column(column.name, number=column.number) for column in columns),
            *(Column(name, number=True) for name in ("calls", LISTED["rate_per_s"].heading, "±")),
            *(Column(metric.heading, number=True) for metric in others),
            Column("errors", number=True),
        ]
    )
    for cell in cells:
        rate = table_cell(cell, "rate_per_s")
        errors = ", ".join(f"{count} {kind}" for kind, count in cell.errors.items())
        named = [cell.attributes["stack"], cell.attributes["group"], *(column.text(cell) for column in columns)]
        timed = [f"{cell.calls:,}", rate.text or rate.why, rate.spread.removeprefix("± ")]
        grid.add(*named, *timed, *(table_cell(cell, metric.name).text for metric in others), errors)
    return grid
