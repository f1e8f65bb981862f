"""A report in a file, whatever it is of."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from callbench.model import machine_limits
from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

_Told = TypeVar("_Told")


def write_report(
    report: _Told, formats: Mapping[str, Callable[[_Told], str | bytes]], folder: Path, form: str, out: Path | None
) -> Path:
    """Write a report in one of its formats.

    Args:
        report: what the report is about.
        formats: what makes the text or the bytes, by the format's name.
        folder: the run's.
        form: one of `formats`.
        out: the file; `report.FORMAT` in the run's folder unless given.

    Raises:
        BadInput: no such format.
        CallbenchError: the file cannot be written.
    """
    make = formats.get(form)
    if make is None:
        raise BadInput(f'no report format "{form}" for this record: {allowed_names(form, formats)}')
    path = out or folder / f"report.{form}"
    made = make(report)
    try:
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    except OSError as error:
        raise machine_limits.written(f"cannot write {path}", error) from error
    return path
