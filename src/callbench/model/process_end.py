"""How a process ended: without memory, by a crash, or by itself; and after how many calls."""

import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

Ending = Literal["out-of-memory", "crash", "killed", "exit"]

_VMSTAT = Path("/proc/vmstat")
_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
# A fault of the program itself, or its own decision to give up.
_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS}
# What runtimes write when they end because there is no memory.
_COMPLAINTS = re.compile(
    r"memory allocation of \d+ bytes failed|std::bad_alloc|java\.lang\.OutOfMemoryError|\bMemoryError\b"
    r"|[Oo]ut of memory|OutOfMemoryException|cannot allocate memory|Cannot allocate memory"
)


def oom_kills() -> dict[str, int]:
    """Count the processes that the kernel killed for lack of memory: on the machine, and in the core's own cgroup.

    Adapters are in that cgroup too. Version 2 has it in memory.events, version 1 in memory.oom_control.
    """
    return {"machine": _count(_VMSTAT)} | {"cgroup": sum(_count(file) for file in _cgroup_files())}


def ending(code: int, log: Sequence[str], killed_before: Mapping[str, int], killed_after: Mapping[str, int]) -> Ending:
    """Describe endings apart.

    Args:
        code: the exit code; -n, or 128 + n as a shell and the supervisor have it, where signal n ended it.
        log: its last lines.
        killed_before: `oom_kills` when it was started.
        killed_after: the same when it had ended.
    """
    number = -code if code < 0 else code - 128
    if number == signal.SIGKILL:
        # The kernel counts only the processes that it kills itself, not those that get SIGKILL from another process.
        return (
            "out-of-memory" if any(killed_after[key] > killed_before.get(key, 0) for key in killed_after) else "killed"
        )
    if code != 0 and any(_COMPLAINTS.search(line) for line in log):
        return "out-of-memory"
    if number in _CRASHES:
        return "crash"
    return "killed" if 0 < number < signal.NSIG else "exit"


def after(least: int | None, most: int | None, restarts: int) -> str:
    """State that processes ended, and after how many calls of their lives if that is known.

    Args:
        least: calls answered rightly since the start, of several the fewest.
        most: the most.
        restarts: how often one was started again.
    """
    again = f", restarted {restarts} times" if restarts > 1 else ", restarted once" if restarts else ""
    if least is None or most is None:
        return f"died{again}"
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"died after {span} call{'' if most == 1 else 's'}{again}"


def _count(file: Path) -> int:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def _cgroup_files() -> list[Path]:
    try:
        lines = _OWN.read_text().splitlines()
    except OSError:
        return []
    files = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        inside = path.lstrip("/")
        if not controllers:
            files.append(_CGROUPS / inside / "memory.events")
        elif "memory" in controllers.split(","):
            files.append(_CGROUPS / "memory" / inside / "memory.oom_control")
    return files
