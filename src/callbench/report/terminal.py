"""The run in the terminal: tables, verdicts, where the page lies; and every cell for `show`."""

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from callbench.claims import Verdict
from callbench.report.columns import alike, differing
from callbench.report.story import cautions, sentences
from callbench.report.subject import Subject
from callbench.report.tables import Filled, Place, place
from callbench.report.words import MARKS, published_text, ratio_text

STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.OPEN: "yellow", Verdict.UNMEASURED: "dim"}


def print_summary(subject: Subject, console: Console, report: Path | None = None) -> None:
    """Print a study's tables and claims.

    Args:
        subject: what it is about.
        console: where to.
        report: the page, to be named at the end.
    """
    beside = [table for table in subject.tables if table.beside] or list(subject.tables)
    for table in beside:
        if table.missing:
            console.print(Text.assemble((table.title, "bold"), f"\n{table.missing}\n"))
        else:
            console.print(_grid(table))
            if table.left_out:
                console.print(Text(f"{table.left_out}\n", style="dim"))
    if subject.judged:
        console.print(_claims(subject))
    if any(one.measured for one in subject.asked):
        _questions(subject, console)
    for sentence in sentences(subject):
        console.print(Text(str(sentence)))
    for caution in cautions(subject):
        console.print(Text(f"! {caution}", style="yellow"))
    if report is not None:
        console.print(Text.assemble("\nReport: ", (str(report), "bold")), soft_wrap=True)


def _grid(table: Filled) -> Table:
    """Lay one table out; the published figure stands beneath in brackets."""
    unit = ", ".join(part for part in (table.unit.name, "published in brackets" if table.beside else "") if part)
    grid = Table(
        title=f"{table.title} ({unit})" if unit else table.title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    grid.add_column("")
    for column in table.columns:
        grid.add_column(column, justify="right")
    for row in table.rows:
        label = f"{row.section}: {row.label}" if row.section else row.label
        grid.add_row(Text(label), *(_place(one) for one in row.places))
    return grid


def _place(one: Place) -> Text:
    """Write one figure."""
    text = Text.assemble(one.text or (one.why, "dim"), (f" {one.spread}" if one.spread else "", "dim"))
    if one.published:
        text.append(f"\n({one.published})", style="dim")
    return text


def _claims(subject: Subject) -> Table:
    """Lay the verdicts out."""
    grid = Table(title="Claims", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in ("", "claim", "decided by", "needed", "published"):
        grid.add_column(name)
    for claim in subject.judged:
        one = claim.deciding
        found = f"{one.comparison.label}: {ratio_text(one.ratio)}" if one.ratio else one.why
        mark = Text(f"{MARKS[claim.verdict]} {claim.verdict}", style=STYLES[claim.verdict])
        grid.add_row(mark, Text(claim.id), Text(found), Text(one.threshold), Text(published_text(one.published)))
    return grid


def _questions(subject: Subject, console: Console) -> None:
    """Print the open questions, each with its answers."""
    console.print(Text("Open questions", style="bold"))
    for one in subject.asked:
        console.print(Text(one.text, style="italic"))
        if not one.measured:
            console.print(Text("  not measured in this run", style="dim"))
            continue
        for answer in one.answers:
            verdict = answer.compared.verdict
            mark = Text(f"  {MARKS[verdict]} ", style=STYLES[verdict])
            label = answer.compared.comparison.label
            found = f"{label}: {ratio_text(answer.compared.ratio) or answer.compared.why}"
            console.print(Text.assemble(mark, f"{answer.sentence} ".lstrip(), (found, "dim")))
    console.print()


def print_cells(subject: Subject, console: Console) -> None:
    """Print every cell, a line each."""
    cells = subject.results.cells
    grid, columns = Table(box=box.SIMPLE_HEAD), differing(cells, within=True)
    for name in ("cell", "stack", "group"):
        grid.add_column(name)
    for column in columns:
        grid.add_column(column.name, justify="right" if column.number else "left")
    for name in ("calls", "calls/s", "±", "p50 µs", "p99 µs", "errors"):
        grid.add_column(name, justify="right")
    for one in cells:
        rate, latencies = place(one, "rate_per_s"), one.latency.percentiles
        errors = ", ".join(f"{count} {kind}" for kind, count in one.errors.items())
        grid.add_row(
            one.id,
            one.attributes["stack"],
            one.attributes["group"],
            *(column.text(one) for column in columns),
            f"{one.calls:,}",
            rate.text or rate.why,
            rate.spread.removeprefix("± "),
            *(place(one, name).text if latencies else "" for name in ("p50_us", "p99_us")),
            errors,
        )
    console.print(grid)
    said = alike(cells)
    if said:
        console.print(Text(said, style="dim"))
    for caution in cautions(subject):
        console.print(Text(f"! {caution}", style="yellow"))
