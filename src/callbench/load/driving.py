"""Lets the load driver make the calls of a wish."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from callbench import catalogue, manifest, placement, temporary
from callbench.adapter import Adapter
from callbench.cell import Cell
from callbench.errors import AdapterFailure, BadInput, CallbenchError
from callbench.external import given
from callbench.external.processes import Running
from callbench.home import home
from callbench.load import kept
from callbench.load.found import Found, reckoned
from callbench.load.told import record
from callbench.load.watched import Processes, Seen, Watch, must_run
from callbench.load.wish import Wish
from callbench.measure import side_processes
from callbench.measure.processor_time import processors_of
from callbench.schedules import Schedules
from callbench.stats.rate import window_of

# What the URL answers stands for this call of the service.
_CALL = "Hello"

Interval = Callable[[int, int, int], None]


def driven(wish: Wish, watch: Interval) -> Found:
    """Drive a load, and keep what it came to.

    Args:
        wish: the load.
        watch: told ten times a second: nanoseconds since the start, calls answered rightly, errors.

    Raises:
        BadInput: the wish or the URL is wrong, or nobody answers there as expected.
        CallbenchError: the driver is not built, or failed; the record cannot be written.
    """
    read = manifest.read(home() / "engine" / "load" / "adapter.toml")
    why_not = catalogue.cannot_run(read)
    if why_not:
        raise CallbenchError(why_not)
    out = _free(wish.out)
    if wish.pid is not None:
        must_run(wish.pid)
    mine = placement.placed()
    processors = () if (wish.pid is None and wish.start is None) or mine.shared else mine.client
    # A server that somebody else started may run on any.
    every = tuple(sorted(processors_of().busy_ns))
    cpus = {"client": processors or every, "server": every if wish.start is None or mine.shared else mine.server}
    with (
        temporary.folder("callbench-load-") as folder,
        _server(wish, () if mine.shared else mine.server) as server,
        Adapter(read, "the driver", processors) as one,
    ):
        wish, pids = server
        look = partial(Watch, lambda: side_processes.below(one.process.pid), pids, cpus)
        try:
            found = _driven(one, wish, folder, watch, look)
        except AdapterFailure as failure:
            raise _explained(wish, failure) from failure
    kept.write(out, record(found))
    return found


@contextmanager
def _server(wish: Wish, processors: Sequence[int]) -> Iterator[tuple[Wish, Processes]]:
    """Starts the server, where it is to be started. Gives the wish with its URL, and what finds its processes."""
    if wish.start is None:
        yield wish, Running(wish.url, wish.pid).pids
        return
    table = given.server_of(wish.start, wish.path, {})
    known = given.added(catalogue.Catalogue((), ()), {"server": table}, Path.cwd() / "the command line")
    stack = known.stacks[0]
    if stack.why_not:
        raise BadInput(f"--start {wish.start}: {stack.why_not}")
    with Adapter(known.adapters[0].manifest, "the server", processors) as server:
        try:
            url = server.serve(stack.id)
        except AdapterFailure as failure:
            raise BadInput(f"--start: {failure}") from failure
        yield replace(wish, url=url, start=None, path=None), lambda: side_processes.below(server.process.pid)


def _driven(one: Adapter, wish: Wish, folder: Path, watch: Interval, look: Callable[[], Watch]) -> Found:
    load = wish.load
    options = {**(wish.request or {}), "threads": wish.threads}
    timeout_ms = max(1, round(wish.timeout_s * 1e3))
    stack = f"load/{wish.protocol}"
    connections = one.connect(stack, wish.url, load.clients, timeout_ms=timeout_ms, options=options)
    one.call(_CALL, {})
    if wish.warm_up_s:
        one.drive(_CALL, {}, calls=1, seconds=wish.warm_up_s, limit_seconds=wish.warm_up_s + 60)
    meanwhile = look()
    at_end: list[Seen] = []
    cell = Cell("load", "load", stack, _CALL, {}, load)
    done = one.drive(
        _CALL,
        {},
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
    seen = replace(seen, unseen=Running(wish.url, wish.pid).unseen())
    return reckoned(wish, done, connections, seen)


def _explained(wish: Wish, failure: AdapterFailure) -> CallbenchError:
    """Before anything was driven, what the driver says is about the URL or the options."""
    if failure.kind in ("garbage", "silent", "died", "internal"):
        return failure
    return BadInput(f"{wish.url}: {failure} ({failure.kind})")


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
