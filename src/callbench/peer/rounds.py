"""Drives one server with our load driver and with a peer, in turn, and in random order within each round."""

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench import catalogue, manifest, placement, request
from callbench.adapter import Adapter
from callbench.catalogue import Catalogue
from callbench.cell import Stack
from callbench.contract import Done
from callbench.errors import AdapterFailure, BadInput, CallbenchError
from callbench.home import home
from callbench.peer import jmeter
from callbench.peer.agreement import Agreement, Round, Side, agreement
from callbench.peer.plan import Asked
from callbench.sides import Sides
from callbench.stats.histogram import Buckets

PEER = "JMeter"
_DRIVER = "load/http1"
# What of a request both sides can make alike.
_ALIKE = {"protocol", "path", "method", "expect_body", "keep_alive"}

Connected = Callable[[], Adapter]


@dataclass(frozen=True)
class Wish:
    """What is to be held against each other.

    Attributes:
        target: a stack that the load driver calls, or a URL.
        seconds: how long the calls of a round are made that count, by each side.
        warm_up_s: how long the peer's first calls of a round do not count.
        expected: of a URL: the body that every answer must have; None: any. A stack's card has its own.
        options: of the stack's server.
    """

    target: str
    clients: int = 50
    rounds: int = 5
    seconds: float = 5.0
    warm_up_s: float = 10.0
    expected: str | None = None
    options: dict[str, Any] | None = None


@dataclass(frozen=True)
class Found:
    """Finished rounds."""

    wish: Wish
    url: str
    rounds: tuple[Round, ...]
    agreement: Agreement


def held(wish: Wish, known: Catalogue, tell: Callable[[int], None]) -> Found:
    """Drive all rounds.

    Args:
        wish: what and how long.
        known: where a stack is looked for.
        tell: told of each round before it begins, with its number from 1 on.

    Raises:
        BadInput: the target is no stack of the load driver and no URL, or nobody answers there as expected.
        CallbenchError: a side is not set up, or failed.
    """
    missing = jmeter.why_not()
    if missing:
        raise CallbenchError(missing)
    processors = placement.placed()
    with _target(wish, known, processors) as (connected, asked):
        rounds = []
        for number in range(1, wish.rounds + 1):
            tell(number)
            sides = {"ours": lambda: _ours(connected(), wish), "peers": lambda: _peers(asked, wish, processors)}
            found = {name: sides[name]() for name in random.sample(sorted(sides), 2)}
            rounds.append(Round(**found))
    return Found(wish, asked.url, tuple(rounds), agreement(rounds, wish.clients, PEER))


@contextlib.contextmanager
def _target(wish: Wish, known: Catalogue, processors: placement.Placement) -> Iterator[tuple[Connected, Asked]]:
    """What connects our driver to the server that is to be driven, and the same for the peer."""
    if "://" in wish.target:
        read = manifest.read(home() / "engine" / "load" / "adapter.toml")
        why_not = catalogue.cannot_run(read)
        if why_not:
            raise CallbenchError(why_not)
        asked = Asked(wish.target, wish.clients, wish.expected)
        with Adapter(read, "the driver", () if processors.shared else processors.client) as driver:
            options = {} if wish.expected is None else {"expect_body": wish.expected}
            connected = _connecting(driver, _DRIVER, wish, wish.target, options)
            try:
                connected().call(request.STANDS_FOR, {})
            except AdapterFailure as failure:
                raise BadInput(f"{wish.target}: {failure} ({failure.kind})") from failure
            yield connected, asked
        return
    stack = known.stack(wish.target)
    told = _told(stack)
    with Sides(known.programs(stack), processors, in_process=False) as sides:
        endpoint = sides.serve(stack, wish.options)
        connected = _connecting(sides.client, stack.client, wish, endpoint, {})
        connected().call(request.STANDS_FOR, {})
        url, _ = request.connected_with(told, endpoint, {})
        yield connected, Asked(url, wish.clients, _expected(told), told.get("keep_alive", True))


def _connecting(driver: Adapter, stack: str, wish: Wish, endpoint: str, options: dict[str, Any]) -> Connected:
    """Connects our driver anew for each round: a server may close what was idle while the peer drove."""

    def connected() -> Adapter:
        driver.connect(stack, endpoint, wish.clients, options=options)
        return driver

    return connected


def _told(stack: Stack) -> dict[str, Any]:
    """The request of a stack that both sides can make alike."""
    if stack.client != _DRIVER:
        raise BadInput(f"{stack.id} is not called by the load driver: name a stack of {_DRIVER}, or a URL")
    told: dict[str, Any] = dict(stack.card[request.KEY])
    other = set(told) - _ALIKE - {"expect_body_file"}
    other |= {request.called(told)} - {request.STANDS_FOR}
    if told.get("method", "GET") != "GET" or other:
        raise BadInput(f"{stack.id} asks for more than {PEER}'s plan has: a GET and one answer to it")
    return told


def _expected(told: dict[str, Any]) -> str | None:
    file = told.get("expect_body_file")
    return told.get("expect_body") if file is None else Path(file).read_text()


def _ours(driver: Adapter, wish: Wish) -> Side:
    done = driver.drive(request.STANDS_FOR, {}, calls=1, seconds=wish.seconds, timing="each")
    return ours(done)


def ours(done: Done) -> Side:
    """What our driver said, as a side.

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
    elapsed = done["elapsed_ns"]
    errors = sum(done["errors"].values())
    return Side(done["calls"] / elapsed * 1e9, middle / 1e6, mean / 1e6, (end - begin) / elapsed, errors)


def _peers(asked: Asked, wish: Wish, processors: placement.Placement) -> Side:
    mine = () if processors.shared else processors.client
    driven = jmeter.drive(asked, warm_up_s=wish.warm_up_s, seconds=wish.seconds, processors=mine)
    seen = driven.seen
    if seen.median_ms is None or seen.mean_ms is None:
        raise CallbenchError(f"no call of {PEER} was answered rightly in its {wish.seconds:g} s: {dict(seen.errors)}")
    busy = driven.processor_ms / 1e3 / wish.seconds / max(1, len(processors.client))
    # A median of 0 ms is one that JMeter's clock cannot tell from nothing.
    return Side(seen.rate_per_s, max(seen.median_ms, 0.001), seen.mean_ms, busy, sum(seen.errors.values()))
