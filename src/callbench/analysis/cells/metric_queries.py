"""The metrics that a query over a run's tables gives: their declarations in callbench.model.metrics say which."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from callbench.model.metrics.metric import Metric
from callbench.model.metrics.registry import METRICS

if TYPE_CHECKING:
    import duckdb

# By cell, then name, then fork.
Found = dict[str, dict[str, dict[int, float]]]


def query_of(metrics: Mapping[str, str], rows: str) -> str:
    """Write the query that gives some metrics of the same rows: cell, fork, and a column for each.

    Args:
        metrics: the expression of each, by its name.
        rows: what stands behind FROM.
    """
    columns = ", ".join(f"{value} AS {name}" for name, value in metrics.items())
    return f"SELECT cell, fork, {columns} FROM {rows} GROUP BY cell, fork ORDER BY cell, fork"  # noqa: S608 - our own texts


def queries(metrics: Iterable[Metric]) -> list[str]:
    """Write one query for all metrics that have the same rows."""
    values: dict[str, dict[str, str]] = {}
    for metric in metrics:
        if metric.rows is not None:
            values.setdefault(metric.rows.of, {})[metric.name] = metric.rows.value
    return [query_of(expressions, rows) for rows, expressions in values.items()]


def read(connection: "duckdb.DuckDBPyConnection") -> Found:
    """Compute them for every cell, each in the unit of its metric.

    What was not looked at, or was none at all, has no value: values are compared as ratios.
    """
    found: Found = {}
    for query in queries(METRICS.values()):
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or []][2:]
        for cell, fork, *values in cursor.fetchall():
            for name, value in zip(names, values, strict=True):
                rows = METRICS[name].rows
                least = rows.least if rows is not None else 0.0
                if value is not None and (figure := max(float(value), least)) > 0:
                    found.setdefault(cell, {}).setdefault(name, {})[fork] = figure
    return found
