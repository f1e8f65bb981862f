"""Every record, printed and written as a report, whatever was measured.

What tells of a kind is imported when such a record is shown: see `record_kinds`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from callbench.analysis.advice import stored as advices
from callbench.catalog.own import place
from callbench.report import record_report
from callbench.report.record_kinds import report_of
from callbench.report.text.opening import Opening
from callbench.store import head
from callbench.store.record import Record


@dataclass(frozen=True)
class _Shown:
    """What can be done with a record.

    Attributes:
        print: all of it to a console.
        opening: returns its answer in words.
        record: returns it for programs.
        write: in a format to a file, or to one beside the record; returns the file.
    """

    print: Callable[[Console], None]
    opening: Callable[[], Opening]
    record: Callable[[], Any]
    write: Callable[[str, Path | None], Path]


def show(path: Path, console: Console) -> None:
    """Print a record, or a folder of an imported service.

    Raises:
        BadInput: it is no record, or damaged.
    """
    if place.is_service(path):
        for line in _service_lines(path):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    else:
        _shown(path).print(console)


def end(path: Path, console: Console, kept: Mapping[str, Path | None] | None = None) -> None:
    """Print what a record came to in few lines, as its command ends.

    Args:
        path: the record.
        console: where to.
        kept: what was written, by what it is called; None: the record itself.

    Raises:
        BadInput: it is no record, or damaged.
    """
    from callbench.report.ending import print_ending, show_command

    print_ending(_shown(path).opening(), kept or {"record": path}, console, show_command(path))


def as_record(path: Path) -> Any:  # noqa: ANN401 - JSON
    """Return a record for programs.

    Raises:
        BadInput: as `show`.
    """
    return _service_record(path) if place.is_service(path) else _shown(path).record()


def write(path: Path, form: str, out: Path | None) -> Path:
    """Write a record's report. Return its file.

    Raises:
        BadInput: as `show`; there is no such format.
        CallbenchError: the file cannot be written.
    """
    return _shown(path).write(form, out)


def _service_lines(path: Path) -> Iterable[str]:
    """Tell of an imported service."""
    from callbench.catalog.own import folder
    from callbench.report.text import own_service

    service = folder.read(path)
    return (*own_service.lines(service, path), *own_service.bytes_of_calls(service, path))


def _service_record(path: Path) -> Any:  # noqa: ANN401 - JSON
    """Return an imported service for programs."""
    from callbench.catalog.own import folder
    from callbench.report.text import own_service

    return own_service.as_record(folder.read(path), path)


def _shown(path: Path) -> _Shown:
    """Read a record as what its kind is."""
    if advices.is_one(path):
        return _advice(path)
    run = Record(path)
    match run.kind:
        case head.RUN:
            return _run(run)
        case head.COMPARISON:
            return _comparison(run)
        case _:
            return _reported(report_of(run))


def _advice(path: Path) -> _Shown:
    from callbench.report.advice import report as advice_report

    advice = advice_report.report_of(advices.read(path))
    return _reported(advice, writer=partial(advice_report.write, advice))


def _run(run: Record) -> _Shown:
    from callbench.analysis.run.subject import subject
    from callbench.report.terminal import print_run
    from callbench.report.text.run_opening import run_opening
    from callbench.report.text.summary import summary

    cells = subject(run)

    def record() -> Any:  # noqa: ANN401 - JSON
        from callbench.report.export.show import cell_records

        return cell_records(cells)

    def write_form(form: str, out: Path | None) -> Path:
        from callbench.report.export import formats

        return formats.write(cells, form, out)

    return _Shown(partial(print_run, cells), lambda: run_opening(cells, summary(cells)), record, write_form)


def _comparison(run: Record) -> _Shown:
    from callbench.analysis.compare import comparison
    from callbench.report.compare import show as comparisons

    result = comparison.read(run)
    return _reported(comparisons.report(result, run), partial(comparisons.print_comparison, result))


def _reported(
    report: record_report.RecordReport,
    shown: Callable[[Console], None] | None = None,
    writer: Callable[[str, Path | None], Path] | None = None,
) -> _Shown:
    """A record with a report of tables and sentences."""
    return _Shown(
        shown or partial(record_report.show, report),
        lambda: report.opening,
        lambda: json.loads(record_report.content(report, "json")),
        writer or partial(record_report.write, report),
    )
