"""The formats of a run's report: each takes a subject and gives the text."""

from collections.abc import Callable
from pathlib import Path

from callbench.analysis.run.subject import Subject
from callbench.report.export import csv, html, json, md
from callbench.report.export.file import write_report
from callbench.report.export.parquet import parquet_of
from callbench.report.export.rows import cell_rows

TEXTS: dict[str, Callable[[Subject], str]] = {
    "html": html.text,
    "md": md.text,
    "csv": csv.text,
    "json": json.text,
}
FORMATS: dict[str, Callable[[Subject], str | bytes]] = {
    **TEXTS,
    "parquet": lambda subject: parquet_of(cell_rows(subject)),
}


def write(subject: Subject, form: str = "html", out: Path | None = None) -> Path:
    """Write a report of a run, as `write_report` does."""
    return write_report(subject, FORMATS, subject.run.path, form, out)
