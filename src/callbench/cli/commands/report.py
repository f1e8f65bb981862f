"""`callbench report`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import StoredResult
from callbench.model.errors import BadInput


def command(  # noqa: PLR0913, PLR0917 - the options a person has
    path: StoredResult,
    form: Annotated[
        str, typer.Option("--format", metavar="html|md|csv|json|parquet", help="Format of the report.")
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="File for the report. Default: report.FORMAT beside the result."),
    ] = None,
    cells: Annotated[
        bool,
        typer.Option("--cells", help="Of a run: a page of its cells: forks, slices, latencies and a command for each."),
    ] = False,
    latency: Annotated[
        str | None,
        typer.Option(
            "--latency",
            metavar="CELL,...",
            help="Of a run: a page with the latency of these cells by percentile, laid over each other, or its figures"
            " with `--format json`. `--cells` has their ids. Default: the report.",
        ),
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="echo|STACK",
            help="Of a run: the tables beside the raw echo, or beside this stack. Default: values as measured.",
        ),
    ] = None,
) -> None:
    """Write the report of a stored result to a file.

    Prints the path of the file. Every kind of result has every format.
    """
    from callbench.report import records
    from callbench.report.export import cells as page_of_cells
    from callbench.report.export import html, latencies

    given = [
        name for name, value in {"--cells": cells or None, "--latency": latency, "--beside": beside}.items() if value
    ]
    if len(given) > 1:
        raise BadInput(f"{' and '.join(given)} are different pages: leave all but one out")
    if given and form != "html" and latency is None:
        raise BadInput(f"{given[0]} writes a page: leave out --format {form}")
    if latency is not None and form not in latencies.FORMATS:
        raise BadInput(f"--latency writes html or json: leave out --format {form}")
    if latency is not None:
        written = latencies.write(path, [name.strip() for name in latency.split(",")], form, out)
    elif beside:
        written = html.write_beside(path, beside, out)
    else:
        written = page_of_cells.write(path, out) if cells else records.write(path, form, out)
    print(written)  # noqa: T201
