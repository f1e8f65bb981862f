"""What a stack's first calls took, where server and client had both just been started: a result of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from callbench.model.metrics.registry import COLD
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.store.rows import grouped, lines_of

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


@dataclass(frozen=True)
class _Start:
    """One start of a stack, as `ColdStart` has it; None where a figure is not known."""

    stack: str
    link: str
    cell: str
    call: str
    calls_before: int
    errors: int
    figures: Mapping[str, float | None]


def read(connection: "duckdb.DuckDBPyConnection") -> list[ColdStart]:
    """Read them in the order of the cells."""
    starts = [
        _Start(
            stack=line["stack"],
            link=line["link"],
            cell=line["cell"],
            call=line["call"],
            calls_before=line["calls_before"],
            errors=line["errors"],
            figures={name: line[name] for name in COLD},
        )
        for line in lines_of(connection, COLD_SQL)
    ]
    gathered = grouped(starts, lambda start: (start.stack, start.link, start.cell))
    return [_together(own) for own in gathered.values()]


def _together(starts: Sequence[_Start]) -> ColdStart:
    seen = {name: [float(value) for start in starts if (value := start.figures[name])] for name in COLD}
    known = {name: values for name, values in seen.items() if values}
    first = starts[0]
    return ColdStart(
        stack=first.stack,
        link=first.link,
        cell=first.cell,
        call=first.call,
        starts=len(starts),
        calls_before=first.calls_before,
        errors=sum(start.errors for start in starts),
        values={name: geometric_mean(values) for name, values in known.items()},
        ends={name: (min(values), max(values)) for name, values in known.items()},
    )
