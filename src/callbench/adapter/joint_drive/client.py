"""The client of a server on several hosts: to its caller it is one adapter."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from callbench.adapter import equivalent
from callbench.adapter.contract import Arguments, ContractMessage, Done, DriveInterval, OnInterval, OnLatency
from callbench.adapter.joint_drive.merge import GeneratorDrive, added_interval, merged_done
from callbench.adapter.joint_drive.split import calls_of, schedules_of, shares
from callbench.adapter.joint_drive.verdict import driver_share, late_share, why_starved
from callbench.adapter.joint_drive.watch import JointWatch
from callbench.adapter.network.host import Host
from callbench.adapter.session import Adapter
from callbench.adapter.watch.adapter_watch import Watch
from callbench.catalog.manifest import Manifest
from callbench.model.card import RequestTable
from callbench.model.request import called
from callbench.stats.estimate.clock_drift import ClockFit
from callbench.stats.estimate.clock_offset import ClockOffset
from callbench.store.lines.load import LoadGenerator

# Orders reach all hosts within so many seconds; schedules that come with them take longer.
_LEAD_S, _BYTES_A_SECOND = 0.1, 20e6
# A slice is shorter than this: what lies between two of them is then most of the time.
_SLICE_S = 1.0
# So it begins sooner, by a time for all and one for each host, and later again where orders were late of late.
_SLICE_LEAD_S, _LEAD_OF_EACH_S, _FORGOTTEN = 0.01, 0.003, 0.9
# The measurement after a drive serves the next one, if that comes so soon. One serves all slices of a shorter time.
_CLOCK_OLD_S, _SLICE_CLOCK_OLD_S = 10.0, 5.0


@dataclass
class _Progress:
    """What the generators have reported of a drive: their last intervals."""

    reports: dict[int, DriveInterval] = field(default_factory=dict)
    at_ns: int = 0

    def advanced(self, generators: int) -> DriveInterval | None:
        """Return the time that all have reached and the sums, if it is later than before; else None."""
        if len(self.reports) < generators:
            return None
        together, before = added_interval(list(self.reports.values())), self.at_ns
        self.at_ns = together.at_ns
        return together if together.at_ns > before else None


@dataclass(frozen=True)
class _Told:
    """Who is told of a drive, in the thread that waits for it."""

    window_end: Callable[[], None]
    latency: OnLatency | None


def _once(told: Callable[[], None] | None) -> Callable[[], None]:
    """Return what calls a function the first time alone."""
    waiting = [] if told is None else [told]

    def tell() -> None:
        if waiting:
            waiting.pop()()

    return tell


@dataclass(frozen=True)
class _Task:
    """The part of one generator in a drive."""

    client: Adapter
    host: Host
    clients: int
    calls: int
    schedule: Path | None
    clock: ClockOffset


@dataclass(frozen=True)
class _Ended:
    """The drive of one generator, and how busy the processors of its host were meanwhile."""

    done: Done
    host_busy: float


class Generators(Adapter):
    """A client on several hosts: the first one, and others that connect and drive with it.

    What is asked of one client alone, such as a single call, the first one does.
    """

    def __init__(
        self, manifest: Manifest, hosts: Sequence[Host], processors: Sequence[int], request: RequestTable | None
    ) -> None:
        """Start a client on each host; `read_hello` waits for them.

        Args:
            manifest: as in `Adapter`.
            hosts: at least one; each has a name.
            processors: as in `Adapter`.
            request: as in `Adapter`.

        Raises:
            AdapterFailure: one cannot be started. None is left then.
        """
        super().__init__(manifest, "the client", processors, hosts[0], request)
        self._hosts = list(hosts)
        self._others: list[Adapter] = []
        self._shares: list[int] = []
        # How far each host's clock was off when it was last measured.
        self._clocks: dict[int, ClockOffset] = {}
        # How late orders came of late, in seconds; and the schedules of the last open loop.
        self._late_s = 0.0
        self._schedules: list[Path] = []
        # Two threads for each host: one drives, the other asks it meanwhile.
        self._pool = ThreadPoolExecutor(2 * len(hosts), thread_name_prefix="generator")
        try:
            for host in hosts[1:]:
                self._others.append(Adapter(manifest, "the client", processors, host, request))
        except BaseException:
            self.kill()
            raise

    @property
    def every(self) -> list[Adapter]:
        """All of them, the first host's first."""
        return [self, *self._others]

    @property
    def broken(self) -> bool:
        """Whether one of them died or broke the contract."""
        return super().broken or any(other.broken for other in self._others)

    def read_hello(self) -> Self:
        """Read all hello messages.

        Raises:
            AdapterFailure: as in `Adapter`. All are ended then.
        """
        try:
            super().read_hello()
            for other in self._others:
                other.read_hello()
        except BaseException:
            self.kill()
            raise
        return self

    def connect(
        self,
        stack: str,
        endpoint: str,
        clients: int,
        *,
        timeout_ms: int | None = None,
        options: Arguments | None = None,
    ) -> int:
        """Share the clients out and connect them. With fewer clients than hosts, the last hosts have none.

        Raises:
            AdapterFailure: as in `Adapter`.
        """
        self._shares = shares(clients, len(self.every))
        connections = super().connect(stack, endpoint, self._shares[0], timeout_ms=timeout_ms, options=options)
        for other, share in zip(self._others, self._shares[1:], strict=True):
            if share:
                connections += other.connect(stack, endpoint, share, timeout_ms=timeout_ms, options=options)
        return connections

    def disconnect(self) -> None:
        """Disconnect all.

        Raises:
            AdapterFailure: as in `Adapter`.
        """
        super().disconnect()
        for other, share in zip(self._others, self._shares[1:], strict=True):
            if share:
                other.disconnect()

    def call(self, call: str, arguments: Arguments) -> ContractMessage:
        """Make one call by the first client, or by one of each host if drivers compare later answers with that one.

        Raises:
            AdapterFailure: as in `Adapter`.
        """
        answer = super().call(call, arguments)
        if self._request_table is not None and called(self._request_table) == equivalent.CALL:
            for other, share in zip(self._others, self._shares[1:], strict=False):
                if share:
                    other.call(call, arguments)
        return answer

    def drive(self, call: str, arguments: Arguments, **options: Any) -> Done:  # noqa: ANN401 - as in `Adapter`
        """Let all drive from one moment on, and return their drives as one.

        Its member `generators` says what each did and lacked.

        Raises:
            AdapterFailure: one of them failed, as in `Adapter`; or they never drove at the same time.
            BadInput: the schedule has more arrivals than the hosts can make.
        """
        on_interval = options.pop("on_interval", None)
        told = _Told(_once(options.pop("on_window_end", None)), options.pop("on_latency", None))
        is_slice = options["seconds"] < _SLICE_S
        tasks = self._tasks(options, old_s=_SLICE_CLOCK_OLD_S if is_slice else _CLOCK_OLD_S)
        lead_s = min(_LEAD_S, _SLICE_LEAD_S + len(tasks) * _LEAD_OF_EACH_S + self._late_s) if is_slice else _LEAD_S
        begin_ns = time.monotonic_ns() + round(1e9 * (lead_s + _sent_s(tasks)))
        events: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
        answered = self.answered
        for place, task in enumerate(tasks):
            self._pool.submit(self._drive_one, events, place, task, begin_ns, (call, arguments, options, told))
        ends = self._awaited(events, len(tasks), on_interval)
        self.answered = answered + sum(end.done["calls"] for end in ends)
        after = [task.clock if is_slice else self._clock(place, old_s=0.0) for place, task in enumerate(tasks)]
        fits = [ClockFit(task.clock, clock) for task, clock in zip(tasks, after, strict=True)]
        parts = [_part(task, fit, end.done, begin_ns) for task, fit, end in zip(tasks, fits, ends, strict=True)]
        self._late_s = max(self._late_s * _FORGOTTEN, *((part.begun_ns - begin_ns) / 1e9 for part in parts))
        total = parts[0].done if len(parts) == 1 else merged_done(parts, or_none=is_slice)
        rows = zip(tasks, parts, fits, ends, strict=True)
        reports = [_report(task, part, begin_ns, fit.bound_ns(part.begun_ns), end) for task, part, fit, end in rows]
        return {**total, "generators": reports}

    def lead_in(self, call: str, arguments: Arguments, seconds: float, clients: int) -> None:
        """Let each host make a few calls that do not count, at no common moment: that would cost as much as a slice.

        Raises:
            AdapterFailure: as in `drive`.
        """
        answered, drive = self.answered, partial(Adapter.drive, call=call, arguments=arguments, calls=1)
        dealt = zip(self.every, shares(clients, len(self.every)), strict=True)
        each = [(client, share) for client, share in dealt if share]
        made = [self._pool.submit(drive, client, seconds=seconds, clients=share) for client, share in each]
        wait(made)
        self.answered = answered + sum(drove.result()["calls"] for drove in made)

    def _tasks(self, options: dict[str, Any], old_s: float) -> list[_Task]:
        """Share a drive out: to the hosts that have clients, or as many of them as are to call.

        Args:
            options: of the drive; those that are shared out are taken from it.
            old_s: how long ago clocks may have been measured.
        """
        clients = options.pop("clients", None)
        each = [share for share in (self._shares if clients is None else shares(clients, len(self.every))) if share]
        schedule, calls = options.pop("schedule", None), options.pop("calls")
        files: list[Path | None] = [None] * len(each)
        each_calls = calls_of(calls, each)
        if schedule is not None:
            dealt = schedules_of(schedule, calls, options["seconds"], each)
            each_calls, files = [own for own, _ in dealt], [file for _, file in dealt]
            self._keep_schedules([file for _, file in dealt])
            # A host without arrivals would make one that is not of the schedule.
            each = each[: len(dealt)]
        clocks = [self._clock(place, old_s=old_s) for place in range(len(each))]
        rows = zip(self.every, self._hosts, each, each_calls, files, clocks, strict=False)
        return [_Task(*row) for row in rows]

    def _keep_schedules(self, files: Sequence[Path]) -> None:
        """Keep these, which the next drive may have again, and remove those of the drive before."""
        for file in set(self._schedules) - set(files):
            file.unlink(missing_ok=True)
        self._schedules = list(files)

    def _clock(self, place: int, *, old_s: float) -> ClockOffset:
        """Return how far a host's clock is off. It is measured again if that is too long ago."""
        known = self._clocks.get(place)
        if known is None or time.monotonic_ns() - known.at_ns > 1e9 * old_s:
            known = self._clocks[place] = self._hosts[place].clock()
        return known

    def _drive_one(
        self,
        events: "queue.SimpleQueue[tuple[int, object]]",
        place: int,
        task: _Task,
        begin_ns: int,
        what: tuple[str, Arguments, Mapping[str, Any], _Told],
    ) -> None:
        """Drive one, in a thread of its own, and report to the thread that waits."""
        call, arguments, options, told = what
        drive = super().drive if task.client is self else task.client.drive
        options = {
            **options,
            "calls": task.calls,
            "schedule": task.schedule,
            "clients": task.clients,
            "start_at_ns": round(begin_ns + task.clock.ns),
            "on_interval": lambda interval: events.put((place, interval)),
            "on_window_end": lambda: events.put((place, told.window_end)),
        }
        if told.latency is not None:
            options["on_latency"] = lambda *latency: events.put((place, partial(told.latency, *latency)))
        try:
            # It answers before the drive begins: that is not before the order has come.
            before = self._pool.submit(task.host.usage)
            done = drive(call, arguments, **options)
            events.put((place, _Ended(done, task.host.usage().busy_since(before.result()))))
        except BaseException as failure:  # noqa: BLE001 - raised again by the thread that waits
            events.put((place, failure))

    def _awaited(
        self,
        events: "queue.SimpleQueue[tuple[int, object]]",
        generators: int,
        on_interval: OnInterval | None,
    ) -> list[_Ended]:
        """Pass on what they report until all have ended. If one fails, the others end too.

        Raises:
            AdapterFailure: the first failure.
        """
        progress = _Progress()
        ended: dict[int, Any] = {}
        failure: BaseException | None = None
        while len(ended) < generators:
            place, event = events.get()
            try:
                if callable(event):
                    event()
                elif isinstance(event, DriveInterval):
                    progress.reports[place] = event
                    together = progress.advanced(generators)
                    if on_interval is not None and failure is None and together is not None:
                        on_interval(together)
                elif event is not None:
                    ended[place] = event
                    if isinstance(event, BaseException):
                        raise event  # noqa: TRY301 - as what the callbacks raise
            except BaseException as first:  # noqa: BLE001 - raised below, when all have ended
                if failure is None:
                    failure = first
                    self.end_drive()
        if failure is not None:
            raise failure
        return [ended[place] for place in range(generators)]

    def end_drive(self) -> None:
        """Ask all for the end of their drives."""
        super().end_drive()
        for other in self._others:
            other.end_drive()

    def watch(self) -> Watch | None:
        """Watch the processes of all, added up.

        Raises:
            AdapterFailure, HostLost: as in `Adapter`.
        """
        watches = [client.process.watch() for client in self.every]
        some = [watch for watch in watches if watch is not None]
        return JointWatch(some) if some else None

    def heap(self) -> int:
        """Return the bytes in the heaps of all.

        Raises:
            AdapterFailure: as in `Adapter`.
        """
        return super().heap() + sum(other.heap() for other in self._others)

    def kill(self) -> None:
        """End all at once."""
        self._keep_schedules(())
        super().kill()
        for other in self._others:
            other.kill()

    def stop(self) -> bool:
        """Ask all to stop. Return whether one was killed."""
        self._keep_schedules(())
        self._pool.shutdown(wait=False)
        killed = [other.stop() for other in self._others]
        return super().stop() or any(killed)


def _sent_s(tasks: Sequence[_Task]) -> float:
    """Return how long the schedules of the orders take on the way, in seconds."""
    return sum(task.schedule.stat().st_size for task in tasks if task.schedule) / _BYTES_A_SECOND


def _part(task: _Task, fit: ClockFit, done: Done, begin_ns: int) -> GeneratorDrive:
    """Return a drive with its start on the core's clock. A driver that does not say it began as it was told."""
    begun_ns = fit.own_ns(done["started_ns"]) if "started_ns" in done else float(begin_ns)
    return GeneratorDrive(task.clients, begun_ns, done, 1.0 / (1.0 + fit.drift))


def _report(task: _Task, part: GeneratorDrive, begin_ns: int, clock_bound_ns: float, end: _Ended) -> LoadGenerator:
    """Return what a generator did, for the record. Times in nanoseconds."""
    done = part.done
    return {
        "host": task.host.name,
        "clients": part.clients,
        "calls": done["calls"],
        "errors": sum(done["errors"].values()),
        "started_ns": done.get("started_ns", round(begin_ns + task.clock.ns)),
        "late_start_ns": round(part.begun_ns - begin_ns),
        "clock_bound_ns": round(clock_bound_ns),
        "driver_busy": round(driver_share(done), 4),
        "host_busy": round(end.host_busy, 4),
        "late": round(late_share(done["lateness"]), 4),
        "starved": why_starved(task.host.name, done, end.host_busy),
    }
