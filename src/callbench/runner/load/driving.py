"""Let the load driver make the calls of a load."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from callbench.adapter import placement, temporary
from callbench.adapter.session import DEFAULT_TIMEOUT_MS
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.target import Target, TargetSpec
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell
from callbench.model.errors import BadInput
from callbench.model.request import is_driver
from callbench.runner.load import stored
from callbench.runner.load.record import record
from callbench.runner.load.request import LoadRequest
from callbench.runner.load.result import LoadResult, compute_result
from callbench.runner.load.server_usage import Observations, ProcessWatch
from callbench.runner.measure.processor_time import processors_of
from callbench.runner.schedules import Schedules
from callbench.runner.stopping import marking_the_end
from callbench.stats.rate import window_of

OnInterval = Callable[[int, int, int], None]


def drive_load(request: LoadRequest, catalogue: Catalogue, on_interval: OnInterval) -> LoadResult:
    """Drive a load, and store its record.

    Args:
        request: the load.
        catalogue: all stacks.
        on_interval: called ten times a second with nanoseconds since the start, successful calls, and errors.

    Raises:
        BadInput: the request is wrong, the server does not exist, or it does not answer as expected.
        CallbenchError: the driver is not built or failed, or the record cannot be written.
    """
    timeout_s = float(request.server.request.get("timeout_s", DEFAULT_TIMEOUT_MS / 1e3))
    server = request.server.without("timeout_s", "--timeout")
    options = {"threads": request.threads} if request.threads > 1 else {}
    spec = TargetSpec(
        request.target, timeout_s=timeout_s, server=server, options=options, first_clients=request.clients
    )
    with ExitStack() as owned:
        folder = owned.enter_context(temporary.folder("callbench-load-"))
        target = Target(spec, catalogue, placement.choose_placement())
        if options and not is_driver(target.stack.client):
            raise BadInput(f"--threads is for the load driver, but {target.stack.id} has its own clients")
        request = _with_target(request, owned.enter_context(target))
        writer = owned.enter_context(stored.create(request))
        owned.enter_context(marking_the_end(writer, f"its intervals are in {writer.path}"))
        journal = stored.LoadJournal(writer)

        def on_both(at_ns: int, calls: int, errors: int) -> None:
            journal.interval(at_ns, calls, errors)
            on_interval(at_ns, calls, errors)

        result = replace(drive_once(target, request, folder, on_both), folder=writer.path)
        journal.result(record(result))
    return result


def _with_target(request: LoadRequest, target: Target) -> LoadRequest:
    """Return the request with URL and protocol, which are known once the server serves.

    Raises:
        BadInput: the clients do not support the requested load.
    """
    if request.rate is not None:
        target.require("open", "--rate needs a client with an open loop")
    if request.think_ms:
        target.require("think", "--think needs a client with think time")
    client = target.stack.client
    return replace(request, url=target.url, protocol=client.partition("/")[2] if is_driver(client) else client)


def drive_once(target: Target, request: LoadRequest, folder: Path, on_interval: OnInterval | None = None) -> LoadResult:
    """Make one load's calls with all clients that are connected.

    Args:
        target: open, with so many clients as the load has.
        request: the load.
        folder: for schedules.
        on_interval: called ten times a second, as in `drive_load`.

    Raises:
        AdapterFailure: the driver failed.
    """
    load, client, call, arguments = request.load, target.client, target.spec.call, target.spec.arguments
    if request.warm_up_s:
        client.drive(call, arguments, calls=1, seconds=request.warm_up_s, limit_seconds=request.warm_up_s + 60)
    watch = _start_watch(target)
    at_window_end: list[Observations] = []
    cell = Cell("load", "load", target.stack.id, call, arguments, load)
    done = client.drive(
        call,
        arguments,
        calls=load.calls,
        seconds=load.seconds,
        limit_seconds=request.limit_s,
        timing="each",
        think_ns=load.think_ns,
        schedule=Schedules(folder, seed=0).of(cell, 0),
        on_interval=on_interval,
        on_window_end=lambda: at_window_end.append(watch.so_far()),
    )
    observations = watch.end()
    if at_window_end and window_of(done).in_flight:
        # After the window the drive only waited for its last answers.
        observations = at_window_end[0]
    observations = replace(observations, unseen=target.unseen())
    return compute_result(request, done, target.connections, observations)


def _start_watch(target: Target) -> ProcessWatch:
    """Start to watch driver and server. An external server may run on any processor."""
    driver, placement_ = target.client.process.pid, target.where
    cpus = {
        "client": placement_.client,
        "server": placement_.server if target.ours else tuple(sorted(processors_of().busy_ns)),
    }
    return ProcessWatch(lambda: side_processes.descendants_of(driver), lambda: target.pids().get("server", ()), cpus)
