"""The cells of a run as a Parquet file, a row each."""

from callbench.analysis.run.subject import Subject
from callbench.report.export.parquet_file import parquet_of
from callbench.report.export.rows import cell_rows


def content(subject: Subject) -> bytes:
    """Write a row for each cell of a run."""
    return parquet_of(cell_rows(subject))
