"""The table of metrics that a query may ask for: a row for each cell and fork, a column for each metric."""

import math
from typing import TYPE_CHECKING

from callbench.analysis.cells.read_results import read
from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.metric_values import by_fork
from callbench.model.metrics.registry import VALUES
from callbench.store.record import Record

if TYPE_CHECKING:
    import duckdb

# How many rows one statement writes.
_AT_ONCE = 500


def make(run: Record, connection: "duckdb.DuckDBPyConnection", name: str) -> None:
    """Make it in a connection to the run's tables, from the cells of the run's condition.

    Raises:
        BadInput: the run is damaged.
    """
    types = ", ".join(f"{name} {metric.column}" for name, metric in VALUES.items())
    connection.execute(f"CREATE TABLE {name} (cell VARCHAR, fork BIGINT, {types})")
    rows = [row for result in read(run).cells for row in _rows(result)]
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(f"INSERT INTO {name} VALUES {', '.join(rows[start : start + _AT_ONCE])}")  # noqa: S608 - our own numbers


def _rows(result: Result) -> list[str]:
    """Write the rows of a cell as SQL: one for each fork that has a value."""
    values = {name: by_fork(result, name) for name in VALUES}
    forks = sorted({fork for own in values.values() for fork in own})
    return [
        f"('{result.id}', {fork}, {', '.join(_number(own.get(fork)) for own in values.values())})" for fork in forks
    ]


def _number(value: float | None) -> str:
    """Write a number as SQL."""
    return "NULL" if value is None or not math.isfinite(value) else repr(float(value))
