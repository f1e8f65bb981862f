"""An advice on disk, as a page, as Markdown, as JSON and on a terminal; computed from its runs again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.analysis.advice.result import AdviceResult, from_record
from callbench.analysis.advice.stored import Stored
from callbench.catalog.own.stored_losses import stored_losses
from callbench.report.advice import languages
from callbench.report.advice.assumptions import assumptions
from callbench.report.advice.record import result
from callbench.report.advice.sections import sections
from callbench.report.advice.words import depends, reasons
from callbench.report.export.file import write_report
from callbench.report.record_report import FORMATS, RecordReport

# So many places of a loss are named; the rest is counted.
MOST_PLACES = 3


def report_of(stored: Stored) -> RecordReport:
    """Tell an advice from its file and its runs.

    Raises:
        BadInput: its run is not there, or damaged.
    """
    found = from_record(stored.run, stored.situation)
    return of(stored, found, as_result(found))


def of(stored: Stored, found: AdviceResult, computed: Mapping[str, Any]) -> RecordReport:
    """Tell an advice that was computed.

    Args:
        stored: as it is kept.
        found: the advice, and what it rests on.
        computed: what `as_result` gives for it.
    """
    advice = found.advice
    kept = record(stored, computed)
    findings = [*languages.origin_sentences(advice), *reasons(advice), *depends(advice)]
    return RecordReport(
        stored,
        f"From {advice_basis(found)}.",
        findings,
        sections(advice, losses(found), lacks(found)),
        kept,
        verdict=kept["sentence"],
        assumed=kept["assumed"],
        first_section="candidates",
    )


def as_result(found: AdviceResult) -> dict[str, Any]:
    """Give everything that was computed, with what it assumes: what is kept, and what programs get."""
    folder = found.subject.run.path
    computed = result(found.advice)
    return {**computed, "assumed": assumptions(found.advice, folder)}


def record(stored: Stored, computed: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the file says of itself, with the result as it is computed today."""
    head = {name: stored.record.get(name) for name in ("kind", "format", "callbench", "started", "title")}
    basis = {"held_back": list(stored.record["held_back"]), "sizes": stored.record.get("sizes")}
    return {**head, **basis, "situation": stored.record["situation"], **computed}


def advice_basis(found: AdviceResult) -> str:
    """Say what an advice rests on."""
    names = [measured.run.path for measured in (found.subject, *found.held_back, found.sizes) if measured is not None]
    cells = len(found.advice.every)
    return f"{cells} cells of {', '.join(path.name for path in names)}"


def losses(found: AdviceResult) -> list[tuple[str, str, str]]:
    """List what the schema of an imported service cannot say: places, problem, and what it becomes."""
    places: dict[tuple[str, str], list[str]] = {}
    for loss in stored_losses(found.subject.run.path):
        places.setdefault((loss.problem, loss.mapped), []).append(loss.place)
    return [(_few(where), problem, mapped) for (problem, mapped), where in places.items()]


def _few(places: Sequence[str]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def lacks(found: AdviceResult) -> list[tuple[str, str]]:
    """List what the stack that is advised cannot carry, as its card says.

    A card speaks of Callbench's own calls. A stack that cannot carry a payload of the user's own was not measured.
    """
    if found.subject.requested.service:
        return []
    card = found.subject.cards.get(found.advice.choice.best, {})
    return [(str(check), str(why)) for check, why in (card.get("lacks") or {}).items()]


def write(report: RecordReport, form: str, out: Path | None) -> Path:
    """Write it to a file: `advice.FORMAT` beside its run unless one is given.

    Raises:
        BadInput: no such format.
        CallbenchError: the file cannot be written.
    """
    path = report.run.path
    name = f"{path.stem}.report.json" if form == "json" else f"{path.stem}.{form}"
    return write_report(report, FORMATS, path.parent, form, out or path.with_name(name))
