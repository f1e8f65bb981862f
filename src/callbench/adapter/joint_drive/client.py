"""The client of a server on several hosts: to its caller it is one adapter."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from callbench.adapter.contract import Arguments, Done, OnLatency
from callbench.adapter.joint_drive.merge import GeneratorDrive, merged_done
from callbench.adapter.joint_drive.split import schedules_of, shares
from callbench.adapter.joint_drive.verdict import driver_share, why_starved
from callbench.adapter.network.host import Host
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.model.card import RequestTable
from callbench.stats.estimate.clock_drift import ClockFit
from callbench.stats.estimate.clock_offset import ClockOffset
from callbench.store.lines.load import LoadGenerator

# Orders reach all hosts within so many seconds; schedules that come with them take longer.
_LEAD_S, _BYTES_A_SECOND = 0.1, 20e6
# The measurement after a drive serves the next one, if that comes so soon.
_CLOCK_OLD_S = 10.0


@dataclass
class _Progress:
    """What the generators have reported of a drive: calls and errors at their last reports."""

    reports: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    at_ns: int = 0

    def advanced(self, generators: int) -> tuple[int, int, int] | None:
        """Return the time that all have reached and the sums, if it is later than before; else None."""
        if len(self.reports) < generators:
            return None
        at_ns, before = min(report[0] for report in self.reports.values()), self.at_ns
        self.at_ns = at_ns
        calls, errors = (sum(report[part] for report in self.reports.values()) for part in (1, 2))
        return (at_ns, calls, errors) if at_ns > before else None


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
        try:
            for host in hosts[1:]:
                self._others.append(Adapter(manifest, "the client", processors, host, request))
        except BaseException:
            self.kill()
            raise

    @property
    def _every(self) -> list[Adapter]:
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
        self._shares = shares(clients, len(self._every))
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

    def drive(self, call: str, arguments: Arguments, **options: Any) -> Done:  # noqa: ANN401 - as in `Adapter`
        """Let all drive from one moment on, and return their drives as one.

        Its member `generators` says what each did and lacked.

        Raises:
            AdapterFailure: one of them failed, as in `Adapter`; or they never drove at the same time.
            BadInput: the schedule has more arrivals than the hosts can make.
        """
        on_interval = options.pop("on_interval", None)
        told = _Told(_once(options.pop("on_window_end", None)), options.pop("on_latency", None))
        tasks = self._tasks(options)
        begin_ns = time.monotonic_ns() + round(1e9 * _lead_s(tasks))
        before = [task.host.usage() for task in tasks]
        events: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
        answered = self.answered
        with ThreadPoolExecutor(len(tasks), thread_name_prefix="generator") as pool:
            for place, task in enumerate(tasks):
                pool.submit(self._drive_one, events, place, task, begin_ns, (call, arguments, options, told))
            dones = self._awaited(events, len(tasks), on_interval)
        self.answered = answered + sum(done["calls"] for done in dones)
        fits = [ClockFit(task.clock, self._clock(place, old_s=0.0)) for place, task in enumerate(tasks)]
        parts = [_part(task, fit, done, begin_ns) for task, fit, done in zip(tasks, fits, dones, strict=True)]
        total = parts[0].done if len(parts) == 1 else merged_done(parts)
        usages = [task.host.usage().busy_since(first) for task, first in zip(tasks, before, strict=True)]
        rows = zip(tasks, parts, fits, usages, strict=True)
        reports = [_report(task, part, begin_ns, fit.bound_ns(part.begun_ns), usage) for task, part, fit, usage in rows]
        return {**total, "generators": reports}

    def _tasks(self, options: dict[str, Any]) -> list[_Task]:
        """Share a drive out: to the hosts that have clients, or as many of them as are to call."""
        clients = options.pop("clients", None)
        each = [share for share in (self._shares if clients is None else shares(clients, len(self._every))) if share]
        schedule, calls = options.pop("schedule", None), options.pop("calls")
        files: list[Path | None] = [None] * len(each)
        if schedule is not None:
            files = [*schedules_of(schedule, calls, options["seconds"], len(each))]
        clocks = [self._clock(place, old_s=_CLOCK_OLD_S) for place in range(len(each))]
        each_calls = [max(1, share) for share in shares(calls, len(each))]
        rows = zip(self._every, self._hosts, each, each_calls, files, clocks, strict=False)
        return [_Task(*row) for row in rows]

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
            "on_interval": lambda *interval: events.put((place, interval)),
            "on_window_end": lambda: events.put((place, told.window_end)),
        }
        if told.latency is not None:
            options["on_latency"] = lambda *latency: events.put((place, partial(told.latency, *latency)))
        try:
            events.put((place, drive(call, arguments, **options)))
        except BaseException as failure:  # noqa: BLE001 - raised again by the thread that waits
            events.put((place, failure))

    def _awaited(
        self,
        events: "queue.SimpleQueue[tuple[int, object]]",
        generators: int,
        on_interval: Callable[[int, int, int], None] | None,
    ) -> list[Done]:
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
                elif isinstance(event, tuple):
                    progress.reports[place] = event
                    together = progress.advanced(generators)
                    if on_interval is not None and failure is None and together is not None:
                        on_interval(*together)
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

    def kill(self) -> None:
        """End all at once."""
        super().kill()
        for other in self._others:
            other.kill()

    def stop(self) -> bool:
        """Ask all to stop. Return whether one was killed."""
        killed = [other.stop() for other in self._others]
        return super().stop() or any(killed)


def _lead_s(tasks: Sequence[_Task]) -> float:
    """Return how long before the common start the orders must be sent, in seconds."""
    return _LEAD_S + sum(task.schedule.stat().st_size for task in tasks if task.schedule) / _BYTES_A_SECOND


def _part(task: _Task, fit: ClockFit, done: Done, begin_ns: int) -> GeneratorDrive:
    """Return a drive with its start on the core's clock. A driver that does not say it began as it was told."""
    begun_ns = fit.own_ns(done["started_ns"]) if "started_ns" in done else float(begin_ns)
    return GeneratorDrive(task.clients, begun_ns, done, 1.0 / (1.0 + fit.drift))


def _report(task: _Task, part: GeneratorDrive, begin_ns: int, clock_bound_ns: float, host_busy: float) -> LoadGenerator:
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
        "host_busy": round(host_busy, 4),
        "starved": why_starved(task.host.name, done, host_busy),
    }
