"""What a stack's first calls took, where server and client had both just been started: a result of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callbench.model.metrics.registry import COLD
from callbench.stats.estimate.interval import Interval, geometric_mean

if TYPE_CHECKING:
    import duckdb

_COLUMNS = ", ".join(f"{metric.rows.value} AS {name}" for name, metric in COLD.items() if metric.rows is not None)
# Until steady: all that was driven of the call's operation, cold start included, until its first cell was steady.
COLD_SQL = f"""
WITH of_calls AS (SELECT cell, call, coalesce(json_extract_string(arguments, '$.type'), '') AS type FROM cells)
SELECT cold.stack, cold.link, cold.cell, cold.call, fork, calls_before, errors, {_COLUMNS}
FROM cold JOIN of_calls USING (cell) LEFT JOIN (
    SELECT start, call, type, min(before_s + seconds) AS driven_s
    FROM steadiness JOIN of_calls USING (cell) WHERE compiles AND steady GROUP BY ALL) until
ON until.start = cold.start AND until.call = of_calls.call AND until.type = of_calls.type
ORDER BY cold.cell, fork"""  # noqa: S608 - our own names


@dataclass(frozen=True)
class ColdStart:
    """One stack's first calls, over all its starts.

    Attributes:
        cell: whose call was made, by one client.
        starts: how many there were.
        calls_before: calls of the same kind that had to be made before, in each start.
        values: of the metrics of a start, those that are known: the geometric mean over the starts with its interval.
        ends: least and greatest of the same.
    """

    stack: str
    link: str
    cell: str
    call: str
    starts: int
    calls_before: int
    errors: int
    values: Mapping[str, Interval]
    ends: Mapping[str, tuple[float, float]]


def read(connection: "duckdb.DuckDBPyConnection") -> list[ColdStart]:
    """Read them in the order of the cells."""
    cursor = connection.execute(COLD_SQL)
    names = [column[0] for column in cursor.description or []]
    gathered: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for values in cursor.fetchall():
        row = dict(zip(names, values, strict=True))
        gathered.setdefault((row["stack"], row["link"], row["cell"]), []).append(row)
    return [_together(rows) for rows in gathered.values()]


def _together(rows: Sequence[Mapping[str, Any]]) -> ColdStart:
    seen = {name: [float(row[name]) for row in rows if row[name]] for name in COLD}
    known = {name: values for name, values in seen.items() if values}
    return ColdStart(
        stack=rows[0]["stack"],
        link=rows[0]["link"],
        cell=rows[0]["cell"],
        call=rows[0]["call"],
        starts=len(rows),
        calls_before=rows[0]["calls_before"],
        errors=sum(row["errors"] for row in rows),
        values={name: geometric_mean(values) for name, values in known.items()},
        ends={name: (min(values), max(values)) for name, values in known.items()},
    )
