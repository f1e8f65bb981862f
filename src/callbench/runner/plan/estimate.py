"""An estimate of a run's duration, computed from its plan before it begins."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import TIMES_CODEC, Cell, Stack
from callbench.model.service.imported import Imported
from callbench.runner.drive.slices import has_enough_slices, length_of, shorten
from callbench.runner.measure.processes import REST_S
from callbench.runner.measure.trial import limit_seconds
from callbench.runner.measure.warm_up import operation_of
from callbench.runner.plan.plan import Plan
from callbench.runner.reference.echoes import has_own_echo, slices_each
from callbench.runner.warm.warming import WAITS_NS
from callbench.runner.warm.worthwhile_rounds import worthwhile_rounds
from callbench.runner.wire.labs import labs_at_once
from callbench.runner.wire.payload import payload
from callbench.stats.wire.link import Wire, Wires, round_trip_ns, ways
from callbench.store.requested.run import RunLength

# Durations on an idle machine with two processors, in seconds: the start of both sides with and without a compiling
# runtime; the time of a slice and of a whole trial besides their calls; one life in a sweep.
_START_COMPILING, _START = 2.0, 0.04
_BESIDE_A_SLICE, _BESIDE_A_TRIAL = 0.005, 0.07
# A watched slice takes so much longer, because the probes read before and after it.
_WATCHED = 0.13
_LIFE_SECONDS = 0.15
# A wire ledger starts a server and two clients, and waits after each phase. A sweep starts one more client.
_LEDGER = 1.5
_STARTS_OF_LEDGER, _STARTS_OF_SWEEP = 1.5, 2.0
# Seconds until a compiling stack is steady: for the first operation, another operation, and a further cell of the same
# one. Measured for Hessian 2, gRPC and Jersey: 17, 34 and 38 s at first (bench/run warming prints it).
_FIRST_STEADY, _OTHER_STEADY, _FURTHER_STEADY = 20.0, 6.0, 0.7
# The cold start of a pair of processes, which is a result of its own.
_COLD_COMPILING, _COLD = 2.0, 0.07
# Default for an unknown call: its duration with one client, and the processor time of the busier side. The second one
# decides the rate with many clients. A card can give a better value: `busy_us`.
_CALL = 2e-4
_BUSY = 5e-5
# Raw echoes of a channel in each round.
_ECHOES, _QUICK_ECHOES = 9, 5
# Encoding and decoding of one message on both sides.
_CODEC, _QUICK_CODEC = 0.25, 0.06
# Connecting and verifying every call: round trips of the link, and bytes.
_ROUND_TRIPS_OF_START = 25
_BYTES_OF_START = 6_000
# Bytes that headers and framing add to a call.
_OVERHEAD_BYTES = 300
_MINUTE, _HOUR = 60, 3600
# The least number of forks of a condition, even if the time is over: one fork has no interval.
FEWEST = 2


@dataclass(frozen=True)
class Estimate:
    """The remaining work of a run.

    Attributes:
        seconds: estimated duration of the planned forks.
        limit_s: seconds after which measuring ends in any case, except for the first fork; None: no limit.
        forks: planned, of all conditions.
        slices: slices of cells in all planned forks.
        warm_up_s: the part of `seconds` in which runtimes that compile are warmed up.
    """

    seconds: float
    limit_s: float | None
    forks: int
    slices: int
    accounts: int
    warm_up_s: float = 0.0
    conditions: int = 1

    @property
    def expected_s(self) -> float:
        """Seconds until it ends: all that is planned, or the time limit, or two forks of each condition."""
        if self.limit_s is None or self.limit_s >= self.seconds:
            return self.seconds
        return max(self.limit_s, self.seconds * min(1.0, FEWEST * self.conditions / max(1, self.forks)))

    def __str__(self) -> str:
        """Return the estimate as one line."""
        if not (self.slices or self.accounts):
            return "nothing to measure"
        parts = [_count(self.forks, "fork") + " with " + _count(self.slices, "slice")] if self.slices else []
        parts += [_count(self.accounts, "wire ledger")] if self.accounts else []
        warm = f", of which {span(self.warm_up_s)} is warm-up of runtimes that compile" if self.warm_up_s else ""
        duration = f"{span(self.expected_s)} on an idle machine: {' and '.join(parts)}{warm}"
        if self.limit_s is None:
            return duration
        if self.limit_s < self.seconds:
            return (
                f"{duration}. All of it would take {span(self.seconds)}: it ends after {span(self.limit_s)} with the"
                " finished forks, at least two of each condition"
            )
        return f"{duration}. It continues until its claims and neighbours are decided, for at most {span(self.limit_s)}"


def estimate(  # noqa: PLR0913 - what is planned, how, what is there already
    plan: Plan,
    catalogue: Catalogue,
    pace: RunLength,
    left_out: Collection[str] = (),
    *,
    quick: bool = False,
    baselines: bool = True,
) -> Estimate:
    """Estimate the duration of the planned forks.

    Knee searches and further forks are not included, because their number depends on the results.

    Args:
        plan: what is to be done.
        catalogue: where the adapters' manifests are.
        pace: the least rounds of a fork, the time, and whether the numbers are exact.
        left_out: stacks that cannot run here.
        quick: whether it is a quick run, which takes less time for what it measures beside the cells.
        baselines: whether the echo of each channel is measured.
    """
    compiling = _compiling_stacks(plan, catalogue)
    busy = {stack.id: _busy_seconds(stack) for stack in plan.stacks}
    stacks = {stack.id: stack for stack in plan.stacks}
    with_codec = _stacks_with_codec_times(plan, catalogue)
    service = next((adapter.manifest.service for adapter in catalogue.adapters if adapter.manifest.service), None)
    seconds = warm_up_s = 0.0
    slices = 0
    for condition in plan.conditions:
        cells = [cell for cell in plan.cells_under(condition) if cell.stack not in left_out]
        sliced = [cell for cell in cells if not cell.whole]
        units: dict[tuple[str, str], list[Cell]] = {}
        for cell in cells:
            units.setdefault((cell.stack, cell.id if cell.whole else cell.link), []).append(cell)
        warmed = [mine for (stack, _), mine in units.items() if stack in compiling]
        warm_s = _fork_warm_up_seconds(warmed, plan.wires, catalogue.warm_up_limit_s)
        round_s = sum(
            _slice_seconds(cell, busy.get(cell.stack, _BUSY), plan.wires, service) + _BESIDE_A_SLICE for cell in sliced
        )
        rounds = pace.rounds
        rounds = rounds if pace.exact else worthwhile_rounds(rounds, warm_s, round_s)
        slices += plan.forks * (len(sliced) * rounds + len(cells) - len(sliced))
        for (stack, _), mine in units.items():
            seconds += plan.forks * _unit_seconds(
                mine, busy.get(stack, _BUSY), plan.wires, rounds, service, compiles=stack in compiling
            )
        seconds += plan.forks * warm_s
        warm_up_s += plan.forks * warm_s
        if baselines:
            echoed = Counter(
                stacks[cell.stack].channel
                for cell in sliced
                if cell.stack in with_codec and has_own_echo(cell, stacks[cell.stack].card)
            )
            sizes = _QUICK_ECHOES if quick else _ECHOES
            driven = sum(sizes * slices_each(count, sizes) for count in echoed.values())
            seconds += plan.forks * rounds * driven * (length_of(sliced[0].load).seconds if sliced else 0.0)
    alone = {
        (with_codec[cell.stack], cell.group)
        for cell in plan.timed
        if cell.stack in with_codec and cell.stack not in left_out
    }
    seconds += len(alone) * (_QUICK_CODEC if quick else _CODEC)
    accounts = [cell for cell in plan.cells if cell.wire is not None and cell.stack not in left_out]
    ledgers_s = sum(_ledger_seconds(cell, compiles=cell.stack in compiling) for cell in accounts)
    seconds += ledgers_s / max(1, labs_at_once(len(accounts)))
    forks = plan.forks * len(plan.conditions)
    return Estimate(
        seconds=seconds,
        limit_s=pace.limit_s,
        forks=forks,
        slices=slices,
        accounts=len(accounts),
        warm_up_s=warm_up_s,
        conditions=len(plan.conditions),
    )


def span(seconds: float) -> str:
    """Return a duration in words: `about 12 minutes`."""
    if seconds < 1.5 * _MINUTE:
        return f"about {max(5, 5 * round(seconds / 5))} s"
    if seconds < 1.5 * _HOUR:
        return f"about {round(seconds / _MINUTE)} minutes"
    return f"about {seconds / _HOUR:.1f} hours"


def longest(seconds: float) -> str:
    """Return a limit in words: `at most 12 minutes`."""
    return f"at most {span(seconds).removeprefix('about ')}"


def _compiling_stacks(plan: Plan, catalogue: Catalogue) -> set[str]:
    """Return the stacks whose runtime compiles while it runs. Stacks without a manifest are ignored."""
    there = {stack.id for stack in catalogue.every}
    return {stack.id for stack in plan.stacks if stack.id in there and catalogue.programs(stack).compiles}


def _busy_seconds(stack: Stack) -> float:
    """Return the processor time of a call in seconds: from the server's card, or the usual value."""
    return float(stack.card.get("busy_us", _BUSY * 1e6)) / 1e6


def _stacks_with_codec_times(plan: Plan, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    """Return adapter and message of the stacks that have an in-process stack for codec times."""
    inside = {
        (stack.adapter, stack.message) for stack in catalogue.stacks if stack.card.get(TIMES_CODEC) and stack.available
    }
    pairs = {stack.id: (stack.adapter, stack.message) for stack in plan.stacks}
    return {name: pair for name, pair in pairs.items() if pair in inside}


def _start_seconds(*, compiles: bool) -> float:
    return _START_COMPILING if compiles else _START


def _warm_up_seconds(cells: list[Cell], limit_s: float | None) -> float:
    """Estimate the warm-up of a start's cells on a compiling runtime, in seconds."""
    done: set[str] = set()
    seconds = 0.0
    for cell in cells:
        operation = operation_of(cell)
        steady_s = _FURTHER_STEADY if operation in done else _OTHER_STEADY if done else _FIRST_STEADY
        seconds += steady_s if limit_s is None else min(steady_s, limit_s)
        done.add(operation)
    return seconds


def _fork_warm_up_seconds(units: Sequence[list[Cell]], wires: Wires, limit_s: float | None) -> float:
    """Estimate the warm-up of all compiling runtimes of a fork, which are warmed up in parallel, in seconds.

    Stacks that wait for a link do not use a processor meanwhile.
    """
    local_s = remote_s = 0.0
    for cells in units:
        warm_s = _warm_up_seconds(cells, limit_s)
        if round_trip_ns(wires.get(cells[0].link, {})) >= WAITS_NS:
            remote_s = max(remote_s, warm_s)
        else:
            local_s += warm_s / len(os.sched_getaffinity(0))
    return max(local_s, remote_s)


def _unit_seconds(  # noqa: PLR0913 - all that a start depends on
    cells: list[Cell],
    busy_s: float,
    wires: Wires,
    rounds: int,
    service: Imported | None,
    *,
    compiles: bool,
) -> float:
    """Estimate one start in a fork: cold start, verification, and for each cell the warm-up and its slices.

    The warm-up of a compiling runtime is not included.
    """
    trip, per_byte = _link_seconds(wires.get(cells[0].link))
    seconds = _start_seconds(compiles=compiles) + _ROUND_TRIPS_OF_START * (trip + busy_s) + _BYTES_OF_START * per_byte
    seconds += _COLD_COMPILING if compiles else _COLD
    for cell in cells:
        slice_s = _slice_seconds(cell, busy_s, wires, service)
        if cell.whole:
            seconds += slice_s + _BESIDE_A_TRIAL + (REST_S if cell.watch else 0.0)
            continue
        calls = length_of(cell.load).calls
        lacks = (many * calls < cell.load.fork_calls for many in range(rounds))
        enough = (many for many, lack in enumerate(lacks) if has_enough_slices(many * slice_s, many, lacks_calls=lack))
        made = next(enough, rounds)
        seconds += (made + 0.5) * (slice_s + _BESIDE_A_SLICE)
    return seconds


def _slice_seconds(cell: Cell, busy_s: float, wires: Wires, service: Imported | None) -> float:
    """Estimate one slice of a cell, or all of its trial where that is driven whole."""
    trip, per_byte = _link_seconds(wires.get(cell.link))
    # Skip the payload size if the link has no rate: computing it for a long text takes the core a second.
    transfer_s = (sum(payload(cell.call, cell.arguments, service)) + _OVERHEAD_BYTES) * per_byte if per_byte else 0.0
    call = max(_CALL, busy_s) + trip + transfer_s
    load = cell.load
    wait = max((call + load.think_ns / 1e9) / load.clients, busy_s)
    if cell.whole:
        # Each client makes at least one call. With many clients, the busier side's processor sets the pace.
        calls = load.calls / load.rate_per_s if load.rate_per_s else max(load.calls, load.clients) * wait
        return min(max(load.seconds, calls), limit_seconds(load))
    length = shorten(length_of(load), load, call)
    return max(length.seconds, length.calls * wait)


def _link_seconds(wire: Wire | None) -> tuple[float, float]:
    """Return a link's round trip time, and the time of a byte in its slower direction, in seconds."""
    wire = wire or {}
    rates = [rate for way in ways(wire) if (rate := way.get("rate_bps"))]
    return round_trip_ns(wire) / 1e9, 8 / min(rates) if rates else 0.0


def _ledger_seconds(cell: Cell, *, compiles: bool) -> float:
    """Estimate one wire ledger or sweep, in seconds."""
    sweep = cell.wire or {}
    if not sweep:
        return _LEDGER + _STARTS_OF_LEDGER * _start_seconds(compiles=compiles)
    lives = min(len(sweep["grid"]), int(sweep["most"])) + int(sweep["fine"])
    return _STARTS_OF_SWEEP * _start_seconds(compiles=compiles) + lives * _LIFE_SECONDS


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" + ("" if number == 1 else "s")
