"""The trials of a cell that do not count, since they were not steady."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

UNSTEADY_SQL = """
SELECT cell, count(*) AS trials, mode(unsteady) AS why, sum(window_calls) / (sum(window_ns) / 1e9) AS rate_per_s
FROM trials WHERE unsteady <> '' GROUP BY cell ORDER BY cell"""

WARMED_SQL = """
SELECT cell, any_value(compiles), count(*), count(*) FILTER (steady), avg(seconds), sum(calls)::BIGINT,
       max(before_s + seconds) FILTER (steady), histogram(ended), sum(client_s),
       sum(server_s)
FROM (
    SELECT *, coalesce(client_compiler_ns, 0) / 1e9 AS client_s, coalesce(server_compiler_ns, 0) / 1e9
           AS server_s FROM steadiness)
GROUP BY cell ORDER BY cell"""


@dataclass(frozen=True)
class Unsteady:
    """Of one cell.

    Attributes:
        trials: how many.
        why: of most of them, a phrase; what stands before a colon is the kind of reason, without values.
        rate_per_s: calls a second over all of them: to be looked at, not to be compared.
    """

    trials: int
    why: str
    rate_per_s: float | None

    @property
    def kind(self) -> str:
        """The kind of reason."""
        return f"not steady: {self.why.partition(':')[0]}"


@dataclass(frozen=True)
class WarmUpSummary:
    """How one cell was warmed up, over all its trials.

    Attributes:
        compiles: whether a side's runtime compiles while it runs.
        steady: of how many trials the warm-up was steady.
        seconds: the mean of a trial's.
        until_steady_s: for how long its operation was driven at the most, by one pair of processes, until it was
            steady; None if it never was.
        ended: how many warm-ups ended for each reason.
        client_compiler_s: processor time of the compiler in all of them.
    """

    compiles: bool
    trials: int
    steady: int
    seconds: float
    calls: int
    until_steady_s: float | None
    ended: Mapping[str, int]
    client_compiler_s: float
    server_compiler_s: float


def warmed(connection: "duckdb.DuckDBPyConnection") -> dict[str, WarmUpSummary]:
    """Read how each cell was warmed up."""
    return {cell: WarmUpSummary(*row) for cell, *row in connection.execute(WARMED_SQL).fetchall()}


def read(connection: "duckdb.DuckDBPyConnection") -> dict[str, Unsteady]:
    """Read them by cell."""
    return {
        cell: Unsteady(trials, why, rate_per_s)
        for cell, trials, why, rate_per_s in connection.execute(UNSTEADY_SQL).fetchall()
    }
