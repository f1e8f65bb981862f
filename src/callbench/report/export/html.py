"""The report as one page that needs nothing else."""

from pathlib import Path

from callbench.analysis.run.subject import Subject, subject
from callbench.report.export.file import write_report
from callbench.report.export.page import page
from callbench.store.record import Record


def text(run: Subject) -> str:
    """Write it."""
    return page(run)


def write_beside(path: Path, beside: str, out: Path | None) -> Path:
    """Write the report of a run whose tables are beside the echo or a stack. Return its file.

    Args:
        path: the run.
        beside: `echo`, or a stack's id.
        out: the file; `report-beside.html` in the run's folder unless given.

    Raises:
        BadInput: it is no run, or damaged, or has no such stack.
        CallbenchError: the file cannot be written.
    """
    run = Record(path)
    run.require_run()
    return write_report(subject(run, beside), {"html": text}, path, "html", out or path / "report-beside.html")
