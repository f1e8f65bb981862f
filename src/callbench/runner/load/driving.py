"""Let the load driver make the calls of a load."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from callbench.adapter import temporary
from callbench.adapter.contract import DriveInterval, OnInterval, OnLatency
from callbench.adapter.session import DEFAULT_TIMEOUT_MS
from callbench.adapter.stack.target import Target, TargetSpec
from callbench.adapter.watch.adapter_processes import descendants_of
from callbench.analysis.load.record import record
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.result import LoadResult, compute_result
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.model.request import is_driver
from callbench.runner.drive.schedules import Schedules
from callbench.runner.load import journal as journals
from callbench.runner.load.server_usage import ProcessWatch
from callbench.runner.measure.processor_time import processors_of
from callbench.stats.load.errors_over_time import ErrorsOverTime
from callbench.stats.load.latency_over_time import LatencyOverTime
from callbench.stats.load.rate import window_of
from callbench.store.record_writer import RecordWriter
from callbench.store.stopping import StopRequest, noting_the_first_stop


def target_spec(request: LoadRequest) -> TargetSpec:
    """Return the server of a load, and how it is called."""
    timeout_s = float(request.server.request.get("timeout_s", DEFAULT_TIMEOUT_MS / 1e3))
    server = request.server.without("timeout_s", "--timeout")
    options = {"threads": request.threads} if request.threads > 1 else {}
    return TargetSpec(
        name=request.target,
        timeout_s=timeout_s,
        server=server,
        options=options,
        first_clients=request.clients,
        hosts=request.hosts,
    )


def drive_recorded(
    run: RecordWriter, target: Target, request: LoadRequest, on_interval: OnInterval, on_latency: OnLatency
) -> LoadResult:
    """Make one load's calls, and write their intervals and their result into its record.

    Args:
        run: the record.
        target: open, with so many clients as the load has.
        request: the load.
        on_interval: called ten times a second.
        on_latency: called once a second, if the driver reports it, with the buckets of its latencies.

    Raises:
        AdapterFailure: the driver failed.
        CallbenchError: the record cannot be written.
        Stopped: it was stopped, and there is no result of a part.
    """
    journal = journals.LoadJournal(run)

    def on_both(interval: DriveInterval) -> None:
        journal.interval(interval)
        on_interval(interval)

    with temporary.folder("callbench-load-") as folder, noting_the_first_stop() as stop:
        result = replace(drive_once(target, request, folder, on_both, stop, on_latency), folder=run.path)
    loss = target.lost()
    result = result if loss is None else replace(result, death=loss.why)
    journal.result(record(result))
    return result


def with_target(request: LoadRequest, target: Target) -> LoadRequest:
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


def drive_once(  # noqa: PLR0913, PLR0917 - a load, and who is told of it meanwhile
    target: Target,
    request: LoadRequest,
    folder: Path,
    on_interval: OnInterval | None = None,
    stop: StopRequest | None = None,
    on_latency: OnLatency | None = None,
) -> LoadResult:
    """Make one load's calls with all clients that are connected.

    Args:
        target: open, with so many clients as the load has.
        request: the load.
        folder: for schedules.
        on_interval: called ten times a second, as in `drive_recorded`.
        stop: ends the load early, with what is known then.
        on_latency: called once a second, as in `drive_recorded`.

    Raises:
        AdapterFailure: the driver failed.
        Stopped: it was stopped, and the driver has no result of a part.
    """
    load, client, call, arguments = request.load, target.client, target.spec.call, target.spec.arguments
    if request.warm_up_s:
        _warm_up(target, request.warm_up_s, stop)
    watch, over_time, errors = _start_watch(target), LatencyOverTime(), ErrorsOverTime()
    at_window_end = []
    last = DriveInterval(0, 0, 0, {})

    def on_each_interval(interval: DriveInterval) -> None:
        nonlocal last
        last = interval
        errors.add(interval.at_ns, interval.kinds or {})
        if on_interval is not None:
            on_interval(interval)
        if stop is not None and stop.number is not None and not client.drive_ended:
            at_window_end.append(watch.so_far())
            client.end_drive()

    def on_each_latency(at_ns: int, counts: Sequence[tuple[int, int]]) -> None:
        over_time.add(at_ns, counts)
        if on_latency is not None:
            on_latency(at_ns, counts)

    cell = Cell("load", "load", target.stack.id, call, arguments, load)
    try:
        done = client.drive(
            call,
            arguments,
            calls=load.calls,
            seconds=load.seconds,
            limit_seconds=request.limit_s,
            timing="each",
            think_ns=load.think_ns,
            schedule=Schedules(folder, seed=request.seed).of(cell, 0),
            on_interval=on_each_interval,
            on_window_end=lambda: at_window_end.append(watch.so_far()),
            on_latency=on_each_latency,
        )
    except AdapterFailure:
        if stop is None or not client.drive_ended:
            raise
        made = f"{last.calls:,} calls and {last.errors:,} errors"
        raise stop.error(f"stopped after {last.at_ns / 1e9:.1f} s with {made}") from None
    observations = watch.end()
    if at_window_end and (window_of(done).in_flight or client.drive_ended):
        # After the window the drive only waited for its last answers, and a driver that was stopped has ended.
        observations = at_window_end[0]
    observations = replace(observations, unseen=target.unseen())
    result = _with_times(compute_result(request, done, target.connections, observations), over_time, errors)
    return replace(result, stopped=stop.number) if stop is not None and client.drive_ended else result


def _with_times(result: LoadResult, over_time: LatencyOverTime, errors: ErrorsOverTime) -> LoadResult:
    """Add percentiles and errors over time."""
    latency, end_ns = result.done["latency"], result.done["elapsed_ns"]
    stretches = {} if latency is None else over_time.stretches(latency["buckets"], end_ns)
    return replace(result, latency_over_time=stretches, errors_over_time=errors.sums(result.errors, end_ns))


def _warm_up(target: Target, seconds: float, stop: StopRequest | None) -> None:
    """Make calls that do not count.

    Raises:
        Stopped: it was stopped meanwhile, and nothing is known.
    """

    def end_if_stopped(_: DriveInterval) -> None:
        if stop is not None and stop.number is not None:
            raise stop.error("stopped while it was warmed up: nothing was measured")

    target.client.drive(
        target.spec.call,
        target.spec.arguments,
        calls=1,
        seconds=seconds,
        limit_seconds=seconds + 60,
        on_interval=end_if_stopped,
    )


def _start_watch(target: Target) -> ProcessWatch:
    """Start to watch driver and server. An external server may run on any processor."""
    driver, placement_ = target.client.process.pid, target.where
    cpus = {
        "client": placement_.client,
        "server": placement_.server if target.ours else tuple(sorted(processors_of().busy_ns)),
    }
    find = None if driver is None else lambda: descendants_of(driver)
    return ProcessWatch(find, lambda: target.pids().get("server", ()), cpus)
