"""How long a run will take, said before it begins: reckoned from its plan, not from a clock."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from callbench.catalog.catalogue import Catalogue
from callbench.catalog.links.wire import round_trip_ns, ways
from callbench.model.cell import Cell, Stack
from callbench.runner.codecs import CHANNEL
from callbench.runner.echoes import applies
from callbench.runner.measure.processes import REST_S
from callbench.runner.measure.trial import limit_seconds
from callbench.runner.measure.warm_up import operation_of
from callbench.runner.plan import Plan
from callbench.runner.slices import enough, length_of, shortened
from callbench.runner.warming import WAITS_NS
from callbench.runner.wire.payload import payload

# What things take on a machine of two processors with nothing else to do, in seconds: an adapter's two sides, of a
# runtime that compiles while it runs and of one that does not; what a slice and a whole trial take besides their calls;
# one life counted.
_START_COMPILING, _START = 2.0, 0.04
_BESIDE_A_SLICE, _BESIDE_A_TRIAL = 0.005, 0.07
# A watched slice takes so much longer, with what the probes read before and behind it.
_WATCHED = 0.13
_LIFE = 0.15
# An account starts a server and two clients and waits for each of its phases to be quiet; a sweep one client more.
_ACCOUNT = 1.5
_STARTS_OF_ACCOUNT, _STARTS_OF_SWEEP = 1.5, 2.0
# Until a stack that compiles is steady, in seconds: the first operation of its processes, another one, and a further
# cell of one. Seen of Hessian 2, gRPC and Jersey, which took 17, 34 and 38 s at first (bench/run warming prints it).
_FIRST_STEADY, _OTHER_STEADY, _FURTHER_STEADY = 20.0, 6.0, 0.7
# The first calls of a pair of processes, which are a result of their own.
_COLD_COMPILING, _COLD = 2.0, 0.07
# A call of which nothing is known: with one client, and how long it keeps the busier side's processor, which is what it
# takes where many call. A card may know better: `busy_us`.
_CALL = 2e-4
_BUSY = 5e-5
# Raw echoes of a channel, in each round.
_ECHOES, _QUICK_ECHOES = 9, 5
# A message alone, both of its sides written and read.
_CODEC, _QUICK_CODEC = 0.25, 0.06
# A connection is made and every call verified: round trips of the link, and octets.
_TRIPS_OF_VISIT = 25
_OCTETS_OF_VISIT = 6_000
# What headers and framing add to a call's data, in octets.
_AROUND = 300
_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Estimate:
    """What is left to do.

    Attributes:
        seconds: that the planned forks take, about.
        limit_s: after how many seconds measuring ends in any case, but for the first fork; None: there is no limit.
        slices: of cells, in all of the planned forks.
        warm_up_s: how much of `seconds` is the warm-up of stacks whose runtime compiles.
    """

    seconds: float
    limit_s: float | None
    forks: int
    slices: int
    accounts: int
    warm_up_s: float = 0.0

    def __str__(self) -> str:
        """One line for a person."""
        if not (self.slices or self.accounts):
            return "nothing to measure"
        parts = [_count(self.forks, "fork") + " with " + _count(self.slices, "slice")] if self.slices else []
        parts += [_count(self.accounts, "wire ledger")] if self.accounts else []
        warm = f", of which {span(self.warm_up_s)} is warm-up of runtimes that compile" if self.warm_up_s else ""
        told = f"{span(self.seconds)} on an idle machine: {' and '.join(parts)}{warm}"
        if self.limit_s is None:
            return told
        if self.limit_s < self.seconds:
            ends = span(self.limit_s)
            return f"{told}. It ends after {ends} with the finished forks, at least two of each condition"
        return f"{told}. It continues until its claims and neighbours are decided, for at most {span(self.limit_s)}"


def estimated(  # noqa: PLR0913 - what is planned, how, what is there already
    plan: Plan,
    catalogue: Catalogue,
    pace: Mapping[str, Any],
    left_out: Collection[str] = (),
    *,
    quick: bool = False,
    floors: bool = True,
) -> Estimate:
    """Estimate what the planned forks of a run take.

    Searches for knees and forks beyond those planned are not in it: how long they take is what they find out.

    Args:
        plan: what is to be done.
        catalogue: where the adapters' manifests are.
        pace: `rounds` of a fork, and `limit_s`.
        left_out: stacks that cannot run here.
        quick: whether it is a quick run, which takes less time for what it measures beside the cells.
        floors: whether each channel's echo is measured.
    """
    compiling = _compiling(plan, catalogue)
    busy = {stack.id: _busy(stack) for stack in plan.stacks}
    channels = {stack.id: stack.channel for stack in plan.stacks}
    bare = _with_messages_alone(plan, catalogue)
    seconds = warm_up_s = 0.0
    slices = 0
    processors = len(os.sched_getaffinity(0))
    for condition in plan.conditions:
        cells = [cell for cell in plan.cells_under(condition) if cell.stack not in left_out]
        sliced = [cell for cell in cells if not cell.whole]
        slices += plan.forks * (len(sliced) * int(pace["rounds"]) + len(cells) - len(sliced))
        units: dict[tuple[str, str], list[Cell]] = {}
        for cell in cells:
            units.setdefault((cell.stack, cell.id if cell.whole else cell.link), []).append(cell)
        near_s = far_s = 0.0
        for (stack, _), mine in units.items():
            compiles = stack in compiling
            seconds += plan.forks * _unit(
                mine, busy.get(stack, _BUSY), plan.wires, int(pace["rounds"]), compiles=compiles
            )
            warm_s = _until_steady(mine, catalogue.warm_up_limit_s) if compiles else 0.0
            # Stacks are warmed up side by side; those that wait for a link are in nobody's way.
            if round_trip_ns(plan.wires.get(mine[0].link, {})) >= WAITS_NS:
                far_s = max(far_s, warm_s)
            else:
                near_s += warm_s / processors
        seconds += plan.forks * max(near_s, far_s)
        warm_up_s += plan.forks * max(near_s, far_s)
        if floors:
            echoed = {channels[cell.stack] for cell in sliced if cell.stack in bare and applies(cell)}
            each = (_QUICK_ECHOES if quick else _ECHOES) * (length_of(sliced[0].load).seconds if sliced else 0.0)
            seconds += plan.forks * int(pace["rounds"]) * len(echoed) * each
    alone = {(bare[one.stack], one.group) for one in plan.timed if one.stack in bare and one.stack not in left_out}
    seconds += len(alone) * (_QUICK_CODEC if quick else _CODEC)
    accounts = [cell for cell in plan.cells if cell.wire is not None and cell.stack not in left_out]
    seconds += sum(_account(cell, compiles=cell.stack in compiling) for cell in accounts)
    forks = plan.forks * len(plan.conditions)
    return Estimate(seconds, pace["limit_s"], forks, slices, len(accounts), warm_up_s)


def span(seconds: float) -> str:
    """Write a time as a person would say it: `about 12 minutes`."""
    if seconds < 1.5 * _MINUTE:
        return f"about {max(5, 5 * round(seconds / 5))} s"
    if seconds < 1.5 * _HOUR:
        return f"about {round(seconds / _MINUTE)} minutes"
    return f"about {seconds / _HOUR:.1f} hours"


def _compiling(plan: Plan, catalogue: Catalogue) -> set[str]:
    """Find the stacks whose runtime compiles while it runs; of what no manifest has any more nothing is known."""
    there = {stack.id for stack in catalogue.every}
    return {stack.id for stack in plan.stacks if stack.id in there and catalogue.programs(stack).compiles}


def _busy(stack: Stack) -> float:
    """Give how long a call keeps a processor, in seconds: as the server's card has it, else what most take."""
    return float(stack.card.get("busy_us", _BUSY * 1e6)) / 1e6


def _with_messages_alone(plan: Plan, catalogue: Catalogue) -> dict[str, tuple[str, str]]:
    """Find the stacks whose message is timed alone, by an in-process stack of theirs: they have a floor too."""
    inside = {(one.adapter, one.message) for one in catalogue.stacks if one.channel == CHANNEL and one.available}
    pairs = {stack.id: (stack.adapter, stack.message) for stack in plan.stacks}
    return {name: pair for name, pair in pairs.items() if pair in inside}


def _start(*, compiles: bool) -> float:
    return _START_COMPILING if compiles else _START


def _until_steady(cells: list[Cell], limit_s: float | None) -> float:
    """Reckon how long a visit's cells are warmed up where a side's runtime compiles, each to be steady."""
    had: set[str] = set()
    seconds = 0.0
    for cell in cells:
        operation = operation_of(cell)
        one = _FURTHER_STEADY if operation in had else _OTHER_STEADY if had else _FIRST_STEADY
        seconds += one if limit_s is None else min(one, limit_s)
        had.add(operation)
    return seconds


def _unit(
    cells: list[Cell], busy_s: float, wires: Mapping[str, Mapping[str, Any]], rounds: int, *, compiles: bool
) -> float:
    """Estimate one start in a fork: called cold, verified, each cell warmed up and driven in every round.

    Where a runtime compiles, until it is steady comes on top.
    """
    trip, per_octet = _line(wires.get(cells[0].link))
    seconds = _start(compiles=compiles) + _TRIPS_OF_VISIT * (trip + busy_s) + _OCTETS_OF_VISIT * per_octet
    seconds += _COLD_COMPILING if compiles else _COLD
    for cell in cells:
        # Where octets take no time nobody counts them: a long text takes the core a second to make.
        line = (sum(payload(cell.call, cell.arguments)) + _AROUND) * per_octet if per_octet else 0.0
        call = max(_CALL, busy_s) + trip + line
        load = cell.load
        wait = max((call + load.think_ns / 1e9) / load.clients, busy_s)
        if cell.whole:
            # Each client makes a call at least; where they are many, the busier side's processor sets the pace.
            calls = load.calls / load.rate_per_s if load.rate_per_s else max(load.calls, load.clients) * wait
            seconds += min(max(load.seconds, calls), limit_seconds(load)) + _BESIDE_A_TRIAL
            seconds += REST_S if cell.watch else 0.0
            continue
        length = shortened(length_of(load), load, call)
        one = max(length.seconds, length.calls * wait)
        made = next((many for many in range(rounds) if enough(many * one, many)), rounds)
        seconds += (made + 0.5) * (one + _BESIDE_A_SLICE)
    return seconds


def _line(wire: Mapping[str, Any] | None) -> tuple[float, float]:
    """Give a link's round trip in seconds, and the seconds that an octet takes on the slower of its ways."""
    wire = wire or {}
    rates = [way["rate_bps"] for way in ways(wire) if way.get("rate_bps")]
    return round_trip_ns(wire) / 1e9, 8 / min(rates) if rates else 0.0


def _account(cell: Cell, *, compiles: bool) -> float:
    """Reckon a count of bytes."""
    sweep = cell.wire or {}
    if not sweep:
        return _ACCOUNT + _STARTS_OF_ACCOUNT * _start(compiles=compiles)
    lives = min(len(sweep["grid"]), int(sweep["most"])) + int(sweep["fine"])
    return _STARTS_OF_SWEEP * _start(compiles=compiles) + lives * _LIFE


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" + ("" if number == 1 else "s")
