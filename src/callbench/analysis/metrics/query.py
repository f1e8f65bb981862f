"""`callbench query`: SQL over a run's tables, and over the metrics of its cells."""

from typing import TYPE_CHECKING

from callbench.store import query
from callbench.store.head import RUN
from callbench.store.record import Record

if TYPE_CHECKING:
    import duckdb

METRICS = "metrics"


def answered(run: Record, sql: str) -> query.Answer:
    """Columns and rows of a query. The table `metrics` takes reading all of the run, so it is made only if needed.

    Raises:
        BadInput: the run is damaged, or the query wrong.
    """
    return query.answered(run, sql, {METRICS: _metrics} if run.kind == RUN else None)


def _metrics(run: Record, connection: "duckdb.DuckDBPyConnection") -> None:
    """Make the table of metrics."""
    from callbench.analysis.metrics import metric_table  # noqa: PLC0415 - statistics are slow to load

    metric_table.make(run, connection, METRICS)
