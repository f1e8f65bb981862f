"""One file a format: each takes a subject and gives the text."""

from collections.abc import Callable
from pathlib import Path

from callbench.errors import BadInput, CallbenchError
from callbench.report.export import csv, html, json, md
from callbench.report.subject import Subject
from callbench.study.near import allowed

FORMATS: dict[str, Callable[[Subject], str]] = {"html": html.text, "md": md.text, "csv": csv.text, "json": json.text}


def write(subject: Subject, form: str = "html", out: Path | None = None) -> Path:
    """Write a report of a run.

    Args:
        subject: what it is about.
        form: one of FORMATS.
        out: the file; `report.FORMAT` in the run's folder unless given.

    Raises:
        BadInput: no such format.
        CallbenchError: the file cannot be written.
    """
    make = FORMATS.get(form)
    if make is None:
        raise BadInput(f'there is no report format "{form}": {allowed(form, FORMATS)}')
    path = out or subject.run.path / f"report.{form}"
    text = make(subject)
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise CallbenchError(f"cannot write {path}: {error.strerror}; give another file with --out") from error
    return path
