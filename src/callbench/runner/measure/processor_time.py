"""Processor time of both sides: user and system time, by thread, waiting times, and the use by other programs."""

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from callbench.adapter.placement import Placement
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.process_tree import PROC, stat_fields
from callbench.runner.measure.probe import Probe
from callbench.store.lines.sides import ProcessorsSeen, SideTimes, ThreadsUse

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
# Seconds between readings of the threads. A reading takes at most a hundredth of the time, whatever their number.
READ_EVERY_SECONDS = 0.1
MOST_TIME_SHARE = 0.01
# Seconds between searches for new processes, because a search reads every process of the machine.
SEARCH_SECONDS = 2.0
# proc_pid_stat(5) counts fields from 1; `stat_fields` begins with field 3.
_USER, _SYSTEM = 14 - 3, 15 - 3
Find = Callable[[], Mapping[str, tuple[int, ...]]]
_NUMBER = re.compile(r"[-#:_ ]*\d+$")


@dataclass(frozen=True)
class RunTime:
    """A thread's time so far, in nanoseconds: running, and waiting for a processor."""

    run_ns: int
    wait_ns: int


@dataclass(frozen=True)
class Processors:
    """The processors' time so far, in nanoseconds by number: busy, and stolen by the host."""

    busy_ns: Mapping[int, int]
    steal_ns: Mapping[int, int]


class ProcessorWatch:
    """Reads /proc at both ends of a load for all processes of a side, and their threads meanwhile.

    A client's threads end with the drive, so a thread reads them ten times a second. Values by thread are therefore
    slightly too low; shares refer to the observed time. New processes are found every two seconds, and ended ones
    remain in the sums.
    """

    def __init__(self, find: Find, cpus: Callable[[str], tuple[int, ...]]) -> None:
        """Take the first reading, and start the reading thread.

        Args:
            find: returns the processes of each side.
            cpus: returns the processors of a side.
        """
        self._find, self._cpus = find, cpus
        self._lock = threading.Lock()
        self._first: dict[int, RunTime] = {}
        self._last: dict[int, RunTime] = {}
        self._names: dict[int, tuple[int, str]] = {}
        # By side: every process that was ever found.
        self._pids: dict[str, dict[int, None]] = {}
        self._search()
        self._used = {pid: used(pid) for pid in self._all_pids()}
        self._processors = processors_of()
        self._own = time.process_time_ns()
        self._began = self._seen_until = time.monotonic_ns()
        self._read_threads(at_start=True)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="processor time", daemon=True)
        self._thread.start()

    def so_far(self) -> ProcessorsSeen:
        """Return the values so far."""
        with self._lock:
            return self._read()

    def end(self) -> ProcessorsSeen:
        """Stop. Return what each side used and waited for."""
        self._stop.set()
        self._thread.join()
        return self._read()

    def _read(self) -> ProcessorsSeen:
        # Includes processes that started meanwhile. Ended processes are known by their threads only.
        now = self._search()
        self._read_threads(at_start=False)
        elapsed = time.monotonic_ns() - self._began
        after = processors_of()
        busy = _difference(after.busy_ns, self._processors.busy_ns)
        steal = _difference(after.steal_ns, self._processors.steal_ns)
        own = time.process_time_ns() - self._own
        sides = [self._side(name, now[name]) for name in sorted(now)]
        for side in sides:
            side["neighbour_ns"] = _neighbour_time(side["cpus"], busy, own, _time_beside(side, sides))
        return {
            "elapsed_ns": elapsed,
            "seen_ns": self._seen_until - self._began,
            "own_ns": own,
            "busy_ns": {str(cpu): value for cpu, value in busy.items()},
            "steal_ns": sum(steal.values()),
            "processors": len(busy),
            "sides": sides,
        }

    def _search(self) -> Mapping[str, tuple[int, ...]]:
        """Find the current processes."""
        self._searched = time.monotonic()
        sides = self._find()
        for name, pids in sides.items():
            self._pids.setdefault(name, {}).update(dict.fromkeys(pids))
        return sides

    def _all_pids(self) -> list[int]:
        return list(dict.fromkeys(pid for pids in self._pids.values() for pid in pids))

    def _run(self) -> None:
        pause = READ_EVERY_SECONDS / 4
        while not self._stop.wait(pause):
            began = time.monotonic()
            with self._lock:
                if began - self._searched >= SEARCH_SECONDS:
                    self._search()
                self._read_threads(at_start=False)
            pause = max(READ_EVERY_SECONDS, (time.monotonic() - began) / MOST_TIME_SHARE)

    def _read_threads(self, *, at_start: bool) -> None:
        """Read all threads. Threads that are new since the start began at zero."""
        for pid in self._all_pids():
            for tid in threads_of(pid):
                ran = run_time_of(pid, tid)
                if ran is None:
                    continue
                if tid not in self._names:
                    self._names[tid] = (pid, name_of(pid, tid))
                    self._first[tid] = ran if at_start else RunTime(0, 0)
                self._last[tid] = ran
        self._seen_until = time.monotonic_ns()

    def _side(self, side: str, now: Sequence[int]) -> SideTimes:
        own_pids = self._pids.get(side, {})
        by_name: dict[str, ThreadsUse] = {}
        for tid, (pid, name) in self._names.items():
            if pid in own_pids:
                figures = by_name.setdefault(name, ThreadsUse(name=name, threads=0, run_ns=0, wait_ns=0, busiest_ns=0))
                run_ns = self._last[tid].run_ns - self._first[tid].run_ns
                figures["threads"] += 1
                figures["run_ns"] += run_ns
                figures["wait_ns"] += self._last[tid].wait_ns - self._first[tid].wait_ns
                figures["busiest_ns"] = max(figures["busiest_ns"], run_ns)
        user = system = 0
        for pid in own_pids:
            before = self._used.get(pid, (0, 0))
            after = used(pid)
            user += max(0, after[0] - before[0])
            system += max(0, after[1] - before[1])
        return {
            "side": side,
            "cpus": list(self._cpus(side)),
            "processes": len(now),
            "user_ns": user,
            "system_ns": system,
            "run_ns": sum(thread["run_ns"] for thread in by_name.values()),
            "wait_ns": sum(thread["wait_ns"] for thread in by_name.values()),
            "threads": [figures for _, figures in sorted(by_name.items())],
            "neighbour_ns": 0,
        }


class ProcessorTimeProbe(Probe):
    """The probe for the processor time of both sides."""

    name: ClassVar[str] = "processors"

    def __init__(self, placement: Placement) -> None:
        """Store the processors of each side."""
        self._placement = placement
        self._watch: ProcessorWatch | None = None

    def begin(self, sides: Sides, cell: Cell) -> None:  # noqa: ARG002 - the interface
        """Take the first reading."""
        every = tuple(sorted(processors_of().busy_ns))

        def cpus(side: str) -> tuple[int, ...]:
            if side == "server" and sides.external is not None:
                # Nobody assigned processors to an external server, so it may run on any.
                return every
            return self._placement.client if side in ("client", "both") else self._placement.server

        self._watch = ProcessorWatch(lambda: side_processes.processes_of(sides).by_side(), cpus)

    def so_far(self) -> ProcessorsSeen:
        """Return the values so far."""
        return {} if self._watch is None else self._watch.so_far()

    def end(self) -> ProcessorsSeen:
        """Return the values of the whole trial."""
        watch, self._watch = self._watch, None
        return {} if watch is None else watch.end()


def _time_beside(side: SideTimes, sides: Iterable[SideTimes]) -> int:
    """Return what the sides used of one side's processors: its own time, and the other side's if they share any."""
    cpus = set(side["cpus"])
    return sum(
        max(other["user_ns"] + other["system_ns"], other["run_ns"]) for other in sides if cpus & set(other["cpus"])
    )


def _neighbour_time(cpus: Iterable[int], busy: Mapping[int, int], own_ns: int, sides_ns: int) -> int:
    """Return the nanoseconds that other programs certainly used of a side's processors.

    The kernel counts in ticks, so each processor and each sum can be wrong by one tick.
    """
    watched = [busy[cpu] for cpu in cpus if cpu in busy]
    return max(0, sum(watched) - own_ns - sides_ns - TICK_NS * (len(watched) + 1))


def used(pid: int) -> tuple[int, int]:
    """Return user and system time of a process with all of its threads, in nanoseconds, to a tick."""
    fields = stat_fields(PROC / str(pid))
    return (int(fields[_USER]) * TICK_NS, int(fields[_SYSTEM]) * TICK_NS) if fields else (0, 0)


def threads_of(pid: int) -> list[int]:
    """Return the current threads of a process."""
    with suppress(OSError):
        return [int(name) for name in os.listdir(PROC / str(pid) / "task")]  # noqa: PTH208 - numbers, not paths
    return []


def run_time_of(pid: int, tid: int) -> RunTime | None:
    """Return a thread's time so far; None if it has ended or the kernel does not count.

    Fields: time on a processor, time in a run queue, number of slices (Documentation/scheduler/sched-stats.rst).
    """
    with suppress(OSError, ValueError, IndexError):
        run, wait = (PROC / str(pid) / "task" / str(tid) / "schedstat").read_bytes().split()[:2]
        return RunTime(int(run), int(wait))
    return None


def name_of(pid: int, tid: int) -> str:
    """Return a thread's name without its number: `worker` for `worker-7`."""
    try:
        name = (PROC / str(pid) / "task" / str(tid) / "comm").read_text(errors="replace").strip()
    except OSError:
        return "?"
    return _NUMBER.sub("", name) or name


def processors_of() -> Processors:
    """Return the processors' time since the machine started; empty if it cannot be read.

    proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal, in ticks.
    """
    busy: dict[int, int] = {}
    steal: dict[int, int] = {}
    with suppress(OSError):
        for cpu, times in _lines((PROC / "stat").read_text().splitlines()):
            user, nice, system, _idle, _iowait, irq, softirq, stolen, *_ = times
            busy[cpu] = (user + nice + system + irq + softirq) * TICK_NS
            steal[cpu] = stolen * TICK_NS
    return Processors(busy, steal)


def _lines(lines: Iterable[str]) -> Iterable[tuple[int, list[int]]]:
    for line in lines:
        name, *fields = line.split()
        if re.fullmatch(r"cpu\d+", name) and len(fields) >= 8:
            yield int(name.removeprefix("cpu")), [int(field) for field in fields]


def _difference(after: Mapping[int, int], before: Mapping[int, int]) -> dict[int, int]:
    return {cpu: max(0, value - before[cpu]) for cpu, value in after.items() if cpu in before}
