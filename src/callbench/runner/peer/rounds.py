"""Rounds in which our load driver and a peer drive one server, one after the other."""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic_ns
from typing import Any

from callbench.adapter import oracle, placement
from callbench.adapter.contract import Done
from callbench.adapter.stack.sides import Sides
from callbench.analysis.peer.agreement import PEER, GeneratorRound, Round, compute_agreement
from callbench.analysis.peer.rounds import PeerRounds, RoundsRequest
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import own_servers
from callbench.model import request
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError, MachineFailure
from callbench.runner.drive.running_stack import RunningStack, WrongAnswer
from callbench.runner.measure import steadiness
from callbench.runner.measure.compiler import CompilerTime
from callbench.runner.measure.warm_up import WarmUp, warm_up_cell
from callbench.runner.peer import jmeter
from callbench.runner.peer.http_load import DRIVER, http_load, why_not
from callbench.runner.peer.plan import HttpLoad
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.processor_use import processor_used_ns
from callbench.stats.load.rate import window_of
from callbench.stats.steady.steady import shift
from callbench.stats.steady.warmed import BUSY

# Seconds besides the drive, for late answers.
_EXTRA_SECONDS = 30.0
# The pieces of a warm-up take a tenth of this.
_WARM_UP_SECONDS = 0.5


@dataclass(frozen=True)
class RoundLength:
    """The length of a round.

    Attributes:
        seconds: how long each side calls after all of its clients have begun.
        warm_up_s: how long the peer warms up, because Java compiles while it runs.
    """

    seconds: float
    warm_up_s: float

    def drive_seconds(self, cell: Cell) -> int:
        """Return how long each side drives a cell, with its ramp-up: whole seconds, as the peer needs them."""
        return math.ceil(cell.load.ramp_up_ns / 1e9 + self.seconds)


def require_peer() -> None:
    """Check that the peer is installed.

    Raises:
        CallbenchError: it is not; the sentence has the remedy.
    """
    missing = jmeter.why_not()
    if missing:
        raise MachineFailure(missing)


def agreement_of(rounds_request: RoundsRequest, rounds: Sequence[Round]) -> PeerRounds:
    """Compare the generators by the rounds that are over, at least one."""
    return PeerRounds(rounds_request, tuple(rounds), compute_agreement(rounds, PEER))


def drive_rounds(
    rounds_request: RoundsRequest, catalogue: Catalogue, on_round: Callable[[int], None]
) -> Iterator[Round]:
    """Drive one server round by round; each is given when it is over.

    Args:
        rounds_request: the target and the length of the rounds.
        catalogue: where to find the stack.
        on_round: called with each round's number, from 1, before it begins.

    Raises:
        BadInput: the load driver cannot call the target, or it does not answer as expected.
        CallbenchError: a side is not installed, or failed.
    """
    require_peer()
    catalogue, [name] = own_servers.with_named_servers(catalogue, [rounds_request.target], rounds_request.server)
    stack = catalogue.stack(name)
    cell = Cell("c001", "", stack.id, request.STANDS_FOR, {}, Load(rounds_request.clients, 1, rounds_request.seconds))
    why = why_not(cell, stack)
    if why:
        raise BadInput(f"{rounds_request.target} {why}: name a stack of {DRIVER}, a URL, or a study")
    if request.called(stack.card[request.KEY]) != request.STANDS_FOR:
        raise BadInput(
            f"{rounds_request.target} needs a number of items, which only a study gives: callbench peer qlio"
        )
    length = RoundLength(rounds_request.seconds, rounds_request.warm_up_s)
    for number in range(1, rounds_request.rounds + 1):
        on_round(number)
        try:
            yield drive_round(catalogue, stack, cell, length, random.Random(), rounds_request.options)  # noqa: S311 - an order
        except AdapterFailure as failure:
            raise BadInput(f"{rounds_request.target}: {failure} ({failure.kind})") from failure
        except WrongAnswer as wrong:
            raise BadInput(f"{rounds_request.target} {wrong}") from wrong


def drive_round(  # noqa: PLR0913, PLR0917 - what, where, how long, in which order, and how the server is informed
    catalogue: Catalogue,
    stack: Stack,
    cell: Cell,
    length: RoundLength,
    rng: random.Random,
    options: Mapping[str, object],
) -> Round:
    """Start a stack's server, and let both sides drive it once, in random order.

    Raises:
        AdapterFailure: a side of the stack failed, or the server's answer is wrong.
        CallbenchError: the peer failed, no call succeeded, or the server counted other calls.
    """
    processors = placement.choose_placement()
    with RunningStack(catalogue.programs(stack), stack, [cell], processors, options=options) as running:
        if cell.id in running.unsupported:
            raise AdapterFailure("unsupported", running.unsupported[cell.id])
        running.connect(cell)
        http_load_ = http_load(running.sides.client, stack, running.endpoint, cell)
        # Warm up the server before either side drives. Our driver is compiled and needs no warm-up.
        warm_up = warm_up_cell(running.sides, _warm_up_cell(cell))
        compiling = CompilerShare(running.sides)
        sides = {
            "ours": ("the load driver", lambda: _drive_own(running, stack, cell, length, warm_up)),
            "peers": (PEER, lambda: _drive_peer(running, http_load_, cell, length)),
        }
        results: dict[str, GeneratorRound] = {}
        reasons: list[str] = []
        for name in rng.sample(sorted(sides), 2):
            results[name], why = compiling.watch(*sides[name])
            reasons.append(why)
        return Round(**results, unsteady=next((why for why in reasons if why), ""))


def _warm_up_cell(cell: Cell) -> Cell:
    """Return the cell with a short load, from which the warm-up derives its lengths."""
    load = Load(cell.load.clients, 1, _WARM_UP_SECONDS)
    return Cell(cell.id, cell.group, cell.stack, cell.call, cell.arguments, load, options=cell.options)


def _drive_own(
    running: RunningStack, stack: Stack, cell: Cell, length: RoundLength, warm_up: WarmUp
) -> tuple[GeneratorRound, str]:
    """Drive with the load driver. Also return why that was not steady, or ""."""
    client, seconds = running.sides.client, length.drive_seconds(cell)
    # Connect again, because a server may close connections that were idle while the peer drove. A listed call must be
    # checked first.
    client.connect(stack.client, running.endpoint, cell.load.clients, options=cell.options)
    client.call(cell.call, cell.arguments)
    running.sides.counted()
    done = client.drive(
        cell.call,
        cell.arguments,
        calls=1,
        seconds=seconds,
        limit_seconds=seconds + _EXTRA_SECONDS,
        timing="each",
        think_ns=cell.load.think_ns,
        ramp_up_ns=cell.load.ramp_up_ns,
    )
    _check_counts(running, cell, "the load driver", done["calls"], sum(done["errors"].values()))
    return driver_side(done, cell.load.think_ns / 1e6), steadiness.unsteady(warm_up, done, {}, cell.load)


def _check_counts(running: RunningStack, cell: Cell, driver: str, calls: int, errors: int) -> None:
    """Compare a side's count with the server's.

    Raises:
        CallbenchError: they differ.
    """
    counts = running.sides.counted()
    done: Any = {"calls": calls, "errors": {"any": errors}}
    if counts is not None and not oracle.agree(cell.call, done, counts):
        counted = counts["calls"].get(cell.call, 0)
        raise CallbenchError(f"{driver} says {calls:,} calls and {errors:,} errors, but the server counted {counted:,}")


def driver_side(done: Done, think_ms: float) -> GeneratorRound:
    """Convert the load driver's report.

    Args:
        done: its report.
        think_ms: the think time of its clients.

    Raises:
        CallbenchError: no call succeeded.
    """
    histogram = done["latency"]
    if histogram is None or not histogram["count"]:
        raise CallbenchError(f"no call of the load driver succeeded: {done['errors']}")
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    [middle] = Buckets.of(dict(histogram["buckets"])).percentiles([0.5], least, greatest)
    mean = int(histogram["sum_ns"]) / histogram["count"]
    window = window_of(done)
    if not window.calls:
        raise CallbenchError("no call of the load driver ended within the time")
    errors = sum(done["errors"].values())
    busy = processor_used_ns(done) * window.calls / done["calls"] / window.ns
    mean_ms = mean / 1e6
    return GeneratorRound(
        rate_per_s=window.per_s,
        median_ms=middle / 1e6,
        mean_ms=mean_ms,
        busy=busy,
        calls=done["calls"],
        errors=errors,
        round_ms=mean_ms + think_ms,
    )


def _drive_peer(
    running: RunningStack, http_load_: HttpLoad, cell: Cell, length: RoundLength
) -> tuple[GeneratorRound, str]:
    """Let the peer drive. Also return why that was not steady, or ""."""
    processors = placement.choose_placement()
    peer_processors = () if processors.shared else processors.client
    running.sides.counted()
    result = jmeter.drive(
        http_load_, warm_up_s=length.warm_up_s, seconds=length.drive_seconds(cell), processors=peer_processors
    )
    _check_counts(running, cell, PEER, result.samples - result.wrong, result.wrong)
    return peer_side(result, http_load_.think_ms, max(1, len(processors.client))), rate_rise(PEER, result.rates)


def peer_side(result: jmeter.JMeterResult, think_ms: float, processors: int) -> GeneratorRound:
    """Convert the peer's result.

    Args:
        result: its samples, and its processor time.
        think_ms: the think time of its clients.
        processors: how many processors it could use.

    Raises:
        CallbenchError: no call succeeded.
    """
    summary = result.summary
    if summary.median_ms is None or summary.mean_ms is None or not summary.rate_per_s:
        raise CallbenchError(f"no call of {PEER} succeeded: {dict(summary.errors)}")
    errors = sum(summary.errors.values())
    elapsed_ms = max(1, summary.end_ms - summary.begin_ms)
    # The threads' time lies partly between calls, so the larger of the two values is a lower limit of its own time.
    known = [
        time for time in (result.client_ms and result.client_ms / (summary.calls + errors), summary.gap_ms) if time
    ]
    own_ms = max(known, default=0.0)
    return GeneratorRound(
        rate_per_s=summary.rate_per_s,
        # JMeter's clock has whole milliseconds: no call took none.
        median_ms=max(summary.median_ms, 0.001),
        mean_ms=summary.mean_ms,
        busy=result.processor_ms / elapsed_ms / processors,
        calls=summary.calls,
        errors=errors,
        round_ms=max(summary.mean_ms + (summary.gap_ms or 0.0) + think_ms, 0.001),
        own_ms=own_ms,
    )


# Whether a round was steady. This rule decides which rounds count, and is fixed before anything is driven.
def rate_rise(who: str, rates: Sequence[float]) -> str:
    """Return by how much a rate rose during a drive, in words, or "".

    A rising rate means that a runtime still compiles.

    A falling rate is caused by the machine, as in a run (measure/steadiness.py).

    Args:
        who: the name of a peer that runs on a virtual machine.
        rates: calls per second, piece by piece.
    """
    change = shift([rate for rate in rates if rate > 0])
    if change is None or not change.real or change.ratio < 1:
        return ""
    return f"{who}'s rate rose while it drove: by {percent(change.ratio - 1)}"


class CompilerShare:
    """Measures the compiler of the server's runtime during a drive."""

    def __init__(self, sides: Sides) -> None:
        """Find the processes."""
        self._clock = CompilerTime(sides)

    def watch(self, who: str, drive: Callable[[], tuple[GeneratorRound, str]]) -> tuple[GeneratorRound, str]:
        """Run a drive. Also return why it was not steady: the drive's own reason, or an active compiler."""
        began, before = monotonic_ns(), self._compiler_ns()
        side, unsteady = drive()
        share = (self._compiler_ns() - before) / max(1, monotonic_ns() - began)
        if not unsteady and share > BUSY:
            unsteady = f"the compiler was active while {who} drove: it used {percent(share)} of a processor"
        return side, unsteady

    def _compiler_ns(self) -> int:
        return max((spent.compiler_ns for spent in self._clock.read().values()), default=0)
