"""What /proc says of a side's processes at one moment, added up. Fields as in proc(5).

The host of a runner only speaks for it: of the host, its processor time counts, and nothing else is the stack's.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from callbench.model.process_tree import HOST, PROC, named_fields

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICK_MS = 1000 // os.sysconf("SC_CLK_TCK")
_HOST = HOST.encode()[:15]


@dataclass(frozen=True)
class Light:
    """What costs one short read a process.

    Attributes:
        processes: alive.
        threads: of all of them.
        resident_bytes: shared pages counted in every process; the kernel's own quick count, some pages off.
        user_ms: of processor time, with that of children that ended; a tick of the kernel is 10 ms.
        system_ms: likewise.
        minor_faults: pages that had only to be mapped, with those of children that ended.
        major_faults: pages that had to be read.
    """

    processes: int = 0
    threads: int = 0
    resident_bytes: int = 0
    user_ms: int = 0
    system_ms: int = 0
    minor_faults: int = 0
    major_faults: int = 0


@dataclass(frozen=True)
class Full(Light):
    """What costs a walk over pages, threads and descriptors besides: None where the kernel does not tell.

    Attributes:
        unique_bytes: memory that would come free if the side ended alone (USS).
        proportional_bytes: each shared page divided by those who share it (PSS).
        files: open file descriptors.
        voluntary: times that a thread alive now gave its processor away to wait.
        involuntary: times that it was taken from one.
    """

    unique_bytes: int | None = None
    proportional_bytes: int | None = None
    files: int | None = None
    voluntary: int | None = None
    involuntary: int | None = None

    def record(self) -> dict[str, Any]:
        """As the journal has it."""
        return asdict(self)


def light(pids: Iterable[int], proc: Path = PROC) -> Light:
    """Reads each process's `stat`; one that has ended meanwhile counts for nothing."""
    named = [named_fields(proc / str(pid)) for pid in pids]
    every = [(name, fields) for name, fields in named if fields and fields[0] not in "ZX"]
    alive = [fields for _, fields in every]
    found = [fields for name, fields in every if name != _HOST]
    return Light(
        processes=len(found),
        threads=_total(found, 20),
        resident_bytes=_total(found, 24) * _PAGE_BYTES,
        user_ms=_total(alive, 14, 16) * _TICK_MS,
        system_ms=_total(alive, 15, 17) * _TICK_MS,
        minor_faults=_total(found, 10, 11),
        major_faults=_total(found, 12, 13),
    )


def full(pids: Iterable[int], proc: Path = PROC) -> Full:
    """Reads everything. Memory is exact here, where `light` has the kernel's quick count."""
    every = list(pids)
    quick = light(every, proc)
    alive = [pid for pid in every if named_fields(proc / str(pid))[0] != _HOST]
    rollups = [_sizes(proc / str(pid) / "smaps_rollup") for pid in alive]
    told = [rollup for rollup in rollups if rollup]
    switches = [one for pid in alive for one in _switches(proc / str(pid) / "task")]
    values = asdict(quick)
    if told:
        values["resident_bytes"] = sum(one.get("Rss", 0) for one in told)
    return Full(
        **values,
        unique_bytes=sum(one.get("Private_Clean", 0) + one.get("Private_Dirty", 0) for one in told) if told else None,
        proportional_bytes=sum(one.get("Pss", 0) for one in told) if told else None,
        files=files_of(alive, proc),
        voluntary=sum(one[0] for one in switches) if switches else None,
        involuntary=sum(one[1] for one in switches) if switches else None,
    )


def files_of(pids: Iterable[int], proc: Path = PROC) -> int | None:
    """How many file descriptors are open in all of them; None where the kernel does not tell of any."""
    told = [count for pid in pids if (count := _entries(proc / str(pid) / "fd")) is not None]
    return sum(told) if told else None


def threads_of(pids: Iterable[int], proc: Path = PROC) -> dict[int, int]:
    """Every thread's id with its process's."""
    found: dict[int, int] = {}
    for pid in pids:
        try:
            with os.scandir(proc / str(pid) / "task") as entries:
                found |= {int(entry.name): pid for entry in entries}
        except OSError:
            continue
    return found


def namespace_id(pid: int, tid: int, proc: Path = PROC) -> int | None:
    """A thread's id within its own PID namespace, where ids are given out in order; None where it shares ours."""
    ids = _keys(proc / str(pid) / "task" / str(tid) / "status").get("NSpid", "").split()
    return int(ids[-1]) if len(ids) > 1 else None


def _total(found: Sequence[Sequence[str]], *places: int) -> int:
    """The sum of fields over processes. Field n of the page is element n - 3."""
    return sum(int(fields[place - 3]) for fields in found for place in places)


def _switches(tasks: Path) -> Iterable[tuple[int, int]]:
    """Context switches of each thread, voluntary and not."""
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
    """Lines of `Name: 12 kB` in bytes; empty where it cannot be read."""
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
