"""How long a fork takes: until its first round, and a round. Foretold from its cells, then as forks before it took."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, Stack
from callbench.model.service.imported import Imported
from callbench.runner.drive.slices import length_of, shorten
from callbench.runner.measure.trial import limit_seconds
from callbench.runner.measure.warm_up import operation_of
from callbench.runner.plan.plan import Plan
from callbench.runner.warm.warming import WAITS_NS
from callbench.runner.wire.payload import payload
from callbench.stats.wire.link import Wire, Wires, round_trip_ns, ways

# Durations on an idle machine with two processors, in seconds: the start of both sides with and without a compiling
# runtime, and the time of a slice besides its calls.
START_COMPILING, START = 2.0, 0.04
BESIDE_A_SLICE = 0.005
# Seconds until a compiling stack is steady: for the first operation, another operation, and a further cell of the same
# one. Measured for Hessian 2, gRPC and Jersey: 17, 34 and 38 s at first (bench/run warming prints it).
_FIRST_STEADY, _OTHER_STEADY, _FURTHER_STEADY = 20.0, 6.0, 0.7
# Default for an unknown call: its duration with one client, and the processor time of the busier side. The second one
# decides the rate with many clients. A card can give a better value: `busy_us`.
_CALL = 2e-4
BUSY = 5e-5
# Bytes that headers and framing add to a call.
_OVERHEAD_BYTES = 300


@dataclass(frozen=True)
class ForkCost:
    """What a fork takes.

    Attributes:
        start_s: seconds until its first round: starts, checks, warm-ups.
        round_s: seconds of a round.
    """

    start_s: float
    round_s: float

    def seconds(self, rounds: int) -> float:
        """Return the seconds of a fork of so many rounds."""
        return self.start_s + rounds * self.round_s

    def as_it_took(self, expected: "ForkCost", took: "ForkCost") -> "ForkCost":
        """Correct what was foretold by what another fork took, and what was foretold of that."""
        return ForkCost(
            self.start_s * took.start_s / expected.start_s if expected.start_s else took.start_s,
            self.round_s * took.round_s / expected.round_s if expected.round_s else took.round_s,
        )


def foretold(cells: Sequence[Cell], plan: Plan, catalogue: Catalogue) -> ForkCost:
    """Foretell a fork of these cells, as far as they are driven in slices, on an idle machine."""
    compiling = compiling_stacks(plan, catalogue)
    busy = {stack.id: busy_seconds(stack) for stack in plan.stacks}
    service = service_of(catalogue)
    sliced = [cell for cell in cells if not cell.whole]
    units: dict[tuple[str, str], list[Cell]] = {}
    for cell in sliced:
        units.setdefault((cell.stack, cell.link), []).append(cell)
    warmed = [mine for (stack, _), mine in units.items() if stack in compiling]
    starts_s = sum(start_seconds(compiles=stack in compiling) for stack, _ in units)
    return ForkCost(
        starts_s + warm_up_seconds(warmed, plan.wires, catalogue.warm_up_limit_s),
        round_seconds(sliced, busy, plan.wires, service),
    )


def service_of(catalogue: Catalogue) -> Imported | None:
    """Return the imported service whose calls are made; None: Callbench's own."""
    return next((adapter.manifest.service for adapter in catalogue.adapters if adapter.manifest.service), None)


def compiling_stacks(plan: Plan, catalogue: Catalogue) -> set[str]:
    """Return the stacks whose runtime compiles while it runs. Stacks without a manifest are ignored."""
    there = {stack.id for stack in catalogue.every}
    return {stack.id for stack in plan.stacks if stack.id in there and catalogue.programs(stack).compiles}


def busy_seconds(stack: Stack) -> float:
    """Return the processor time of a call in seconds: from the server's card, or the usual value."""
    return float(stack.card.get("busy_us", BUSY * 1e6)) / 1e6


def start_seconds(*, compiles: bool) -> float:
    """Estimate the start of both sides, in seconds."""
    return START_COMPILING if compiles else START


def warm_up_seconds(units: Collection[Sequence[Cell]], wires: Wires, limit_s: float | None) -> float:
    """Estimate the warm-up of all compiling runtimes of a fork, which are warmed up in parallel, in seconds.

    Stacks that wait for a link do not use a processor meanwhile.
    """
    local_s = remote_s = 0.0
    for cells in units:
        warm_s = _unit_warm_up_seconds(cells, limit_s)
        if round_trip_ns(wires.get(cells[0].link, {})) >= WAITS_NS:
            remote_s = max(remote_s, warm_s)
        else:
            local_s += warm_s / len(os.sched_getaffinity(0))
    return max(local_s, remote_s)


def _unit_warm_up_seconds(cells: Sequence[Cell], limit_s: float | None) -> float:
    """Estimate the warm-up of a start's cells on a compiling runtime, in seconds."""
    done: set[str] = set()
    seconds = 0.0
    for cell in cells:
        operation = operation_of(cell)
        steady_s = _FURTHER_STEADY if operation in done else _OTHER_STEADY if done else _FIRST_STEADY
        seconds += steady_s if limit_s is None else min(steady_s, limit_s)
        done.add(operation)
    return seconds


def round_seconds(cells: Sequence[Cell], busy: Mapping[str, float], wires: Wires, service: Imported | None) -> float:
    """Estimate a round of cells that are driven in slices, in seconds.

    Args:
        cells: which.
        busy: processor time of a call by stack, in seconds.
        wires: the definition of each link.
        service: whose calls are made; None: Callbench's own.
    """
    return sum(slice_seconds(cell, busy.get(cell.stack, BUSY), wires, service) + BESIDE_A_SLICE for cell in cells)


def slice_seconds(cell: Cell, busy_s: float, wires: Wires, service: Imported | None) -> float:
    """Estimate one slice of a cell, or all of its trial where that is driven whole, in seconds."""
    trip, per_byte = link_seconds(wires.get(cell.link))
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


def link_seconds(wire: Wire | None) -> tuple[float, float]:
    """Return a link's round trip time, and the time of a byte in its slower direction, in seconds."""
    wire = wire or {}
    rates = [rate for way in ways(wire) if (rate := way.get("rate_bps"))]
    return round_trip_ns(wire) / 1e9, 8 / min(rates) if rates else 0.0
