"""Which processes there are, and who started whom: the kernel's own account in /proc."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
# The program that speaks for runners (contract/RUNNER.md), which processes are known by.
HOST = "callbench-host"
# Field n of proc_pid_stat(5) is element n - 3 of `stat_fields`.
_PARENT = 4 - 3


def stat_fields(folder: Path) -> Sequence[str]:
    """The fields of a process's or thread's `stat` behind its name: state, parent, ... Empty if it has ended.

    proc_pid_stat(5): the name stands in brackets and may hold brackets and blanks itself. Field n of the page is
    element n - 3 here.
    """
    return named_fields(folder)[1]


def named_fields(folder: Path) -> tuple[bytes, Sequence[str]]:
    """A process's name, cut to 15 bytes, and `stat_fields`."""
    try:
        head, _, fields = (folder / "stat").read_bytes().rpartition(b")")
    except OSError:
        return b"", ()
    return head.partition(b"(")[2], fields.decode().split()


def younger(root: int) -> dict[int, list[int]]:
    """The children of a process that is new itself, and of everything started after it, by the parent's id.

    It finds what `descendants` finds, and looks at no thread: of each thread whose children were asked for, the kernel
    takes some milliseconds longer to end (seen in 6.18), which is seconds for a few hundred processes. Ids are given
    out in order and begin again at the highest: if they have done so since, all processes are read.
    """
    last = int((PROC / "loadavg").read_bytes().split()[-1])
    found: dict[int, list[int]] = {}
    for name in os.listdir(PROC):  # noqa: PTH208 - read for every start
        if name.isdigit() and (int(name) > root or last < root) and (fields := stat_fields(PROC / name)):
            found.setdefault(int(fields[_PARENT]), []).append(int(name))
    return found


def children_of_all(proc: Path = PROC) -> dict[int, list[int]]:
    """Every process's children, by the parent's id."""
    children: dict[int, list[int]] = {}
    for entry in proc.iterdir():
        if entry.name.isdigit() and (fields := stat_fields(entry)):
            children.setdefault(int(fields[_PARENT]), []).append(int(entry.name))
    return children


def descendants(root: int) -> dict[int, list[int]]:
    """The children of a process and of everything below it, by the parent's id.

    Where the kernel lists children (proc_tid_children(5)), that is a read for each thread of the family, and not for
    every process of the machine. A child that ends at the same moment can hide a sibling there, so a family is asked
    twice and the two are put together.
    """
    if not (PROC / "self" / "task" / str(os.getpid()) / "children").exists():
        return children_of_all()
    found: dict[int, list[int]] = {}
    for _ in range(2):
        waiting = [root]
        while waiting:
            pid = waiting.pop()
            mine = sorted({*found.get(pid, ()), *_children_of(pid)})
            if mine:
                found[pid] = mine
                waiting += mine
    return found


def _children_of(pid: int) -> list[int]:
    """The processes that the threads of one have started and that still hang on it."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"{PROC}/{pid}/task"):  # noqa: PTH208 - a read for every slice
            with suppress(OSError), open(f"{PROC}/{pid}/task/{thread}/children", "rb") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def parent_of(pid: int) -> int:
    """A process's parent; 0 if it has none that can be seen, or has ended."""
    fields = stat_fields(PROC / str(pid))
    return int(fields[_PARENT]) if fields else 0


def is_alive(pid: int) -> bool:
    """Whether a process still runs; one that has ended and that no one has asked for does not."""
    fields = stat_fields(PROC / str(pid))
    return bool(fields) and fields[0] not in "ZX"


def ancestors() -> set[int]:
    """This process and those that it descends from."""
    found = {os.getpid()}
    pid = os.getppid()
    while pid and pid not in found:
        found.add(pid)
        pid = parent_of(pid)
    return found


def family(roots: Iterable[int], children: Mapping[int, Sequence[int]] | None = None) -> tuple[int, ...]:
    """Processes and their descendants, parents before children, each once.

    We and what we have started are none of another's family, also where it started us.
    """
    known = children_of_all() if children is None else children
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for pid in found:
        more = [child for child in sorted(known.get(pid, ())) if child not in seen and child != os.getpid()]
        found += more
        seen.update(more)
    return tuple(found)


def program_of(pid: int) -> tuple[str, bytes] | None:
    """What a process runs: its file and its command; None if we may not know."""
    with suppress(OSError):
        folder = PROC / str(pid)
        return os.readlink(folder / "exe"), (folder / "cmdline").read_bytes()  # noqa: PTH115 - a text, not a path
    return None
