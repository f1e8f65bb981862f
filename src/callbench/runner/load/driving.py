"""Lets the load driver make the calls of a wish."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from callbench.adapter import placement, temporary
from callbench.adapter.session import DEFAULT_TIMEOUT_MS
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.target import Aim, Target
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell
from callbench.model.errors import BadInput
from callbench.model.request import is_driver
from callbench.runner.load import kept
from callbench.runner.load.found import Found, reckoned
from callbench.runner.load.record import record
from callbench.runner.load.watched import Seen, Watch
from callbench.runner.load.wish import Wish
from callbench.runner.measure.processor_time import processors_of
from callbench.runner.schedules import Schedules
from callbench.stats.rate import window_of

Interval = Callable[[int, int, int], None]


def driven(wish: Wish, known: Catalogue, watch: Interval) -> Found:
    """Drive a load, and keep what it came to.

    Args:
        wish: the load.
        known: every stack there is.
        watch: told ten times a second: nanoseconds since the start, calls answered rightly, errors.

    Raises:
        BadInput: the wish is wrong, there is no such server, or it does not answer as expected.
        CallbenchError: the driver is not built, or failed; the record cannot be written.
    """
    out = _free(wish.out)
    timeout_s = float(wish.server.request.get("timeout_s", DEFAULT_TIMEOUT_MS / 1e3))
    server = wish.server.without("timeout_s", "--timeout")
    options = {"threads": wish.threads} if wish.threads > 1 else {}
    aim = Aim(wish.target, timeout_s=timeout_s, server=server, options=options, first_clients=wish.clients)
    with temporary.folder("callbench-load-") as folder:
        target = Target(aim, known, placement.placed())
        if options and not is_driver(target.stack.client):
            raise BadInput(f"--threads is of the load driver, and {target.stack.id} has clients of its own")
        with target:
            found = _driven(target, _of(wish, target), folder, watch)
    kept.write(out, record(found))
    return found


def _of(wish: Wish, target: Target) -> Wish:
    """The wish with what is known once the server serves.

    Raises:
        BadInput: the clients cannot call as it says.
    """
    if wish.rate is not None:
        target.must("open", "--rate asks for a client with an open loop")
    if wish.think_ms:
        target.must("think", "--think asks for a client with think time")
    client = target.stack.client
    return replace(wish, url=target.url, protocol=client.partition("/")[2] if is_driver(client) else client)


def _driven(target: Target, wish: Wish, folder: Path, watch: Interval) -> Found:
    load, one, call, arguments = wish.load, target.client, target.aim.call, target.aim.arguments
    if wish.warm_up_s:
        one.drive(call, arguments, calls=1, seconds=wish.warm_up_s, limit_seconds=wish.warm_up_s + 60)
    meanwhile = _watch(target)
    at_end: list[Seen] = []
    cell = Cell("load", "load", target.stack.id, call, arguments, load)
    done = one.drive(
        call,
        arguments,
        calls=load.calls,
        seconds=load.seconds,
        limit_seconds=wish.limit_s,
        timing="each",
        think_ns=load.think_ns,
        schedule=Schedules(folder, seed=0).of(cell, 0),
        watch=watch,
        over=lambda: at_end.append(meanwhile.over()),
    )
    seen = meanwhile.end()
    if at_end and window_of(done).in_flight:
        # What came after the window was the wait for its last answers.
        seen = at_end[0]
    seen = replace(seen, unseen=target.unseen())
    return reckoned(wish, done, target.connections, seen)


def _watch(target: Target) -> Watch:
    """Looks at driver and server from now on. A server that somebody else started may run on any processor."""
    driver, where = target.client.process.pid, target.where
    cpus = {"client": where.client, "server": where.server if target.ours else tuple(sorted(processors_of().busy_ns))}
    return Watch(lambda: side_processes.below(driver), lambda: target.pids().get("server", ()), cpus)


def _free(out: Path | None) -> Path:
    """Where the record goes: refused before anything is driven, if it cannot be there."""
    path = out or Path("runs") / f"load-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.json"
    if path.exists():
        raise BadInput(f"{path} is there already: name another file with --out")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise BadInput(f"the record cannot be kept in {path.parent}: {failure.strerror}") from failure
    return path
