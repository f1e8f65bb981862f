"""How precise the run was asked to be, what each cell reached, and why it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result
from callbench.analysis.precision.stopping import StopReason
from callbench.analysis.run.subject import Subject
from callbench.report.text.section import Section, Sheet
from callbench.stats.estimate.digits import share
from callbench.store.record import Record
from callbench.store.requested.run import RequestedRun

ENDINGS_SQL = "SELECT cell, why, asked, reached, forks FROM endings ORDER BY cell NULLS LAST"
ABOUT = "Precision is the half-width of a cell's 95 % interval: a share of its rate (open loop: mean latency)."
WHYS = {
    StopReason.PRECISE.value: "precise enough",
    StopReason.BUDGET.value: "the budget was spent",
    StopReason.FORKS.value: "largest number of forks",
    StopReason.OUT.value: "excluded",
    StopReason.NOTHING.value: "no trial that counts",
}


@dataclass(frozen=True)
class CellEnding:
    """Why a cell ended.

    Attributes:
        asked: the half-width of its interval that was asked for, as a share.
        reached: that which it had.
    """

    cell: str | None
    why: str
    asked: float | None
    reached: float | None
    forks: int | None


def section(subject: Subject) -> Section | None:
    """Show it for a run that was asked to be precise, or had a budget."""
    cells = {cell.id: cell for cell in subject.results.cells}
    endings = [ending for ending in _endings(subject.run) if ending.cell in cells]
    sheets = [_cells(endings, cells)] if endings else []
    sentences = _of_cells(endings)
    if not sentences:
        return None
    return Section("precision", "Precision", ABOUT, sentences, sheets, source=ENDINGS_SQL)


def _endings(run: Record) -> list[CellEnding]:
    """Read why the cells of a run ended that was asked to be precise, or had a budget."""
    requested = run.requested(RequestedRun)
    if requested.until is None and requested.budget_s is None:
        return []
    with run.connection() as connection:
        return [CellEnding(*row) for row in connection.execute(ENDINGS_SQL).fetchall()]


def _of_cells(endings: Sequence[CellEnding]) -> list[str]:
    """Count why cells ended."""
    asked = next((ending.asked for ending in endings if ending.asked), None)
    if asked is None:
        return []
    parts = [f"{sum(ending.why == why for ending in endings)} ended because {words}" for why, words in _SINCE.items()]
    told_ = ", ".join(part for part in parts if not part.startswith("0 "))
    return [f"Requested precision {share(asked)}. Of {len(endings)} cells, {told_}."]


_SINCE = {
    StopReason.PRECISE.value: "they were precise enough",
    StopReason.BUDGET.value: "the budget was spent",
    StopReason.FORKS.value: "they had the largest number of forks",
    StopReason.OUT.value: "they were excluded",
    StopReason.NOTHING.value: "they had no trial that counts",
}


def _cells(endings: Sequence[CellEnding], cells: Mapping[str, Result]) -> Sheet:
    """List the cells."""
    rows = [
        (
            _named(cells[str(ending.cell)]),
            share(ending.asked),
            share(ending.reached) or "no interval",
            str(ending.forks),
            WHYS.get(ending.why, ending.why),
        )
        for ending in endings
    ]
    return Sheet("Precision of each cell", ("cell", "requested", "reached", "forks", "reason of the end"), rows)


def _named(cell: Result) -> str:
    """Name a cell."""
    clients = cell.attributes["clients"]
    return f"{cell.attributes['stack']} {cell.attributes['group']}" + ("" if clients == "1" else f", {clients} clients")
