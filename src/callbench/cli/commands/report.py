"""`callbench report`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import StoredResult
from callbench.model.errors import BadInput


def command(
    path: StoredResult,
    form: Annotated[
        str, typer.Option("--format", metavar="html|md|csv|json|parquet", help="Format of the report.")
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="File for the report. Default: report.FORMAT beside the result."),
    ] = None,
    cells: Annotated[
        bool, typer.Option("--cells", help="Of a run: a page of its cells, with forks, slices and a command for each.")
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
) -> None:
    """Write the report of a stored result to a file.

    Prints the path of the file. Every kind of result has every format.
    """
    from callbench.report import records
    from callbench.report.export import cells as page_of_cells
    from callbench.report.export import latencies

    if latency is not None and cells:
        raise BadInput("--cells and --latency are two pages: leave one of them out")
    if cells and form != "html":
        raise BadInput(f"--cells writes a page: leave out --format {form}")
    if latency is not None and form not in latencies.FORMATS:
        raise BadInput(f"--latency writes html or json: leave out --format {form}")
    if latency is not None:
        written = latencies.write(path, [name.strip() for name in latency.split(",")], form, out)
    else:
        written = page_of_cells.write(path, out) if cells else records.write(path, form, out)
    print(written)  # noqa: T201
