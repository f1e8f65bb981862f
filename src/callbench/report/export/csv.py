"""Rows as CSV: a line a row, decimal points whatever the locale."""

import csv
import io
from collections.abc import Sequence

from callbench.analysis.run.subject import Subject
from callbench.report.export.plain_rows import Row, columns_of
from callbench.report.export.rows import cell_rows


def text(subject: Subject) -> str:
    """Write a line for each cell of a run."""
    return of_rows(cell_rows(subject))


def of_rows(rows: Sequence[Row]) -> str:
    """Write rows. What is None is empty; a number has six digits, which is more than any interval supports."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    columns = columns_of(rows)
    writer.writerow(columns)
    writer.writerows([_text(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def _text(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else value
