"""Sums over a side's processes at one moment, from /proc. Fields as in proc(5).

The host program of a runner is part of the measuring instrument. Only its processor time counts for the stack.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from callbench.model.process_readings import FullReading, LightReading
from callbench.model.process_tree import HOST, PROC, named_fields

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICK_MS = 1000 // os.sysconf("SC_CLK_TCK")
_HOST = HOST.encode()[:15]


def read_light(pids: Iterable[int], proc: Path = PROC) -> LightReading:
    """Read `stat` of each process. Ended processes count nothing."""
    named = [named_fields(proc / str(pid)) for pid in pids]
    every = [(name, fields) for name, fields in named if fields and fields[0] not in "ZX"]
    alive = [fields for _, fields in every]
    own = [fields for name, fields in every if name != _HOST]
    return LightReading(
        processes=len(own),
        threads=_total(own, 20),
        resident_bytes=_total(own, 24) * _PAGE_BYTES,
        user_ms=_total(alive, 14, 16) * _TICK_MS,
        system_ms=_total(alive, 15, 17) * _TICK_MS,
        minor_faults=_total(own, 10, 11),
        major_faults=_total(own, 12, 13),
    )


def read_full(pids: Iterable[int], proc: Path = PROC) -> FullReading:
    """Read all values. Memory is exact here, while `read_light` uses the kernel's quick count."""
    every = list(pids)
    quick = read_light(every, proc)
    alive = [pid for pid in every if named_fields(proc / str(pid))[0] != _HOST]
    rollups = [_sizes(proc / str(pid) / "smaps_rollup") for pid in alive]
    reported = [rollup for rollup in rollups if rollup]
    switches = [counts for pid in alive for counts in _switches(proc / str(pid) / "task")]
    values = asdict(quick)
    if reported:
        values["resident_bytes"] = sum(memory.get("Rss", 0) for memory in reported)
    return FullReading(
        **values,
        unique_bytes=sum(memory.get("Private_Clean", 0) + memory.get("Private_Dirty", 0) for memory in reported)
        if reported
        else None,
        proportional_bytes=sum(memory.get("Pss", 0) for memory in reported) if reported else None,
        files=files_of(alive, proc),
        voluntary=sum(counts[0] for counts in switches) if switches else None,
        involuntary=sum(counts[1] for counts in switches) if switches else None,
    )


def files_of(pids: Iterable[int], proc: Path = PROC) -> int | None:
    """Return the number of open file descriptors of all processes; None if the kernel reports none."""
    reported = [count for pid in pids if (count := _entries(proc / str(pid) / "fd")) is not None]
    return sum(reported) if reported else None


def threads_of(pids: Iterable[int], proc: Path = PROC) -> dict[int, int]:
    """Return the process id of every thread, by thread id."""
    found: dict[int, int] = {}
    for pid in pids:
        try:
            with os.scandir(proc / str(pid) / "task") as entries:
                found |= {int(entry.name): pid for entry in entries}
        except OSError:
            continue
    return found


def namespace_id(pid: int, tid: int, proc: Path = PROC) -> int | None:
    """Return a thread's id in its own PID namespace, which grows with each thread; None if the namespace is ours."""
    ids = _keys(proc / str(pid) / "task" / str(tid) / "status").get("NSpid", "").split()
    return int(ids[-1]) if len(ids) > 1 else None


def _total(processes: Sequence[Sequence[str]], *places: int) -> int:
    """Return the sum of fields over processes. Field n of the manual page is element n - 3."""
    return sum(int(fields[place - 3]) for fields in processes for place in places)


def _switches(tasks: Path) -> Iterable[tuple[int, int]]:
    """Yield the context switches of each thread, voluntary and involuntary."""
    try:
        with os.scandir(tasks) as entries:
            threads = [tasks / entry.name for entry in entries]
    except OSError:
        return
    for thread in threads:
        keys = _keys(thread / "status")
        if "voluntary_ctxt_switches" in keys:
            yield int(keys["voluntary_ctxt_switches"]), int(keys["nonvoluntary_ctxt_switches"])


def _sizes(file: Path) -> dict[str, int]:
    """Return lines of the form `Name: 12 kB` in bytes; empty if the file cannot be read."""
    return {name: int(value.split()[0]) * 1024 for name, value in _keys(file).items() if value.endswith("kB")}


def _keys(file: Path) -> Mapping[str, str]:
    try:
        text = file.read_bytes().decode(errors="replace")
    except OSError:
        return {}
    parts = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, colon, value in parts if colon}


def _entries(folder: Path) -> int | None:
    try:
        with os.scandir(folder) as entries:
            return sum(1 for _ in entries)
    except OSError:
        return None
