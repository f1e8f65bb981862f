"""How precise the run was asked to be, what each cell reached, and why it ended."""

from collections.abc import Mapping, Sequence

from callbench.analysis.precision.stopping import Why
from callbench.analysis.results import Result
from callbench.analysis.subject import Subject
from callbench.report.text.precision import ENDINGS_SQL, Ended, precision_summary
from callbench.report.text.section import Section, Sheet
from callbench.stats.digits import share

ABOUT = "Precision is the half-width of a cell's 95 % interval: a share of its rate (open loop: mean latency)."
WHYS = {
    Why.PRECISE.value: "precise enough",
    Why.BUDGET.value: "the budget was spent",
    Why.FORKS.value: "largest number of forks",
    Why.OUT.value: "excluded",
    Why.NOTHING.value: "no trial that counts",
}


def section(subject: Subject) -> Section | None:
    """Show it for a run that was asked to be precise, or had a budget."""
    found = precision_summary(subject.run)
    cells = {one.id: one for one in subject.results.cells}
    endings = [one for one in found.endings if one.cell in cells]
    sheets = [_cells(endings, cells)] if endings else []
    sentences = _of_cells(endings)
    if not sentences:
        return None
    return Section("precision", "Precision", ABOUT, sentences, sheets, source=ENDINGS_SQL)


def _of_cells(endings: Sequence[Ended]) -> list[str]:
    """Count why cells ended."""
    asked = next((one.asked for one in endings if one.asked), None)
    if asked is None:
        return []
    parts = [f"{sum(one.why == why for one in endings)} ended because {words}" for why, words in _SINCE.items()]
    told_ = ", ".join(part for part in parts if not part.startswith("0 "))
    return [f"Requested precision {share(asked)}. Of {len(endings)} cells, {told_}."]


_SINCE = {
    Why.PRECISE.value: "they were precise enough",
    Why.BUDGET.value: "the budget was spent",
    Why.FORKS.value: "they had the largest number of forks",
    Why.OUT.value: "they were excluded",
    Why.NOTHING.value: "they had no trial that counts",
}


def _cells(endings: Sequence[Ended], cells: Mapping[str, Result]) -> Sheet:
    """List the cells."""
    rows = [
        (
            _named(cells[str(one.cell)]),
            share(one.asked),
            share(one.reached) or "no interval",
            str(one.forks),
            WHYS.get(one.why, one.why),
        )
        for one in endings
    ]
    return Sheet("Precision of each cell", ("cell", "requested", "reached", "forks", "reason of the end"), rows)


def _named(one: Result) -> str:
    """Name a cell."""
    clients = one.attributes["clients"]
    return f"{one.attributes['stack']} {one.attributes['group']}" + ("" if clients == "1" else f", {clients} clients")
