"""`callbench report`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import StoredResult


def command(
    path: StoredResult,
    form: Annotated[
        str, typer.Option("--format", metavar="html|md|csv|json|parquet", help="Format of the report.")
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="File for the report. Default: report.FORMAT beside the result."),
    ] = None,
) -> None:
    """Write the report of a stored result to a file.

    Prints the path of the file. Every kind of result has every format.
    """
    from callbench.report import records

    print(records.write(path, form, out))  # noqa: T201
