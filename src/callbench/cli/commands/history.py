"""`callbench history`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import print_json, print_line


def command(
    folder: Annotated[Path, typer.Argument(metavar="[RECORDS]", help="Folder of records.")] = Path("runs"),
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="NAME", help="Metric to follow. Can be repeated. Default: rate_per_s, p50_us, p99_us."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find what changed in a folder of records, and when.

    Follows each cell of each study, and each load, on each machine. A change is dated by the two records that it lies
    between. A series needs 10 values. Exit code 0 with and without changes.
    """
    from callbench.analysis.history.history import history
    from callbench.analysis.history.series import METRICS, collected
    from callbench.model.errors import BadInput
    from callbench.report.history.document import document
    from callbench.report.history.terminal import lines
    from callbench.store.shelf import Shelf

    shelf = Shelf(folder)
    result = history(collected(shelf, tuple(metric or METRICS)))
    if not result.collected.read and not result.collected.left_out:
        raise BadInput(f"there is no record in {shelf.folder}: measure something first")
    if as_json:
        print_json(document(result))
    else:
        for line in lines(result):
            print_line(line)
