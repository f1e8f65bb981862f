"""What makes a value worth believing, from the stored run: verdicts, Little's law, steady state, neighbours, drift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from callbench.analysis.cells.costs import PROCESSOR_COLUMNS, Cost, cost
from callbench.analysis.cells.table_rows import (
    ADAPTERS_OF_HOSTS_SQL,
    CLIENT_HOSTS_SQL,
    DISTURBED_SQL,
    ECHOES_SQL,
    INTERVALS_SQL,
    SIDES_SQL,
    SLOWDOWNS_SQL,
    STARTED_SQL,
    TRAFFIC_SQL,
    TRIALS_SQL,
    WARM_UPS_SQL,
    ClientHostRow,
    DisturbedRow,
    EchoRow,
    IntervalRow,
    SideRow,
    SlowdownRow,
    TrafficRow,
    TrialRow,
    WarmUpRow,
)
from callbench.analysis.cells.unsteady import WarmUpSummary, warmed
from callbench.model.card import StackCard
from callbench.stats.decide.decision import Decision, by_ratio
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load import littles_law
from callbench.stats.load.bottleneck import Evidence, LimitVerdict, Shortage, shortage, verdict_of
from callbench.stats.load.side_shares import side_of
from callbench.stats.steady.plateau import Plateau
from callbench.stats.steady.steady import LevelShift, rates_of, settled, shift
from callbench.stats.wire.link import Wire
from callbench.store.rows import grouped, rows_of

if TYPE_CHECKING:
    import duckdb


# A host that misses more of the slices hardly drove with the others.
MOST_MISSED = 0.5


@dataclass(frozen=True)
class Curve:
    """A trial's way to its steady state.

    Attributes:
        warm_up: seconds and calls a second of each piece before the trial.
        settled: whether the warm-up had stopped rising before its limit; None if its pieces are too few to say.
        shift: where the trial itself changed its level most, None if it was too short to tell.
        left_out: why the trial does not count for its cell, or nothing.
    """

    trial: int
    cell: str
    fork: int
    warm_up: Sequence[tuple[float, float]]
    settled: bool | None
    shift: LevelShift | None
    left_out: str = ""

    @property
    def unsteady(self) -> str:
        """Why the trial was not steady, or nothing."""
        if self.left_out:
            return self.left_out
        if self.shift is not None and self.shift.real:
            return f"its rate changed by {percent(self.shift.ratio - 1, sign=True)} during the measurement"
        return "its warm-up was still getting faster at the time limit" if self.settled is False else ""


@dataclass(frozen=True)
class SlowedSide:
    """What a known burn on one side did to the rate.

    Attributes:
        side: `client` or `server`.
        burn_ns: how much longer each call kept it busy.
        share: of what the side can do.
        ratio: rate with over rate without, with its interval over pairs of slices.
    """

    side: str
    burn_ns: int
    share: float
    ratio: Interval

    @property
    def follows(self) -> bool | None:
        """Whether the rate follows: half of what a limit would show is the dividing line. None: it cannot be told."""
        decision = by_ratio(self.ratio, neutral=1 / (1 + self.share / 2))
        return {Decision.WORSE: True, Decision.BETTER: False}.get(decision)

    def sentence(self) -> str:
        """Describe it: `server +5 % -> rate -4.8 % (-5.1 % to -4.4 %)`."""
        ends = ["" if end is None else percent(end - 1, 1, sign=True) for end in (self.ratio.low, self.ratio.high)]
        reach = f" ({ends[0]} to {ends[1]})" if all(ends) else ""
        return (
            f"{self.side} {percent(self.share, sign=True)} → rate {percent(self.ratio.middle - 1, 1, sign=True)}{reach}"
        )


@dataclass(frozen=True)
class CellValidity:
    """What is to be known of one cell beside its values.

    Attributes:
        evidence: what the verdict rests on.
        breaks: how it breaks Little's law, or "".
        plateaus: where its latencies stand for a reason.
        cost: processor time a call.
        link_bytes: bytes of frames over the link for each call, both ways, a value a fork.
        curves: one a trial.
        slowed: what making a side slower did, if it was asked.
        warm: how it was warmed up; None of runs of before that was kept.
        starved: as in `CellFacts`.
    """

    cell: str
    evidence: Evidence
    verdict: LimitVerdict
    breaks: str
    plateaus: Sequence[Plateau]
    cost: Cost
    curves: Sequence[Curve]
    slowed: Sequence[SlowedSide] = ()
    warm: WarmUpSummary | None = None
    link_bytes: Mapping[int, float] = field(default_factory=dict)
    starved: Sequence[Shortage] = ()


@dataclass(frozen=True)
class DisturbedTrial:
    """A trial that a neighbour disturbed, or the one made in its place."""

    trial: int
    cell: str
    fork: int
    counted: bool
    repeated: bool
    why: str
    rate: float | None


@dataclass(frozen=True)
class Started:
    """What a stack said and was seen to have when it was started.

    Attributes:
        connections: open after connecting, the most of any start.
        libraries: by name, as JSON text.
        resolution_ns: the least step between two readings of its clock.
        client_threads: the most that ran during one trial.
    """

    stack: str
    adapter: str
    connections: int | None
    runtime: str | None
    libraries: str | None
    clock: str | None
    resolution_ns: float | None
    reading_ns: float | None
    client_threads: int | None
    server_threads: int | None


@dataclass(frozen=True)
class EchoReading:
    """The echo at one place of a fork: raw echoes a second, and their round trip in microseconds."""

    fork: int
    place: str
    rate: float
    p50_us: float
    p99_us: float


@dataclass(frozen=True)
class Validity:
    """Everything that this room finds in a run.

    Attributes:
        adapters_of_hosts: what ran on each host with an agent, as JSON texts by its name.
    """

    cells: Mapping[str, CellValidity] = field(default_factory=dict)
    disturbed: Sequence[DisturbedTrial] = ()
    echoes: Sequence[EchoReading] = ()
    started: Sequence[Started] = ()
    adapters_of_hosts: Sequence[str] = ()

    @property
    def drift(self) -> float | None:
        """How far the echo's rates lie apart: the fastest over the slowest, less 1."""
        rates = [echo.rate for echo in self.echoes if echo.rate > 0]
        return max(rates) / min(rates) - 1 if len(rates) > 1 else None


@dataclass(frozen=True)
class CellFacts:
    """What of a cell is known before: from its plan and its result; whether its rate is without the loop's time.

    Attributes:
        starved: what hosts of clients lacked.
    """

    cell: str
    in_process: bool
    together: bool
    half_width: float | None
    plateaus: Sequence[Plateau]
    driver: bool = False
    loop_taken: bool = False
    apart: bool = False
    starved: Sequence[Shortage] = ()


def from_connection(connection: "duckdb.DuckDBPyConnection", known: Sequence[CellFacts]) -> Validity:
    """Compute from the run's tables."""
    trials = grouped(rows_of(connection, TRIALS_SQL, TrialRow), lambda row: row["cell"])
    sides = grouped(rows_of(connection, SIDES_SQL, SideRow), lambda row: row["trial"])
    traffic = grouped(rows_of(connection, TRAFFIC_SQL, TrafficRow), lambda row: row["trial"])
    intervals = grouped(rows_of(connection, INTERVALS_SQL, IntervalRow), lambda row: row["trial"])
    warm_ups = grouped(rows_of(connection, WARM_UPS_SQL, WarmUpRow), lambda row: row["trial"])
    slowed = grouped(rows_of(connection, SLOWDOWNS_SQL, SlowdownRow), lambda row: row["cell"])
    hosts = grouped(rows_of(connection, CLIENT_HOSTS_SQL, ClientHostRow), lambda row: row["cell"])
    warm = warmed(connection)
    cells = {}
    for facts in known:
        mine = trials.get(facts.cell, [])
        if mine:
            curves = [_curve(row, warm_ups.get(row["trial"], []), intervals.get(row["trial"], [])) for row in mine]
            # A trial that was not steady does not count where others were.
            steady = [row for row in mine if not row["unsteady"]] or mine
            lacking = host_shortages(hosts.get(facts.cell, []), driver=facts.driver)
            made = _cell_validity(replace(facts, starved=lacking), steady, sides, traffic, curves)
            cells[facts.cell] = replace(
                made, slowed=_slowed_sides(slowed.get(facts.cell, [])), warm=warm.get(facts.cell)
            )
    disturbed = [
        DisturbedTrial(
            trial=row["trial"],
            cell=row["cell"],
            fork=row["fork"],
            counted=row["counted"],
            repeated=row["repeated"],
            why=row["why"] or "",
            rate=row["rate_per_s"],
        )
        for row in rows_of(connection, DISTURBED_SQL, DisturbedRow)
    ]
    echoes = [
        EchoReading(row["fork"], row["place"], row["rate_per_s"] or 0.0, row["p50_us"] or 0.0, row["p99_us"] or 0.0)
        for row in rows_of(connection, ECHOES_SQL, EchoRow)
    ]
    started = [known for known in rows_of(connection, STARTED_SQL, Started) if known.adapter]
    hosted = [text for (text,) in connection.execute(ADAPTERS_OF_HOSTS_SQL).fetchall()]
    return Validity(cells, disturbed, echoes, started, hosted)


def _cell_validity(
    known: CellFacts,
    trials: Sequence[TrialRow],
    sides: Mapping[int, Sequence[SideRow]],
    traffic: Mapping[int, Sequence[TrafficRow]],
    curves: Sequence[Curve],
) -> CellValidity:
    evidence = replace(_evidence(known, trials, sides), link=_link(trials, traffic))
    verdict = verdict_of(evidence)
    if known.plateaus:
        verdict = verdict.beside_plateau(known.plateaus[0].sentence())
    # An open loop waits for its arrivals, which no client is in.
    breaks = "" if any(row["late"] is not None for row in trials) else _breaks(known, trials)
    spent = cost(trials, in_process=known.in_process)
    crossed = _crossed(trials, traffic)
    return CellValidity(
        cell=known.cell,
        evidence=evidence,
        verdict=verdict,
        breaks=breaks,
        plateaus=known.plateaus,
        cost=spent,
        curves=curves,
        link_bytes=crossed,
        starved=known.starved,
    )


def _link(trials: Sequence[TrialRow], traffic: Mapping[int, Sequence[TrafficRow]]) -> float | None:
    """Compute the share of the link's rate that was used, of the fuller direction, over all trials."""
    every = [
        (sample["direction"], sample["line_bytes"] * _share_within(row), sample["rate_bps"] * row["window_ns"] / 1e9)
        for row in trials
        for sample in traffic.get(row["trial"], ())
        if sample["rate_bps"] and row["window_ns"]
    ]
    shares = [
        sum(used for _, used, _ in seen) * 8 / sum(room_bits for _, _, room_bits in seen)
        for seen in grouped(every, lambda crossed: crossed[0]).values()
    ]
    return min(1.0, max(shares)) if shares else None


def _crossed(trials: Sequence[TrialRow], traffic: Mapping[int, Sequence[TrafficRow]]) -> dict[int, float]:
    """Compute bytes of frames a call, both ways, by fork."""
    found = {}
    for fork, rows in grouped(trials, lambda row: row["fork"]).items():
        calls = sum(row["calls"] + row["error_count"] for row in rows)
        seen = [sample["bytes"] for row in rows for sample in traffic.get(row["trial"], ())]
        if calls and sum(seen):
            found[fork] = sum(seen) / calls
    return found


def _breaks(known: CellFacts, trials: Sequence[TrialRow]) -> str:
    """Compare all trials of a cell together with Little's law."""
    gaps = [row["gap_ns"] for row in trials if row["gap_ns"] is not None]
    clean = all(row["count"] and not row["error_count"] for row in trials)
    timed = sum(row["count"] or 0 for row in trials)
    account = littles_law.LoopTimes(
        clients=int(trials[0]["clients"]),
        elapsed_ns=sum(row["elapsed_ns"] or 0 for row in trials),
        in_call_ns=sum(row["in_call_ns"] or 0 for row in trials),
        think_ns=sum(row["think_ns"] or 0 for row in trials),
        gap_ns=sum(gaps) if len(gaps) == len(trials) else None,
        calls=sum(row["calls"] + row["error_count"] for row in trials),
        mean_ns=sum(row["sum_ns"] or 0 for row in trials) / timed if clean else None,
    )
    return littles_law.broken(account, known.half_width)


def _evidence(known: CellFacts, trials: Sequence[TrialRow], sides: Mapping[int, Sequence[SideRow]]) -> Evidence:
    """Gather all trials' figures: shares of the time of all of them together."""
    window = sum(row["window_ns"] or 0 for row in trials)
    clients = int(trials[0]["clients"])
    seen = [sample for row in trials for sample in sides.get(row["trial"], ())]
    gaps = [row["gap_ns"] for row in trials if row["gap_ns"] is not None]
    loop = None
    if window and len(gaps) == len(trials):
        loop = max(0, sum(gaps) - _last_waits(trials)) / (window * clients)
    late = [row["late"] for row in trials if row["late"] is not None]
    stolen = [sample["steal_share"] for sample in seen]
    if known.in_process:
        both = side_of([sample for sample in seen if sample["side"] == "both"], _cpu(trials, "client"), window)
        client = server = both
    else:
        client = side_of([sample for sample in seen if sample["side"] == "client"], _cpu(trials, "client"), window)
        server = side_of([sample for sample in seen if sample["side"] == "server"], _cpu(trials, "server"), window)
    behind = [sample for sample in seen if sample["side"] == "backend"]
    return Evidence(
        clients=clients,
        in_process=known.in_process,
        client=client,
        server=server,
        paced=any(row["late"] is not None or row["think_ns"] for row in trials),
        loop=loop,
        lateness=max(late) if late else None,
        steal=sum(stolen) / len(stolen) if stolen else None,
        together=known.together,
        driver=known.driver,
        loop_taken=known.loop_taken,
        apart=known.apart,
        backend=side_of(behind, _cpu(trials, "backend"), window) if behind else None,
        lacked="; ".join(map(str, known.starved)),
    )


def host_shortages(hosts: Sequence[ClientHostRow], *, driver: bool) -> list[Shortage]:
    """Return what each of several hosts of clients lacked in all slices together, if it lacked something."""
    found = [
        Shortage(row["host"], "it missed {} of the time, as its orders came late", row["missed"])
        if row["missed"] > MOST_MISSED
        else shortage(row["host"], row["host_busy"], row["late"], row["driver_busy"] if driver else 0.0)
        for row in hosts
    ]
    return [lacking for lacking in found if lacking is not None]


def _last_waits(trials: Sequence[TrialRow]) -> int:
    """Compute what clients waited at the most for the last of them, when they had no call to make any more.

    It is in the gaps, yet no work of the loop's: up to a call's length a client, which is much of a trial of few calls,
    or all that the drive went on beyond its window.
    """
    made = [(row["calls"] + row["error_count"], row) for row in trials]
    return sum(
        int(row["clients"]) * max((row["in_call_ns"] or 0) // calls, row["elapsed_ns"] - row["window_ns"])
        for calls, row in made
        if calls
    )


def _slowed_sides(rows: Sequence[SlowdownRow]) -> list[SlowedSide]:
    """Compute a cell's slowdowns, side by side."""
    found = []
    for side, mine in grouped(rows, lambda row: row["side"]).items():
        pairs = [(row["plain_calls"], row["plain_ns"], row["slow_calls"], row["slow_ns"]) for row in mine]
        seen = slowed_rates(pairs)
        if seen:
            found.append(SlowedSide(side, mine[0]["burn_ns"], mine[0]["share"], geometric_mean(seen)))
    return found


def _cpu(trials: Sequence[TrialRow], side: str) -> int | None:
    """Processor time by the adapter's own account, which is exact where the kernel's is in ticks.

    It is of the whole drive: what lies within the window is as much of it as of the calls.
    """
    parts = [(row[column], _share_within(row)) for row in trials for column in PROCESSOR_COLUMNS[side]]
    known = [own * share for own, share in parts if own is not None]
    return int(sum(known)) if len(known) == len(parts) else None


def _share_within(row: TrialRow) -> float:
    """Compute the share of a trial's calls that lie within its window."""
    return float(row["window_calls"] / row["calls"]) if row["calls"] else 1.0


def _curve(trial: TrialRow, warm_up: Sequence[WarmUpRow], intervals: Sequence[IntervalRow]) -> Curve:
    at, points = 0.0, []
    for piece in warm_up:
        if piece["elapsed_ns"]:
            at += piece["elapsed_ns"] / 1e9
            points.append((at, piece["calls"] / (piece["elapsed_ns"] / 1e9)))
    rates = [rate for _, rate in points]
    rise = shift([rate for rate in rates_of([(row["at_ns"], row["calls"]) for row in intervals]) if rate > 0])
    done = settled(rates) if len(rates) >= 4 else None
    return Curve(
        trial=trial["trial"],
        cell=trial["cell"],
        fork=trial["fork"],
        warm_up=points,
        settled=done,
        shift=rise,
        left_out=trial["unsteady"],
    )


def slowed_rates(pairs: Sequence[Sequence[int]]) -> list[float]:
    """Divide the rate with a known slowdown by the rate without it, pair by pair.

    Args:
        pairs: calls and nanoseconds without it, then with it.
    """
    return [
        (slow / slow_ns) / (plain / plain_ns)
        for plain, plain_ns, slow, slow_ns in pairs
        if plain and plain_ns and slow and slow_ns
    ]


def placed_together(environment: Mapping[str, object]) -> bool:
    """Return whether this machine had no processor for each side."""
    placement = environment.get("placement")
    if not isinstance(placement, Mapping):
        return False
    return bool(set(placement.get("client") or []) & set(placement.get("server") or []))


def host_of_both(card: StackCard, wire: Wire) -> str:
    """Return the real host that has client and server, since the link lies between server and backend; "": none."""
    hosts: Mapping[str, str] = wire.get("hosts") or {}
    return hosts["client"] if hosts and "backend" not in hosts and card.get("backend") else ""
