"""What a run found: one result a cell, from the stored run and nothing else."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callbench import belief, cold_starts, death, echo_multiples, histograms, process_statistics, spreads, unsteady
from callbench.cell import MIXED, rate_text
from callbench.cold_starts import ColdStart
from callbench.histograms import Histograms, together
from callbench.messages import Codec, Written
from callbench.stats.bottleneck import Verdict
from callbench.stats.contrast import block_ratios
from callbench.stats.histogram import TOP, Buckets
from callbench.stats.interval import CONFIDENCE, Interval, geometric_mean
from callbench.stats.logratio import LogRatio, paired
from callbench.stats.pace import missed, reached_per_s
from callbench.stats.plateau import Plateau, plateaus
from callbench.stats.prior import NONE, Prior
from callbench.stats.rate import Window
from callbench.stats.spent import Spent
from callbench.store import Run
from callbench.unsteady import Unsteady
from callbench.wire.found import Ledger, Sweep, ledgers, sweeps

if TYPE_CHECKING:
    import duckdb

# What varies from fork to fork as rates do: only for these is a spread borrowed.
MODERATED = frozenset({"rate_per_s", "mean_us"})
SHARES = (0.5, 0.9, 0.99, 0.999)
NAMES = ("p50", "p90", "p99", "p999")

CELLS_SQL = "SELECT * FROM cells ORDER BY cell"
TRIALS_SQL = """
SELECT cell, block, sum(calls) AS calls, sum(elapsed_ns) AS elapsed_ns, sum(error_count) AS error_count,
       sum(window_calls) AS window_calls, sum(window_ns) AS window_ns, sum(in_flight) AS in_flight,
       sum(in_call_ns) AS in_call_ns, sum(count) AS count, sum(sum_ns) AS sum_ns, min(min_ns) AS min_ns, max(max_ns)
       AS max_ns, sum(service_sum_ns) AS service_sum_ns, min(service_min_ns) AS service_min_ns, max(service_max_ns)
       AS service_max_ns, sum(lateness_sum_ns) AS lateness_sum_ns, min(lateness_min_ns) AS lateness_min_ns,
       max(lateness_max_ns) AS lateness_max_ns, max(batch) AS batch, count(*) AS trials, bool_and(agree) AS agree,
       exp(avg(ln(pace))) AS pace
FROM trials WHERE unsteady = '' GROUP BY cell, block ORDER BY cell, block"""
ERRORS_SQL = "SELECT cell, errors FROM trials WHERE error_count > 0 ORDER BY trial"
CODECS_SQL = 'SELECT * FROM codecs ORDER BY "group", message, direction DESC'
RANKING_SQL = """
SELECT "group", cells.clients, link, stack, block, sum(window_calls) / (sum(window_ns) / 1e9 * avg(pace)) AS rate_per_s
FROM trials JOIN cells USING (cell) WHERE unsteady = '' GROUP BY ALL ORDER BY ALL"""
# Of a process's whole life; journals of before that was counted have the calls of its last trial.
DEATHS_SQL = """
SELECT cell, min(coalesce(since_start, answered)) AS least, max(coalesce(since_start, answered)) AS most,
       count(*) FILTER (WHERE again) AS restarts
FROM deaths WHERE cell IS NOT NULL GROUP BY cell"""
EXCLUDED_SQL = (
    "SELECT stack, cell, min(block) AS block, why FROM excluded GROUP BY stack, cell, why ORDER BY stack, cell"
)


@dataclass(frozen=True)
class Latency:
    """Latency of a cell over all its trials, in microseconds.

    Attributes:
        percentiles: p50, p90, p99, p999; None where calls were timed in batches.
        max: the greatest, None likewise.
        mean: over all calls.
    """

    percentiles: Mapping[str, float] | None
    max: float | None
    mean: float | None


@dataclass(frozen=True)
class OpenLoop:
    """What only an open loop has.

    Attributes:
        target_per_s: the rate asked for.
        reached: the rate at which calls were begun, or None where no call was answered.
        latency: from the intended start, also where the target was missed.
        service: from the real start: what a closed loop would call latency.
        lateness: of the generator itself.
        missed: why the figures are not those of the target, or None.
    """

    target_per_s: float
    reached: Interval | None
    latency: Latency
    service: Latency
    lateness: Latency
    missed: str | None


@dataclass(frozen=True)
class Result:
    """One cell: what was asked and what came out.

    Attributes:
        attributes: cell, group, stack, adapter, message, channel, language, call, clients, arrivals, rate, link as
        texts, for choosing cells.
        calls: answered rightly, over all trials.
        errors: by kind, over all trials.
        by_block: a figure a fork for each statistic of a study; where batches of a fork met different moments of the
            machine, at the mean speed of the fork.
        rate: calls a second, or None where no call was answered.
        batched: whether calls were too short to be timed one by one.
        agree: whether client and server counted alike in every trial.
        excluded: why nothing was measured, or nothing more.
        doubts: why its figure must not be ranked, a phrase each; whoever finds a reason adds it here.
        think_ms: how long a client of a closed loop thought between two calls.
        ramp_up_ms: within which clients began one after another.
        options: what clients connected with.
        open_loop: of an open loop; where its target was missed, the cell has no other figures.
        plateaus: where its latencies stand for a reason.
        verdict: what limited it.
        costs: processor time a call by statistic: sums over the time driven.
        spread: what all cells of the run say together of how the rate of one varies from fork to fork.
        unsteady: the trials that do not count, if any. Where no others are left, the cell has no values.
        died: where a process of its stack ended while it was measured: `died after 1,234 calls,
            restarted once`; else "".
    """

    attributes: Mapping[str, str]
    arguments: Mapping[str, Any]
    calls: int
    errors: Mapping[str, int]
    trials: int
    by_block: Mapping[str, Mapping[int, float]]
    rate: Interval | None
    latency: Latency
    batched: bool
    agree: bool
    excluded: str | None = None
    doubts: Sequence[str] = ()
    think_ms: float = 0.0
    ramp_up_ms: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    open_loop: OpenLoop | None = None
    plateaus: Sequence[Plateau] = ()
    verdict: Verdict | None = None
    costs: Mapping[str, Spent] = field(default_factory=dict)
    died: str = ""
    unsteady: Unsteady | None = None
    spread: Prior = NONE

    @property
    def not_steady(self) -> str:
        """Why it has no figures, where no trial of it was steady; else nothing."""
        return self.unsteady.kind if self.unsteady is not None and not self.trials else ""

    @property
    def ranked(self) -> bool:
        """Whether its rate may stand in a ranking: it has one, it was not given up, and nothing speaks against it."""
        return self.rate is not None and self.excluded is None and not self.doubts

    @property
    def id(self) -> str:
        """The cell's id."""
        return self.attributes["cell"]

    @property
    def blocks(self) -> int:
        """How many blocks measured it."""
        return len(self.by_block.get("rate_per_s", {}))

    def interval(self, statistic: str) -> Interval | None:
        """Reckon the geometric mean of a statistic over the blocks, with its interval; of costs, their sums' mean."""
        spent = self.costs.get(statistic)
        if spent is not None:
            return spent.interval()
        values = list(self.by_block.get(statistic, {}).values())
        if len(values) > 1 and statistic in MODERATED:
            return self.spread.moderated(paired(values)).interval(CONFIDENCE)
        return geometric_mean(values) if values else None


@dataclass(frozen=True)
class Excluded:
    """A stack, or one of its cells, that was not measured, or no further."""

    stack: str
    cell: str | None
    block: int
    why: str


@dataclass(frozen=True)
class Results:
    """All that a run found."""

    cells: Sequence[Result]
    codecs: Sequence[Codec]
    excluded: Sequence[Excluded]
    visits: int = 0
    trials: int = 0
    notes: Sequence[str] = field(default_factory=tuple)
    beliefs: belief.Beliefs = field(default_factory=belief.Beliefs)
    ledgers: Mapping[str, Ledger] = field(default_factory=dict)
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    cold: Sequence[ColdStart] = ()
    prior: Prior = NONE

    def estimated(self, one: Result, other: Result) -> LogRatio | None:
        """Estimate the log of one cell's rate over another's, fork by fork, with what the run knows of how such vary.

        None from fewer than two forks that have both.
        """
        values = block_ratios(*([each.by_block.get("rate_per_s", {})] for each in (one, other)))
        return self.prior.moderated(paired(values)) if len(values) > 1 else None

    def ratio(self, one: Result, other: Result) -> Interval | None:
        """Divide one cell's rate by another's, with its interval where there is one; None where no fork has both."""
        known = self.estimated(one, other)
        if known is not None:
            return known.interval(CONFIDENCE)
        values = block_ratios(*([each.by_block.get("rate_per_s", {})] for each in (one, other)))
        return geometric_mean(values) if values else None

    def where(self, conditions: Mapping[str, str]) -> list[Result]:
        """Choose the cells that have every value given."""
        if not conditions:
            return list(self.cells)
        places = set.intersection(*(self._places.get(pair, set()) for pair in conditions.items()))
        return [self.cells[place] for place in sorted(places)]

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], set[int]]:
        """The places of the cells that have a value, by name and value: tables ask for thousands of cells."""
        found: dict[tuple[str, str], set[int]] = {}
        for place, one in enumerate(self.cells):
            for pair in one.attributes.items():
                found.setdefault(pair, set()).add(place)
        return found


def read(run: Run) -> Results:
    """Read a run and reckon what it found.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        found = from_connection(connection)
        beliefs = belief.from_connection(connection, _known(run, found))
        counted = ledgers(connection), sweeps(connection)
        served = process_statistics.read(connection)
        cold = cold_starts.read(connection)
        echoes = echo_multiples.read(connection, {one.id: one.by_block.get("mean_us", {}) for one in found.cells})
        died = {
            row["cell"]: death.after(row["least"], row["most"], row["restarts"])
            for row in rows_of(connection, DEATHS_SQL)
        }
    cells = [_with_wire(cell, *counted) for cell in found.cells]
    cells = [
        replace(
            cell,
            by_block={**cell.by_block, **served.get(cell.id, {}), **_named(echo_multiples.NAME, echoes.get(cell.id))},
            died=died.get(cell.id, ""),
        )
        for cell in cells
    ]
    found = replace(found, cells=cells, ledgers=counted[0], sweeps=counted[1], notes=tuple(_notes(run)), cold=cold)
    found = _with_spreads(found)
    return believed(found, beliefs)


def _with_spreads(found: Results) -> Results:
    """Give each cell, and the run, what all cells say together of how one varies."""
    rankings: dict[tuple[str, ...], list[Mapping[int, float]]] = {}
    for one in found.cells:
        key = tuple(one.attributes[name] for name in ("group", "clients", "arrivals", "rate", "link"))
        rankings.setdefault(key, []).append(one.by_block.get("rate_per_s", {}))
    spread = spreads.of_cells(rates for mine in rankings.values() for rates in mine)
    cells = [replace(one, spread=spread) for one in found.cells]
    cells = [replace(one, rate=one.interval("rate_per_s")) for one in cells]
    return replace(found, cells=cells, prior=spreads.of_ratios(rankings.values()))


def _named(name: str, figures: Mapping[int, float] | None) -> dict[str, Mapping[int, float]]:
    """Give figures their name, or nothing where there are none."""
    return {name: figures} if figures else {}


def _known(run: Run, found: Results) -> list[belief.Known]:
    """Gather what the plan and the environment say of each cell."""
    cards = {stack["id"]: stack.get("card") or {} for stack in run.plan().get("stacks", [])}
    inside = {id_ for id_, card in cards.items() if card.get("roles") == "in-process"}
    elsewhere = {id_ for id_, card in cards.items() if "url" in (card.get("external") or {})}
    driven = {id_ for id_, card in cards.items() if MIXED in id_ and "request" in card}
    placement = run.environment().get("placement") or {}
    together = bool(set(placement.get("client") or []) & set(placement.get("server") or []))
    return [
        belief.Known(
            cell=one.id,
            in_process=one.attributes["stack"] in inside,
            together=together or one.attributes["stack"] in elsewhere,
            driver=one.attributes["stack"] in driven,
            half_width=one.rate.half_width if one.rate else None,
            plateaus=one.plateaus,
        )
        for one in found.cells
    ]


def believed(found: Results, beliefs: belief.Beliefs) -> Results:
    """Add verdicts and costs, and take away what must not be shown: figures that break Little's law.

    What was never steady has no figures from the beginning; it is listed with those.
    """
    cells = [_believed(one, beliefs.cells[one.id]) if one.id in beliefs.cells else one for one in found.cells]
    never = [Excluded(one.attributes["stack"], one.id, 0, one.not_steady) for one in found.cells if one.not_steady]
    broken = [
        Excluded(one.attributes["stack"], one.id, 0, beliefs.cells[one.id].breaks)
        for one in found.cells
        if one.id in beliefs.cells and beliefs.cells[one.id].breaks
    ]
    return replace(found, cells=cells, excluded=[*found.excluded, *never, *broken], beliefs=beliefs)


def _believed(one: Result, known: belief.Belief) -> Result:
    """Add to one cell what is known of it."""
    if one.not_steady:
        return replace(one, verdict=known.verdict)
    if known.breaks:
        return replace(
            one, rate=None, by_block={}, latency=Latency(None, None, None), excluded=known.breaks, verdict=known.verdict
        )
    costs = known.cost.by_statistic
    doubts = (*one.doubts, f"at least: {known.verdict.why}") if known.verdict.at_least else one.doubts
    told = {name: spent.by_block for name, spent in costs.items()} | {"link_bytes": known.link_bytes}
    by_block = {**one.by_block, **{name: values for name, values in told.items() if values}}
    return replace(one, by_block=by_block, verdict=known.verdict, doubts=doubts, costs=costs)


def _notes(run: Run) -> Iterable[str]:
    """Read the journal's notes without parsing its long lines."""
    with run.journal_file.open("rb") as lines:
        for line in lines:
            if b'"note"' in line[:64] and line.endswith(b"\n"):
                yield str(json.loads(line).get("text", ""))


def from_connection(connection: "duckdb.DuckDBPyConnection") -> Results:
    """Reckon from the run's tables."""
    codecs = [Codec(**{key: row[key] for key in Codec.__dataclass_fields__}) for row in rows_of(connection, CODECS_SQL)]
    excluded = [
        Excluded(row["stack"], row["cell"], row["block"], row["why"]) for row in rows_of(connection, EXCLUDED_SQL)
    ]
    blocks: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(connection, TRIALS_SQL):
        blocks.setdefault(row["cell"], []).append(row)
    left_out = unsteady.read(connection)
    errors: dict[str, dict[str, int]] = {}
    for row in rows_of(connection, ERRORS_SQL):
        kinds = errors.setdefault(row["cell"], {})
        for kind, count in json.loads(row["errors"]).items():
            kinds[kind] = kinds.get(kind, 0) + int(count)
    timed = histograms.read(connection)
    written = Written(codecs)
    cells = [
        _result(row, blocks.get(row["cell"], []), errors.get(row["cell"], {}), timed, written, excluded)
        for row in rows_of(connection, CELLS_SQL)
    ]
    cells = [_with_unsteady(cell, left_out.get(cell.id)) for cell in cells]
    visits, trials = connection.execute(
        "SELECT (SELECT count(*) FROM visits), (SELECT count(*) FROM trials)"
    ).fetchall()[0]
    return Results(cells, codecs, excluded, visits, trials)


def _with_unsteady(cell: Result, left_out: Unsteady | None) -> Result:
    """Put beside a cell's figures the trials that are not in them; it has no rank where no others are left."""
    one = replace(cell, unsteady=left_out)
    return replace(one, doubts=(*one.doubts, one.not_steady)) if one.not_steady else one


def _with_wire(cell: Result, counted: Mapping[str, Ledger], swept: Mapping[str, Sweep]) -> Result:
    """Put beside a cell's figures what its calls cost on the wire; an exact count is the same in every block."""
    found = counted.get(cell.id) or swept.get(cell.id)
    if found is None:
        return cell
    blocks = set(cell.by_block.get("rate_per_s", {})) | {0, 1}
    exact = {name: dict.fromkeys(sorted(blocks), value) for name, value in found.statistics().items()}
    varying = found.by_count() if isinstance(found, Ledger) else {}
    return replace(cell, by_block={**cell.by_block, **exact, **varying})


def rows_of(connection: "duckdb.DuckDBPyConnection", query: str) -> Iterable[dict[str, Any]]:
    """Run a query; a row is a mapping."""
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _result(  # noqa: PLR0913, PLR0917 - one cell is made of all these tables
    cell: Mapping[str, Any],
    blocks: Sequence[Mapping[str, Any]],
    errors: Mapping[str, int],
    timed: Histograms,
    written: Written,
    excluded: Sequence[Excluded],
) -> Result:
    """Put one cell's result together."""
    answered = [row for row in blocks if row["calls"] and row["elapsed_ns"]]
    by_block: dict[str, dict[int, float]] = {
        "rate_per_s": {row["block"]: rate / row["pace"] for row in answered if (rate := window_in(row).per_s)},
        "mean_us": {row["block"]: mean * row["pace"] for row in answered if (mean := _mean_us([row]))},
    }
    own = timed.get(("latency", cell["cell"]), {})
    limits = {row["block"]: (row["min_ns"] or 0, row["max_ns"] or TOP, row["pace"]) for row in answered}
    for block, buckets in own.items():
        if block in limits:
            least, most, pace = limits[block]
            for name, value in zip(NAMES, buckets.percentiles(SHARES, least, most), strict=True):
                by_block.setdefault(f"{name}_us", {})[block] = value * pace / 1e3
    messages = written.of(cell)
    if messages is not None:
        for name, figure in (("bytes", messages.bytes), ("codec_us", messages.codec_us)):
            if figure:
                by_block[name] = {row["block"]: figure for row in answered}
    every = together(own.values()) if own else None
    latency = _latency(answered, every)
    open_loop = _open_loop(cell, answered, timed, latency)
    why_missed = open_loop.missed if open_loop else None
    if why_missed:
        by_block, latency = {}, Latency(None, None, None)
    rates = list(by_block.get("rate_per_s", {}).values())
    keys = (
        "cell",
        "group",
        "stack",
        "adapter",
        "message",
        "channel",
        "language",
        "call",
        "clients",
        "arrivals",
        "link",
    )
    whys = [one.why for one in excluded if one.stack == cell["stack"] and one.cell in (None, cell["cell"])]
    return Result(
        attributes={**{key: str(cell[key]) for key in keys}, "rate": rate_text(cell["target_per_s"])},
        arguments=json.loads(cell["arguments"] or "{}"),
        calls=int(sum(row["calls"] for row in blocks)),
        errors=errors,
        trials=int(sum(row["trials"] for row in blocks)),
        by_block=by_block,
        rate=geometric_mean(rates) if rates else None,
        latency=latency,
        batched=any((row["batch"] or 1) > 1 for row in answered),
        agree=all(row["agree"] is not False for row in blocks),
        excluded=whys[0] if whys else None,
        doubts=(*_doubts(blocks), *([why_missed] if why_missed else [])),
        think_ms=float(cell["think_ms"]),
        ramp_up_ms=float(cell.get("ramp_up_ms") or 0.0),
        options=json.loads(cell.get("options") or "{}") or {},
        open_loop=open_loop,
        plateaus=plateaus(every) if every else (),
    )


def window_in(row: Mapping[str, Any]) -> Window:
    """Give the window of a trial, or of several, as the tables have it."""
    return Window(row["window_calls"], row["window_ns"], row["in_flight"])


def _doubts(blocks: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Gather why a cell must not be ranked."""
    return ("client and server counted differently",) if any(row["agree"] is False for row in blocks) else ()


def _mean_us(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Reckon the mean time of a call: the histogram's own sum where there is one, else the time within calls."""
    timed = [row for row in rows if row["count"]]
    if timed:
        return float(sum(row["sum_ns"] for row in timed) / sum(row["count"] for row in timed) / 1e3)
    calls = sum(row["calls"] + row["error_count"] for row in rows)
    spent = sum(row["in_call_ns"] or 0 for row in rows)
    return float(spent / calls / 1e3) if calls and spent else None


def _open_loop(
    cell: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], found: Histograms, latency: Latency
) -> OpenLoop | None:
    """Reckon what an open loop has besides, and whether it kept its rate."""
    target = cell["target_per_s"]
    if target is None:
        return None
    timed = [row for row in rows if row["count"]]
    parts = {name: found.get((name, cell["cell"]), {}).values() for name in ("service", "lateness")}
    service, lateness = (_latency(timed, together(own) if own else None, name) for name, own in parts.items())
    if not timed:
        return OpenLoop(target, None, latency, service, lateness, None)
    reached = geometric_mean(
        [
            reached_per_s(row["calls"], row["elapsed_ns"], row["service_sum_ns"] / row["count"], window_in(row))
            for row in timed
        ]
    )
    p99 = [(one.percentiles or {}).get("p99", 0.0) for one in (lateness, latency)]
    return OpenLoop(target, reached, latency, service, lateness, missed(target, reached, *p99))


def _latency(rows: Sequence[Mapping[str, Any]], every: Buckets | None, name: str = "") -> Latency:
    """Reckon percentiles over all trials of a cell: the histograms are added up first.

    Args:
        rows: the cell's blocks.
        every: its histogram, if any.
        name: `service` or `lateness`; "" for the latency.
    """
    before = f"{name}_" if name else ""
    if name:
        mean = sum(row[f"{name}_sum_ns"] for row in rows) / sum(row["count"] for row in rows) / 1e3 if rows else None
    else:
        mean = _mean_us(rows) if rows else None
    if every is None:
        return Latency(None, None, mean)
    least = min((row[f"{before}min_ns"] for row in rows if row[f"{before}min_ns"] is not None), default=0)
    most = max((row[f"{before}max_ns"] for row in rows if row[f"{before}max_ns"] is not None), default=TOP)
    values = every.percentiles(SHARES, least, most)
    percentiles = {name: value / 1e3 for name, value in zip(NAMES, values, strict=True)}
    return Latency(percentiles, most / 1e3, mean)
