"""An advice on disk, as a page, as Markdown, as JSON and on a terminal; computed from its runs again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.analysis.advice.result import AdviceResult, from_record
from callbench.analysis.advice.stored import Stored
from callbench.catalog.own.stored import stored_losses
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
    advised = from_record(stored.run, stored.situation)
    return of(stored, advised, as_result(advised))


def of(stored: Stored, advised: AdviceResult, computed: Mapping[str, object]) -> RecordReport:
    """Tell an advice that was computed.

    Args:
        stored: as it is kept.
        advised: the advice, and what it rests on.
        computed: what `as_result` gives for it.
    """
    advice = advised.advice
    kept = record(stored, computed)
    findings = [*reasons(advice), *depends(advice)]
    if advice.languages.measured:
        from callbench.report.advice import languages  # noqa: PLC0415 - few advices name languages

        findings = [*languages.origin_sentences(advice), *findings]
    return RecordReport(
        stored,
        f"From {advice_basis(advised)}.",
        findings,
        sections(advice, losses(advised), lacks(advised)),
        kept,
        verdict=kept["sentence"],
        assumed=kept["assumed"],
        first_section="candidates",
    )


def as_result(advised: AdviceResult) -> dict[str, object]:
    """Give everything that was computed, with what it assumes: what is kept, and what programs get."""
    folder = advised.subject.run.path
    computed = result(advised.advice)
    return {**computed, "assumed": assumptions(advised.advice, folder)}


def record(stored: Stored, computed: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the file says of itself, with the result as it is computed today."""
    head = {name: stored.record.get(name) for name in ("kind", "format", "callbench", "started", "title")}
    basis = {"held_back": list(stored.record["held_back"]), "sizes": stored.record.get("sizes")}
    return {**head, **basis, "situation": stored.record["situation"], **computed}


def advice_basis(advised: AdviceResult) -> str:
    """Say what an advice rests on."""
    names = [
        measured.run.path for measured in (advised.subject, *advised.held_back, advised.sizes) if measured is not None
    ]
    cells = len(advised.advice.every)
    return f"{cells} cells of {', '.join(path.name for path in names)}"


def losses(advised: AdviceResult) -> list[tuple[str, str, str]]:
    """List what the schema of an imported service cannot say: places, problem, and what it becomes."""
    places: dict[tuple[str, str], list[str]] = {}
    for loss in stored_losses(advised.subject.run.path):
        places.setdefault((loss.problem, loss.mapped), []).append(loss.place)
    return [(_few(where), problem, mapped) for (problem, mapped), where in places.items()]


def _few(places: Sequence[str]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def lacks(advised: AdviceResult) -> list[tuple[str, str]]:
    """List what the stack that is advised cannot carry, as its card says.

    A card speaks of Callbench's own calls. A stack that cannot carry a payload of the user's own was not measured.
    """
    if advised.subject.requested.service:
        return []
    planned = advised.subject.cards.get(advised.advice.choice.best)
    return list(planned["lacks"].items()) if planned else []


def write(report: RecordReport, form: str, out: Path | None) -> Path:
    """Write it to a file: `advice.FORMAT` beside its run unless one is given.

    Raises:
        BadInput: no such format.
        CallbenchError: the file cannot be written.
    """
    path = report.run.path
    name = f"{path.stem}.report.json" if form == "json" else f"{path.stem}.{form}"
    return write_report(report, FORMATS, path.parent, form, out or path.with_name(name))
