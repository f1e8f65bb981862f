"""`callbench history`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.analysis.history.order import SeriesOrder
from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_json, print_line


def command(
    folder: Annotated[Path, typer.Argument(metavar="[RECORDS]", help="Folder of records.")] = Path("runs"),
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="NAME", help="Metric to follow. Can be repeated. Default: rate, p50, p99, capacity."
        ),
    ] = None,
    by: Annotated[
        SeriesOrder, typer.Option("--by", help="Order of the records: time, or the commit that --commit named.")
    ] = SeriesOrder.TIME,
    as_json: AsJson = False,
) -> None:
    """Find what changed in a folder of records, and when.

    Follows each cell of each study, and each tested server, on each machine. A change is dated by the two records that
    it lies between. A series needs 10 values. Exit code 0 with and without changes.
    """
    from callbench.analysis.history.history import history
    from callbench.analysis.history.series import METRICS, collected
    from callbench.model.errors import BadInput
    from callbench.report.history.document import document
    from callbench.report.history.terminal import lines
    from callbench.store.shelf import Shelf

    shelf = Shelf(folder)
    result = history(collected(shelf, tuple(metric or METRICS), by))
    if not result.collected.read and not result.collected.left_out:
        raise BadInput(f"there is no record in {shelf.folder}: measure something first")
    if as_json:
        print_json(document(result, by))
    else:
        for line in lines(result):
            print_line(line)
