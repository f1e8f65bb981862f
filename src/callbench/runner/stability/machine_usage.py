"""The use of the machine's processors by other programs and by the host, during a slice."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from callbench.adapter.watch.sampler import Families
from callbench.analysis.stability.other_programs import MOST_NAMED
from callbench.model.process_tree import PROC, stat_fields
from callbench.runner.measure.processor_time import TICK_NS, processors_of
from callbench.store.lines.sides import MachineUse

# Positions in `stat_fields`: parent, user and system time in ticks.
_PARENT, _USER, _SYSTEM = 1, 11, 12


@dataclass(frozen=True)
class _Reading:
    """Nanoseconds so far: the clock, all processors, stolen by the host, and by process."""

    at_ns: int
    processors: int
    busy_ns: int
    steal_ns: int
    used_ns: Mapping[int, int]


class MachineUsage:
    """Reads every process of the machine at each call; costs nothing in between. It never raises."""

    def __init__(self, families: Callable[[], Families]) -> None:
        """Take the first reading.

        Args:
            families: returns the processes of each side.
        """
        self._families = families
        self._last, _ = _read_processes()

    def read(self) -> MachineUse:
        """Return the use since the last call, in nanoseconds, with the other programs that used most."""
        look, parents = _read_processes()
        families = self._families()
        ours = _with_descendants({os.getpid(), *(pid for pids in families.values() for pid in pids)}, parents)
        before, self._last = self._last, look
        used = {pid: ns - before.used_ns.get(pid, 0) for pid, ns in look.used_ns.items()}
        others = sorted(((ns, pid) for pid, ns in used.items() if pid not in ours and ns > TICK_NS), reverse=True)
        return {
            "elapsed_ns": look.at_ns - before.at_ns,
            "processors": look.processors,
            "busy_ns": look.busy_ns - before.busy_ns,
            "steal_ns": look.steal_ns - before.steal_ns,
            "ours_ns": sum(ns for pid, ns in used.items() if pid in ours),
            "known": bool({"server", "both"} & families.keys()),
            "most": [(_name(pid), ns) for ns, pid in others[:MOST_NAMED]],
        }


def _read_processes() -> tuple[_Reading, dict[int, int]]:
    """Read the processors and every process, with its parent."""
    used: dict[int, int] = {}
    parents: dict[int, int] = {}
    with suppress(OSError):
        for entry in PROC.iterdir():
            if entry.name.isdigit() and (fields := stat_fields(entry)):
                pid = int(entry.name)
                parents[pid] = int(fields[_PARENT])
                used[pid] = (int(fields[_USER]) + int(fields[_SYSTEM])) * TICK_NS
    now = processors_of()
    busy, steal = sum(now.busy_ns.values()), sum(now.steal_ns.values())
    return _Reading(time.monotonic_ns(), max(1, len(now.busy_ns)), busy, steal, used), parents


def _with_descendants(roots: set[int], parents: Mapping[int, int]) -> set[int]:
    """Return the processes with all of their descendants."""
    found = set(roots)
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    waiting = list(roots)
    while waiting:
        new = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(new)
        waiting += new
    return found


def _name(pid: int) -> str:
    with suppress(OSError):
        return (PROC / str(pid) / "comm").read_text(errors="replace").strip()
    return "a program that has ended"
