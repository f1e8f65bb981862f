"""What a run found, from the stored run and nothing else."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from callbench.analysis.cells import (
    cold_starts,
    echo_multiples,
    histograms,
    metric_queries,
    unsteady,
    validity,
)
from callbench.analysis.cells.cell_results import result_of
from callbench.analysis.cells.messages import CodecCost, MessageTimes
from callbench.analysis.cells.results import AT_LEAST, Excluded, Latency, Result, Results
from callbench.analysis.cells.table_rows import CellRow, ForkRow
from callbench.analysis.cells.unsteady import Unsteady
from callbench.analysis.wire.accounts import Ledger, Sweep, ledgers, sweeps
from callbench.model import process_end
from callbench.model.cell import MIXED
from callbench.model.metrics.latency import ECHOES
from callbench.model.metrics.registry import PERCENTILES
from callbench.stats.estimate.prior import prior_of_rates, prior_of_ratios
from callbench.store.record import Record
from callbench.store.rows import grouped, rows_of

if TYPE_CHECKING:
    import duckdb

# Beside cells that have an interval, one that has none has no rank.
ONE_FORK = "one fork alone has no interval"
CELLS_SQL = "SELECT * FROM cells ORDER BY cell"
TRIALS_SQL = """
SELECT cell, fork, sum(calls) AS calls, sum(elapsed_ns) AS elapsed_ns, sum(error_count) AS error_count,
       sum(window_calls) AS window_calls, sum(window_ns) AS window_ns, sum(in_flight) AS in_flight,
       CASE WHEN count(gap_ns) = count(*) THEN sum(gap_ns) END AS loop_ns,
       sum(in_call_ns) AS in_call_ns, sum(count) AS count, sum(sum_ns) AS sum_ns, min(min_ns) AS min_ns, max(max_ns)
       AS max_ns, sum(service_sum_ns) AS service_sum_ns, min(service_min_ns) AS service_min_ns, max(service_max_ns)
       AS service_max_ns, sum(lateness_sum_ns) AS lateness_sum_ns, min(lateness_min_ns) AS lateness_min_ns,
       max(lateness_max_ns) AS lateness_max_ns, max(batch) AS batch, count(*) AS trials, bool_and(agree) AS agree,
       sum(slices) AS slices,
       exp(avg(ln(pace))) AS pace
FROM trials WHERE unsteady = '' GROUP BY cell, fork ORDER BY cell, fork"""
ERRORS_SQL = "SELECT cell, errors FROM trials WHERE error_count > 0 ORDER BY trial"
CODECS_SQL = 'SELECT * FROM codecs ORDER BY "group", message, direction DESC'
RANKING_SQL = """
SELECT "group", cells.clients, link, stack, fork,
       sum(window_calls) / (sum(window_ns) / 1e9 * avg(pace) * (1 - CASE WHEN max(cells.clients) = 1 AND max(batch) = 1
       THEN coalesce(sum(gap_ns) / sum(elapsed_ns), 0) ELSE 0 END)) AS rate_per_s
FROM trials JOIN cells USING (cell) WHERE unsteady = '' GROUP BY ALL ORDER BY ALL"""
# Of a process's whole life; journals of before that was counted have the calls of its last trial.
DEATHS_SQL = """
SELECT cell, min(coalesce(since_start, answered)) AS least, max(coalesce(since_start, answered)) AS most,
       count(*) FILTER (WHERE again) AS restarts
FROM deaths WHERE cell IS NOT NULL GROUP BY cell"""
EXCLUDED_SQL = "SELECT stack, cell, min(fork) AS fork, why FROM excluded GROUP BY stack, cell, why ORDER BY stack, cell"


class _DeathRow(TypedDict):
    """How many calls the processes of a cell had answered when they ended."""

    cell: str
    least: int | None
    most: int | None
    restarts: int


class _ErrorRow(TypedDict):
    """The errors of a trial: their number by kind, as JSON text."""

    cell: str
    errors: str


def read(run: Record) -> Results:
    """Read a run and compute what it found.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        results = from_connection(connection, _driven(run))
        known = validity.from_connection(connection, _known(run, results))
        counted = ledgers(connection), sweeps(connection)
        queried = metric_queries.read(connection)
        cold = cold_starts.read(connection)
        echoes = echo_multiples.read(connection, {cell.id: cell.by_fork.get("mean_us", {}) for cell in results.cells})
        died = {
            row["cell"]: process_end.after(row["least"], row["most"], row["restarts"])
            for row in rows_of(connection, DEATHS_SQL, _DeathRow)
        }
    cells = [_with_wire(cell, *counted) for cell in results.cells]
    cells = [
        replace(
            cell,
            by_fork={**cell.by_fork, **queried.get(cell.id, {}), **_named(ECHOES, echoes.get(cell.id))},
            died=died.get(cell.id, ""),
        )
        for cell in cells
    ]
    results = replace(results, cells=cells, ledgers=counted[0], sweeps=counted[1], notes=tuple(_notes(run)), cold=cold)
    results = _with_spreads(results)
    return with_validity(results, known)


def _with_spreads(results: Results) -> Results:
    """Return each cell, and the run, what all cells say together of how one varies."""
    rankings: dict[tuple[str, ...], list[Mapping[int, float]]] = {}
    for cell in results.cells:
        rankings.setdefault(cell.ranking, []).append(cell.by_fork.get("rate_per_s", {}))
    spread = prior_of_rates(rates for mine in rankings.values() for rates in mine)
    echoes = prior_of_rates(cell.by_fork.get(ECHOES, {}) for cell in results.cells)
    tails = {name: prior_of_rates(cell.by_fork.get(name, {}) for cell in results.cells) for name in PERCENTILES}
    cells = [replace(cell, spread=spread, echo_spread=echoes, tail_spreads=tails) for cell in results.cells]
    cells = [replace(cell, rate=cell.interval("rate_per_s")) for cell in cells]
    repeated = {ranking for ranking, mine in rankings.items() if max(map(len, mine)) > 1}
    cells = [
        replace(cell, doubts=(*cell.doubts, ONE_FORK)) if cell.forks == 1 and cell.ranking in repeated else cell
        for cell in cells
    ]
    return replace(results, cells=cells, prior=prior_of_ratios(rankings.values()))


def _named(name: str, figures: Mapping[int, float] | None) -> dict[str, Mapping[int, float]]:
    """Return values their name, or nothing if there are none."""
    return {name: figures} if figures else {}


def _known(run: Record, results: Results) -> list[validity.CellFacts]:
    """Gather what the plan and the environment say of each cell."""
    cards = {stack["id"]: stack.get("card") or {} for stack in run.plan().get("stacks", [])}
    inside = {id_ for id_, card in cards.items() if card.get("roles") == "in-process"}
    elsewhere = {id_ for id_, card in cards.items() if "url" in (card.get("external") or {})}
    driven = _driven(run)
    links = run.plan().get("links") or {}
    real = {name for name, wire in links.items() if "hosts" in wire}
    placed = validity.placed_together(run.environment())

    def together(stack: str, link: str) -> bool:
        if link in real:
            return bool(validity.host_of_both(cards.get(stack, {}), links[link]))
        return placed or stack in elsewhere

    return [
        validity.CellFacts(
            cell=cell.id,
            in_process=cell.attributes["stack"] in inside,
            together=together(cell.attributes["stack"], cell.attributes["link"]),
            driver=cell.attributes["stack"] in driven,
            loop_taken=cell.loop is not None,
            apart=cell.attributes["link"] in real,
            half_width=cell.rate.half_width if cell.rate else None,
            plateaus=cell.plateaus,
        )
        for cell in results.cells
    ]


def _driven(run: Record) -> set[str]:
    """Name the stacks that the load driver calls."""
    stacks = run.plan().get("stacks", [])
    return {stack["id"] for stack in stacks if MIXED in stack["id"] and "request" in (stack.get("card") or {})}


def with_validity(results: Results, judged: validity.Validity) -> Results:
    """Add verdicts and costs, and take away what must not be shown: values that break Little's law.

    What was never steady has no values from the beginning; it is listed with those.
    """
    cells = [
        _with_cell_validity(cell, judged.cells[cell.id]) if cell.id in judged.cells else cell for cell in results.cells
    ]
    never = [
        Excluded(cell.attributes["stack"], cell.id, 0, cell.not_steady) for cell in results.cells if cell.not_steady
    ]
    broken = [
        Excluded(cell.attributes["stack"], cell.id, 0, judged.cells[cell.id].breaks)
        for cell in results.cells
        if cell.id in judged.cells and judged.cells[cell.id].breaks
    ]
    return replace(results, cells=cells, excluded=[*results.excluded, *never, *broken], validity=judged)


def _with_cell_validity(cell: Result, known: validity.CellValidity) -> Result:
    """Add to one cell what is known of it."""
    if cell.not_steady:
        return replace(cell, verdict=known.verdict)
    if known.breaks:
        return replace(
            cell, rate=None, by_fork={}, latency=Latency(None, None, None), excluded=known.breaks, verdict=known.verdict
        )
    costs = known.cost.by_statistic
    doubts = (*cell.doubts, AT_LEAST + known.verdict.why) if known.verdict.at_least else cell.doubts
    rates_by_fork = {name: spent.by_fork for name, spent in costs.items()} | {"link_bytes": known.link_bytes}
    by_fork = {**cell.by_fork, **{name: values for name, values in rates_by_fork.items() if values}}
    return replace(cell, by_fork=by_fork, verdict=known.verdict, doubts=doubts, costs=costs)


def _notes(run: Record) -> Iterable[str]:
    """Read the journal's notes without parsing its long lines."""
    with run.journal_file.open("rb") as lines:
        for line in lines:
            if b'"note"' in line[:64] and line.endswith(b"\n"):
                yield str(json.loads(line).get("text", ""))


def from_connection(connection: "duckdb.DuckDBPyConnection", driven: Collection[str] = ()) -> Results:
    """Compute from the run's tables; `driven` are the stacks that the load driver calls."""
    codecs = rows_of(connection, CODECS_SQL, CodecCost)
    excluded = rows_of(connection, EXCLUDED_SQL, Excluded)
    forks = forks_of(connection)
    left_out = unsteady.read(connection)
    errors: dict[str, dict[str, int]] = {}
    for row in rows_of(connection, ERRORS_SQL, _ErrorRow):
        kinds = errors.setdefault(row["cell"], {})
        for kind, count in json.loads(row["errors"]).items():
            kinds[kind] = kinds.get(kind, 0) + int(count)
    timed = histograms.read(connection)
    written = MessageTimes(codecs)
    cells = [
        result_of(
            row,
            forks.get(row["cell"], []),
            errors.get(row["cell"], {}),
            timed,
            written,
            excluded,
            driven=row["stack"] in driven,
        )
        for row in rows_of(connection, CELLS_SQL, CellRow)
    ]
    cells = [_with_unsteady(cell, left_out.get(cell.id)) for cell in cells]
    starts, trials = connection.execute(
        "SELECT (SELECT count(*) FROM starts), (SELECT count(*) FROM trials)"
    ).fetchall()[0]
    return Results(cells, codecs, excluded, starts, trials)


def read_rates(run: Record) -> Results:
    """Read of a run its rates and mean times alone, a small part of what `read` does.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        forks = forks_of(connection)
        written = MessageTimes([])
        cells = [
            result_of(row, forks.get(row["cell"], []), {}, {}, written, [])
            for row in rows_of(connection, CELLS_SQL, CellRow)
        ]
    return _with_spreads(Results(cells, [], []))


def forks_of(connection: "duckdb.DuckDBPyConnection") -> dict[str, list[ForkRow]]:
    """Return the sums of the forks that count, by cell."""
    return grouped(rows_of(connection, TRIALS_SQL, ForkRow), lambda row: row["cell"])


def _with_unsteady(cell: Result, left_out: Unsteady | None) -> Result:
    """Put beside a cell's values the trials that are not in them; it has no rank where no others are left."""
    marked = replace(cell, unsteady=left_out)
    return replace(marked, doubts=(*marked.doubts, marked.not_steady)) if marked.not_steady else marked


def _with_wire(cell: Result, counted: Mapping[str, Ledger], swept: Mapping[str, Sweep]) -> Result:
    """Put beside a cell's values what its calls cost on the wire; an exact count is the same in every fork."""
    ledger = counted.get(cell.id) or swept.get(cell.id)
    if ledger is None:
        return cell
    forks = set(cell.by_fork.get("rate_per_s", {})) | {0, 1}
    exact = {name: dict.fromkeys(sorted(forks), value) for name, value in ledger.statistics().items()}
    varying = ledger.by_count() if isinstance(ledger, Ledger) else {}
    return replace(cell, by_fork={**cell.by_fork, **exact, **varying})
