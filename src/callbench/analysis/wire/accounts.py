"""What the ledgers of a run found, from its tables: accounts of calls, and sweeps."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from callbench.analysis.wire.counts import FIGURES, FIRST, LIFE, STEADY, Row, stream, whole, wire
from callbench.stats.wire.linear_fit import FittedLine, fitted
from callbench.stats.wire.sweep import SweepResult, even, swept
from callbench.store.rows import grouped, lines_of, rows_of

if TYPE_CHECKING:
    import duckdb

WIRE_SQL = "SELECT * FROM wire ORDER BY cell, phase, direction DESC"
SWEEPS_SQL = "SELECT * FROM sweeps ORDER BY cell, grid, place"


@dataclass(frozen=True)
class Ledger:
    """The account of one call of one stack.

    Attributes:
        phases: rows by phase, one a direction; none where the channel has no packets.
        request_payload: bytes of data in the arguments.
        answer_payload: bytes of data in the answer.
        exact: whether two counts of a steady call in a row were equal, in whole bytes each way.
        counts: bytes of the streams of a steady call in each count that was made; none where a run kept them not.
    """

    phases: Mapping[str, Sequence[Row]]
    request_payload: int
    answer_payload: int
    exact: bool
    counts: Sequence[float] = ()

    @property
    def reach(self) -> tuple[float, float] | None:
        """The least and the greatest count of a steady call's streams, where they differ."""
        ends = (min(self.counts), max(self.counts)) if self.counts else (0.0, 0.0)
        return ends if ends[0] < ends[1] else None

    def by_count(self) -> dict[str, dict[int, float]]:
        """Return the statistics that vary, a value a count; nothing if the account is exact.

        Where a run kept no counts, one value: what varies has no interval then.
        """
        if self.exact or not self.phases:
            return {}
        steady = self.phases[STEADY]
        counts = self.counts or [stream(steady)]
        headers = wire(steady) - stream(steady)
        return {
            "stream_bytes": dict(enumerate(counts)),
            "wire_bytes": {place: count + headers for place, count in enumerate(counts)},
            "packets": {0: float(sum(row["packets"] for row in steady))},
            "round_trips": {0: sum(row["turns"] for row in steady) / 2},
        }

    def statistics(self) -> dict[str, float]:
        """Return what a study's tables and claims may ask for."""
        if not self.phases:
            return {}
        steady = self.phases[STEADY]
        values = {
            "stream_bytes": stream(steady),
            "wire_bytes": wire(steady),
            "packets": sum(row["packets"] for row in steady),
            "round_trips": sum(row["turns"] for row in steady) / 2,
            "first_bytes": stream(self.phases[FIRST]),
            "life_bytes": stream(self.phases[LIFE]),
        }
        return {name: float(value) for name, value in values.items() if value > 0}


@dataclass(frozen=True)
class Sweep:
    """The lives of fresh clients over the values of an argument.

    Attributes:
        values: in the order of the grid, as texts.
        counts: bytes of the streams, both ways, by value, as counted.
        payloads: bytes of data, both ways, by value.
        fine: the same counts for every number from 0 up to a small one.
        swept: what follows for the whole grid; None if values are no numbers.
        item: bytes of data that one more item has.
    """

    over: str
    values: Sequence[str]
    counts: Mapping[str, int]
    payloads: Mapping[str, int]
    fine: Mapping[int, int]
    swept: SweepResult | None
    item: float
    reused: bool

    @property
    def exact(self) -> bool:
        """Whether the count is known for every value."""
        return self.swept is None or self.swept.exact

    @property
    def line(self) -> FittedLine | None:
        """The straight line through what was counted, by least squares; None if values are no numbers."""
        if self.swept is None or len(self.swept.measured) < 2:
            return None
        return fitted(list(self.swept.measured), list(self.swept.measured.values()))

    @property
    def per_item(self) -> float | None:
        """Bytes that one more item costs, over the whole grid."""
        ends = _ends(self.counts)
        if ends is None:
            return None
        return (self.counts[str(ends[1])] - self.counts[str(ends[0])]) / (ends[1] - ends[0])

    def statistics(self) -> dict[str, float]:
        """Return what a study's tables and claims may ask for."""
        values = {"total_bytes": float(sum(self.counts.values())), "life_bytes": float(self.counts[self.values[0]])}
        return values | ({"bytes_per_item": self.per_item} if self.per_item else {})


class _SweepPlan(TypedDict):
    """The setting that was to be swept, and its values."""

    over: str
    grid: list[int]


class _SweepRow(TypedDict):
    """The bytes of a client's life with one value of the setting, and whether one process lived several lives."""

    cell: str
    grid: str
    value: str
    to_server: int
    to_client: int
    payload: int
    reused: bool


def ledgers(connection: "duckdb.DuckDBPyConnection") -> dict[str, Ledger]:
    """Read the accounts of a run by cell."""
    lines = grouped(lines_of(connection, WIRE_SQL), lambda line: str(line["cell"]))
    return {cell: _ledger(own) for cell, own in lines.items()}


def _ledger(lines: Sequence[Row]) -> Ledger:
    """Put an account together. Earlier runs took a fraction for exact where it came twice."""
    first, counted = lines[0], [line for line in lines if line["phase"] is not None]
    # Earlier runs did not count the tags of TLS apart from what is inside records.
    phases = {
        phase: [{key: line.get(key) or 0 for key in ("connections", *FIGURES)} for line in own]
        for phase, own in grouped(counted, lambda line: str(line["phase"])).items()
    }
    exact = bool(first["exact"]) and (not phases or whole(phases[STEADY]))
    counts = tuple(first.get("counts") or ())
    return Ledger(phases, first["request_payload"], first["answer_payload"], exact, counts)


def sweeps(connection: "duckdb.DuckDBPyConnection") -> dict[str, Sweep]:
    """Read the sweeps of a run by cell, and compute again what follows from what was counted."""
    plans: dict[str, _SweepPlan] = {
        str(cell): json.loads(text)
        for cell, text in connection.execute("SELECT cell, wire FROM cells").fetchall()
        if text
    }
    points = grouped(rows_of(connection, SWEEPS_SQL, _SweepRow), lambda row: row["cell"])
    return {cell: _sweep(plans[cell], rows) for cell, rows in points.items()}


def _sweep(plan: _SweepPlan, rows: Sequence[_SweepRow]) -> Sweep:
    coarse = [row for row in rows if row["grid"] == "coarse"]
    counts = {row["value"]: int(row["to_server"] + row["to_client"]) for row in coarse}
    payloads = {row["value"]: int(row["payload"]) for row in coarse}
    grid = plan["grid"]
    known: SweepResult | None = None
    item = 0.0
    if even(grid):
        known = _completed_sweep(grid, {int(value): count for value, count in counts.items()})
    ends = _ends(counts)
    if ends is not None:
        item = (payloads[str(ends[1])] - payloads[str(ends[0])]) / (ends[1] - ends[0])
    fine = {int(row["value"]): int(row["to_server"] + row["to_client"]) for row in rows if row["grid"] == "fine"}
    reused = bool(rows[0]["reused"])
    return Sweep(
        over=plan["over"],
        values=list(counts),
        counts=counts,
        payloads=payloads,
        fine=fine,
        swept=known,
        item=item,
        reused=reused,
    )


def _ends(counts: Mapping[str, int]) -> tuple[int, int] | None:
    """Find the least and the greatest value, where values are numbers."""
    if len(counts) < 2 or not all(value.isdigit() for value in counts):
        return None
    return min(map(int, counts)), max(map(int, counts))


class _NotCountedError(Exception):
    """A size that the run has not counted."""


def _completed_sweep(grid: Sequence[int], counts: Mapping[int, int]) -> SweepResult | None:
    """Make a sweep once more from its own counts: it asks for the same sizes, and finds the same."""

    def count(size: int) -> int:
        if size not in counts:
            raise _NotCountedError
        return counts[size]

    try:
        return swept(grid, count, len(counts))
    except _NotCountedError:
        return None
