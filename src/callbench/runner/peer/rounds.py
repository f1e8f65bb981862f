"""One server driven by our load driver and by a peer, in turn: a round of a cell, all rounds of a stack or URL."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from callbench.adapter import oracle, placement
from callbench.adapter.contract import Done
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import given
from callbench.catalog.study.given import Given
from callbench.model import request
from callbench.model.cell import Cell, Load, Stack
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError
from callbench.runner.measure import steadiness
from callbench.runner.measure.warm_up import WarmUp, warmed_up
from callbench.runner.peer import jmeter
from callbench.runner.peer.agreement import Agreement, Round, Side, agreement
from callbench.runner.peer.asked import DRIVER, PEER, asked, why_not
from callbench.runner.peer.plan import Asked
from callbench.runner.peer.steadiness import Compiling, rose
from callbench.runner.visit import AnsweredWrongly, OpenVisit
from callbench.stats.histogram import Buckets
from callbench.stats.rate import window_of

# Beyond its time, for answers that come late.
_SLACK_S = 30.0
# A warm-up's pieces are a tenth of this.
_WARM_S = 0.5


@dataclass(frozen=True)
class Pace:
    """How long a round is.

    Attributes:
        seconds: how long each side's calls are made once all of its clients have begun.
        warm_up_s: how long the peer calls before: Java compiles while it runs.
    """

    seconds: float
    warm_up_s: float

    def whole_s(self, cell: Cell) -> int:
        """How long each side drives a cell, ramp-up and all: whole seconds, as the peer has no others."""
        return math.ceil(cell.load.ramp_up_ns / 1e9 + self.seconds)


@dataclass(frozen=True)
class Wish:
    """What is to be held against each other.

    Attributes:
        target: a stack that the load driver calls, or a server of one's own.
        server: how a server of one's own is called.
        options: of the stack's server.
    """

    target: str
    clients: int = 50
    rounds: int = 5
    seconds: float = 5.0
    warm_up_s: float = 10.0
    server: Given = field(default_factory=Given)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """Finished rounds."""

    wish: Wish
    rounds: tuple[Round, ...]
    agreement: Agreement


def ready() -> None:
    """Refuses where the peer is not set up.

    Raises:
        CallbenchError: with the remedy.
    """
    missing = jmeter.why_not()
    if missing:
        raise CallbenchError(missing)


def held(wish: Wish, known: Catalogue, tell: Callable[[int], None]) -> Found:
    """Drive all rounds of one server.

    Args:
        wish: what and how long.
        known: where a stack is looked for.
        tell: told of each round before it begins, with its number from 1 on.

    Raises:
        BadInput: the target is no server that the load driver calls, or nobody answers there as expected.
        CallbenchError: a side is not set up, or failed.
    """
    ready()
    known, [name] = given.named(known, [wish.target], wish.server)
    stack = known.stack(name)
    cell = Cell("c001", "", stack.id, request.STANDS_FOR, {}, Load(wish.clients, 1, wish.seconds))
    why = why_not(cell, stack)
    if why:
        raise BadInput(f"{wish.target} {why}: name a stack of {DRIVER}, a URL, or a study")
    if request.called(stack.card[request.KEY]) != request.STANDS_FOR:
        raise BadInput(f"{wish.target} is asked for items, and how many a study says: callbench peer qlio")
    pace = Pace(wish.seconds, wish.warm_up_s)
    rounds = []
    for number in range(1, wish.rounds + 1):
        tell(number)
        try:
            rounds.append(driven(known, stack, cell, pace, random.Random(), wish.options))  # noqa: S311 - an order
        except AdapterFailure as failure:
            raise BadInput(f"{wish.target}: {failure} ({failure.kind})") from failure
        except AnsweredWrongly as wrong:
            raise BadInput(f"{wish.target} {wrong}") from wrong
    return Found(wish, tuple(rounds), agreement(rounds, PEER))


def driven(  # noqa: PLR0913, PLR0917 - what, where, how long, in which order, and how the server is told
    known: Catalogue, stack: Stack, cell: Cell, pace: Pace, dice: random.Random, options: Mapping[str, Any]
) -> Round:
    """Starts a stack's server, and lets both sides drive it once, in random order.

    Raises:
        AdapterFailure: a side of the stack failed.
        AnsweredWrongly: the server's answer is not the service's.
        CallbenchError: the peer failed, no call was answered rightly, or the server counted other calls.
    """
    processors = placement.placed()
    with OpenVisit(known.programs(stack), stack, [cell], processors, options=options) as visit:
        if cell.id in visit.cannot:
            raise AdapterFailure("unsupported", visit.cannot[cell.id])
        visit.connect(cell)
        to_ask = asked(visit.sides.client, stack, visit.endpoint, cell)
        # Before either, so that both meet a server that is warm; ours is compiled beforehand.
        warm = warmed_up(visit.sides, _short(cell))
        compiling = Compiling(visit.sides)
        sides = {
            "ours": ("the load driver", lambda: _ours(visit, stack, cell, pace, warm)),
            "peers": (PEER, lambda: _peers(visit, to_ask, cell, pace)),
        }
        found: dict[str, Side] = {}
        whys: list[str] = []
        for name in dice.sample(sorted(sides), 2):
            found[name], why = compiling.watched(*sides[name])
            whys.append(why)
        return Round(**found, unsteady=next((why for why in whys if why), ""))


def _short(cell: Cell) -> Cell:
    """The cell as its warm-up needs it, which takes its lengths from the trial's."""
    load = Load(cell.load.clients, 1, _WARM_S)
    return Cell(cell.id, cell.group, cell.stack, cell.call, cell.arguments, load, options=cell.options)


def _ours(visit: OpenVisit, stack: Stack, cell: Cell, pace: Pace, warm: WarmUp) -> tuple[Side, str]:
    """Drives by the load driver. Returns why that was not steady, too."""
    client, seconds = visit.sides.client, pace.whole_s(cell)
    # Connected anew: a server may close what was idle while the peer drove. What is listed is looked at before.
    client.connect(stack.client, visit.endpoint, cell.load.clients, options=cell.options)
    client.call(cell.call, cell.arguments)
    visit.sides.counted()
    done = client.drive(
        cell.call,
        cell.arguments,
        calls=1,
        seconds=seconds,
        limit_seconds=seconds + _SLACK_S,
        timing="each",
        think_ns=cell.load.think_ns,
        ramp_up_ns=cell.load.ramp_up_ns,
    )
    _counted_by_server(visit, cell, "the load driver", done["calls"], sum(done["errors"].values()))
    return ours(done, cell.load.think_ns / 1e6), steadiness.unsteady(warm, done, {}, cell.load)


def _counted_by_server(visit: OpenVisit, cell: Cell, who: str, calls: int, errors: int) -> None:
    """Holds a side's count against the server's.

    Raises:
        CallbenchError: they do not agree.
    """
    counts = visit.sides.counted()
    done: Any = {"calls": calls, "errors": {"any": errors}}
    if counts is not None and not oracle.agree(cell.call, done, counts):
        counted = counts["calls"].get(cell.call, 0)
        raise CallbenchError(f"{who} says {calls:,} calls and {errors:,} errors, but the server counted {counted:,}")


def ours(done: Done, think_ms: float) -> Side:
    """What our driver said, as a side.

    Args:
        done: what its drive came to.
        think_ms: how long its clients were told to wait between calls.

    Raises:
        CallbenchError: no call was answered rightly.
    """
    histogram = done["latency"]
    if histogram is None or not histogram["count"]:
        raise CallbenchError(f"no call of the load driver was answered rightly: {done['errors']}")
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    [middle] = Buckets.of(dict(histogram["buckets"])).percentiles([0.5], least, greatest)
    mean = int(histogram["sum_ns"]) / histogram["count"]
    used = done["processor"]
    begin, end = (int(at["user_ns"]) + int(at["system_ns"]) for at in (used["start"], used["end"]))
    window = window_of(done)
    errors = sum(done["errors"].values())
    busy = (end - begin) * window.calls / done["calls"] / window.ns
    mean_ms = mean / 1e6
    return Side(window.per_s, middle / 1e6, mean_ms, busy, done["calls"], errors, mean_ms + think_ms)


def _peers(visit: OpenVisit, to_ask: Asked, cell: Cell, pace: Pace) -> tuple[Side, str]:
    """Lets the peer drive. Returns why that was not steady, too."""
    processors = placement.placed()
    mine = () if processors.shared else processors.client
    visit.sides.counted()
    driven = jmeter.drive(to_ask, warm_up_s=pace.warm_up_s, seconds=pace.whole_s(cell), processors=mine)
    _counted_by_server(visit, cell, PEER, driven.samples - driven.wrong, driven.wrong)
    return theirs(driven, to_ask.think_ms, max(1, len(processors.client))), rose(PEER, driven.rates)


def theirs(driven: jmeter.Driven, think_ms: float, processors: int) -> Side:
    """What the peer said, as a side.

    Args:
        driven: its samples, and what was seen of it from outside.
        think_ms: how long its clients were told to wait between calls.
        processors: on how many it could run.

    Raises:
        CallbenchError: no call was answered rightly.
    """
    seen = driven.seen
    if seen.median_ms is None or seen.mean_ms is None:
        raise CallbenchError(f"no call of {PEER} was answered rightly: {dict(seen.errors)}")
    errors = sum(seen.errors.values())
    lasted_ms = max(1, seen.end_ms - seen.begin_ms)
    # Its threads' time lies partly between calls: the larger of the two is what it took at least.
    known = [time for time in (driven.client_ms and driven.client_ms / (seen.calls + errors), seen.gap_ms) if time]
    own_ms = max(known, default=0.0)
    return Side(
        rate_per_s=seen.rate_per_s,
        # A median of 0 ms is one that JMeter's clock cannot tell from nothing.
        median_ms=max(seen.median_ms, 0.001),
        mean_ms=seen.mean_ms,
        busy=driven.processor_ms / lasted_ms / processors,
        calls=seen.calls,
        errors=errors,
        round_ms=seen.mean_ms + (seen.gap_ms or 0.0) + think_ms,
        own_ms=own_ms,
    )
