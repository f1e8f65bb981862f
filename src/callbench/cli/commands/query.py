"""`callbench query`."""

from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson, StoredResult
from callbench.cli.outcome.output import show_rows


def command(
    path: StoredResult,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="Query in the SQL of DuckDB.")],
    as_json: AsJson = False,
) -> None:
    """Query the tables of a stored result with SQL.

    A run has many tables. Every other result has one: `journal`, with a row for each line of its journal.

    The page docs/reference/run-folder.md lists the tables and their columns. The table `metrics` has a row for each
    cell and fork, and a column for each metric of docs/reference/metrics.md.
    """
    from callbench.analysis.metrics import query
    from callbench.store.record import Record

    columns, rows = query.answered(Record(path), sql)
    show_rows([dict(zip(columns, row, strict=True)) for row in rows], columns, as_json=as_json)
