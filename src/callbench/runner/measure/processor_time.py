"""Processor time of every side: user and system, by thread, waits for a processor, and what others took."""

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from callbench.adapter.placement import Placement
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.process_tree import PROC, stat_fields
from callbench.runner.measure.probe import Probe

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
# Between looks at the threads; a look never takes more than a hundredth of the time, however many threads there are.
EVERY_SECONDS = 0.1
MOST_OF_THE_TIME = 0.01
# Between looks for processes that were started meanwhile: that is a look at every process of the machine.
SEARCH_SECONDS = 2.0
# proc_pid_stat(5) counts from 1 with the process id; `stat_fields` begins with field 3.
_USER, _SYSTEM = 14 - 3, 15 - 3
Find = Callable[[], Mapping[str, tuple[int, ...]]]
_NUMBER = re.compile(r"[-#:_ ]*\d+$")


@dataclass(frozen=True)
class Ran:
    """What a thread has had so far, nanoseconds: of a processor, and of waiting for one while it could have run."""

    run_ns: int
    wait_ns: int


@dataclass(frozen=True)
class Processors:
    """What the machine's processors did so far, nanoseconds, by their number: busy, and stolen by the host."""

    busy_ns: Mapping[int, int]
    steal_ns: Mapping[int, int]


class ProcessorWatch:
    """Reads /proc at both ends of a load for every process of a side, and its threads meanwhile.

    A client's threads end with the drive, so their last state must be seen before: a thread of ours looks ten times a
    second. What is told by thread is therefore a little less than all; shares are taken of what was seen. Processes
    that come while it looks are found every two seconds, and those that have gone stay in the account by their threads.
    """

    def __init__(self, find: Find, cpus: Callable[[str], tuple[int, ...]]) -> None:
        """Reads everything, and begins to look at threads.

        Args:
            find: finds the processes of each side.
            cpus: the processors of a side, by its name.
        """
        self._find, self._cpus = find, cpus
        self._lock = threading.Lock()
        self._first: dict[int, Ran] = {}
        self._last: dict[int, Ran] = {}
        self._names: dict[int, tuple[int, str]] = {}
        # By side: every process that was ever seen.
        self._pids: dict[str, dict[int, None]] = {}
        self._search()
        self._used = {pid: used(pid) for pid in self._every()}
        self._processors = processors_of()
        self._own = time.process_time_ns()
        self._began = self._seen_until = time.monotonic_ns()
        self._look(at_start=True)
        self._stop = threading.Event()
        self._looking = threading.Thread(target=self._keep_looking, name="processor time", daemon=True)
        self._looking.start()

    def over(self) -> dict[str, Any]:
        """Reads everything while it goes on."""
        with self._lock:
            return self._read()

    def end(self) -> dict[str, Any]:
        """Reads everything again: what was used and waited for since it began, by side."""
        self._stop.set()
        self._looking.join()
        return self._read()

    def _read(self) -> dict[str, Any]:
        # With what was started meanwhile; who has ended meanwhile is known by its threads only.
        now = self._search()
        self._look(at_start=False)
        elapsed = time.monotonic_ns() - self._began
        after = processors_of()
        busy = _difference(after.busy_ns, self._processors.busy_ns)
        steal = _difference(after.steal_ns, self._processors.steal_ns)
        own = time.process_time_ns() - self._own
        sides = {name: self._side(name, now[name]) for name in now}
        for name, figures in sides.items():
            figures["neighbour_ns"] = _neighbours(self._cpus(name), busy, own, self._sharing(name, sides))
        return {
            "elapsed_ns": elapsed,
            "seen_ns": self._seen_until - self._began,
            "own_ns": own,
            "busy_ns": {str(cpu): value for cpu, value in busy.items()},
            "steal_ns": sum(steal.values()),
            "processors": len(busy),
            "sides": [
                {"side": name, "cpus": list(self._cpus(name)), **figures} for name, figures in sorted(sides.items())
            ],
        }

    def _search(self) -> Mapping[str, tuple[int, ...]]:
        """Looks for the processes that there are now."""
        self._searched = time.monotonic()
        found = self._find()
        for name, pids in found.items():
            self._pids.setdefault(name, {}).update(dict.fromkeys(pids))
        return found

    def _every(self) -> list[int]:
        return list(dict.fromkeys(pid for pids in self._pids.values() for pid in pids))

    def _sharing(self, side: str, sides: Mapping[str, Mapping[str, Any]]) -> int:
        """What the sides took of the processors of one: its own time, and the other's where they share any."""
        mine = set(self._cpus(side))
        return sum(
            max(figures["user_ns"] + figures["system_ns"], figures["run_ns"])
            for name, figures in sides.items()
            if mine & set(self._cpus(name))
        )

    def _keep_looking(self) -> None:
        pause = EVERY_SECONDS / 4
        while not self._stop.wait(pause):
            began = time.monotonic()
            with self._lock:
                if began - self._searched >= SEARCH_SECONDS:
                    self._search()
                self._look(at_start=False)
            pause = max(EVERY_SECONDS, (time.monotonic() - began) / MOST_OF_THE_TIME)

    def _look(self, *, at_start: bool) -> None:
        """Reads what every thread has had so far. Who is new since the start began with nothing."""
        for pid in self._every():
            for tid in threads_of(pid):
                ran = ran_by(pid, tid)
                if ran is None:
                    continue
                if tid not in self._names:
                    self._names[tid] = (pid, name_of(pid, tid))
                    self._first[tid] = ran if at_start else Ran(0, 0)
                self._last[tid] = ran
        self._seen_until = time.monotonic_ns()

    def _side(self, side: str, now: Sequence[int]) -> dict[str, Any]:
        mine = self._pids.get(side, {})
        by_name: dict[str, dict[str, int]] = {}
        for tid, (pid, name) in self._names.items():
            if pid in mine:
                figures = by_name.setdefault(name, {"threads": 0, "run_ns": 0, "wait_ns": 0, "busiest_ns": 0})
                run_ns = self._last[tid].run_ns - self._first[tid].run_ns
                figures["threads"] += 1
                figures["run_ns"] += run_ns
                figures["wait_ns"] += self._last[tid].wait_ns - self._first[tid].wait_ns
                figures["busiest_ns"] = max(figures["busiest_ns"], run_ns)
        user = system = 0
        for pid in mine:
            before = self._used.get(pid, (0, 0))
            after = used(pid)
            user += max(0, after[0] - before[0])
            system += max(0, after[1] - before[1])
        return {
            "processes": len(now),
            "user_ns": user,
            "system_ns": system,
            "run_ns": sum(one["run_ns"] for one in by_name.values()),
            "wait_ns": sum(one["wait_ns"] for one in by_name.values()),
            "threads": [{"name": name, **figures} for name, figures in sorted(by_name.items())],
        }


class ProcessorTime(Probe):
    """The processor time of both sides of a trial."""

    name: ClassVar[str] = "processors"

    def __init__(self, placement: Placement) -> None:
        """Takes the processors of each side."""
        self._placement = placement
        self._watch: ProcessorWatch | None = None

    def begin(self, sides: Sides, cell: Cell) -> None:  # noqa: ARG002 - the interface
        """Reads everything, and begins to look at threads."""
        every = tuple(sorted(processors_of().busy_ns))

        def cpus(side: str) -> tuple[int, ...]:
            if side == "server" and sides.elsewhere is not None:
                # Nobody gave it processors: it may run on any, the client's among them.
                return every
            return self._placement.client if side in ("client", "both") else self._placement.server

        self._watch = ProcessorWatch(lambda: side_processes.of(sides).by_side(), cpus)

    def over(self) -> Mapping[str, Any]:
        """Reads everything while it goes on."""
        return {} if self._watch is None else self._watch.over()

    def end(self) -> Mapping[str, Any]:
        """Reads everything again."""
        watch, self._watch = self._watch, None
        return {} if watch is None else watch.end()


def _neighbours(cpus: Iterable[int], busy: Mapping[int, int], own_ns: int, sides_ns: int) -> int:
    """Reckon what others took of a side's processors: nanoseconds beyond doubt.

    The kernel counts in ticks: each of the processors and each of the sums can be wrong by one.
    """
    watched = [busy[cpu] for cpu in cpus if cpu in busy]
    return max(0, sum(watched) - own_ns - sides_ns - TICK_NS * (len(watched) + 1))


def used(pid: int) -> tuple[int, int]:
    """User and system time of a process with all threads that it ever had, in nanoseconds, to the kernel's tick."""
    fields = stat_fields(PROC / str(pid))
    return (int(fields[_USER]) * TICK_NS, int(fields[_SYSTEM]) * TICK_NS) if fields else (0, 0)


def threads_of(pid: int) -> list[int]:
    """The threads of a process now."""
    with suppress(OSError):
        return [int(name) for name in os.listdir(PROC / str(pid) / "task")]  # noqa: PTH208 - numbers, not paths
    return []


def ran_by(pid: int, tid: int) -> Ran | None:
    """What a thread has had so far; None where it has ended or the kernel does not count.

    The kernel's Documentation/scheduler/sched-stats.rst: time on a processor, time waiting on a run queue, slices.
    """
    with suppress(OSError, ValueError, IndexError):
        run, wait = (PROC / str(pid) / "task" / str(tid) / "schedstat").read_bytes().split()[:2]
        return Ran(int(run), int(wait))
    return None


def name_of(pid: int, tid: int) -> str:
    """A thread's name without the number that tells it from its like: `worker-7` is `worker`."""
    try:
        name = (PROC / str(pid) / "task" / str(tid) / "comm").read_text(errors="replace").strip()
    except OSError:
        return "?"
    return _NUMBER.sub("", name) or name


def processors_of(stat: Path = PROC / "stat") -> Processors:
    """What the processors did since the machine was started; empty where it cannot be read.

    proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal, in ticks.
    """
    busy: dict[int, int] = {}
    steal: dict[int, int] = {}
    with suppress(OSError):
        for cpu, times in _lines(stat.read_text().splitlines()):
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
