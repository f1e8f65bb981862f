"""The environment of a run: machine, kernel, versions, load. A measured value means little without it."""

import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

import psutil

from callbench.adapter.network.creation import host_facts, try_link
from callbench.adapter.placement import Placement
from callbench.model.installation import home, supervisor, wheel
from callbench.model.processor_model import processor_model
from callbench.model.version import CONTRACT, VERSION
from callbench.runner.machine import git
from callbench.stats.wire.link import Wires, client_sides
from callbench.store.head import now

_CPUS = Path("/sys/devices/system/cpu")
_CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def record(placement: Placement, wires: Wires | None = None, generators: Sequence[str] = ()) -> dict[str, object]:
    """Return the content of environment.json. A value that cannot be found is null.

    Args:
        placement: the processors of client and server.
        wires: the link definitions by link name. Each is tried out, to record who makes it.
        generators: the hosts of clients that share a load.

    Raises:
        LinkFailure: a host cannot be had.
    """
    hosts = dict(zip(client_sides(len(generators)), generators, strict=True))
    for wire in (wires or {}).values():
        hosts |= wire.get("hosts", {})
    memory = psutil.virtual_memory()
    return {
        "at": now(),
        "callbench": VERSION,
        "contract": CONTRACT,
        "commit": commit(),
        "python": sys.version.split()[0],
        "machine": {
            "architecture": platform.machine(),
            "model": processor_model(),
            "virtual": _hypervisor(),
            "memory_bytes": memory.total,
            "memory_available_bytes": memory.available,
        },
        "processors": {
            "online": os.cpu_count(),
            "usable": sorted(os.sched_getaffinity(0)),
            "physical": psutil.cpu_count(logical=False),
            "governor": _each_cpu("cpufreq/scaling_governor"),
            "max_khz": _each_cpu("cpufreq/cpuinfo_max_freq"),
            "boost": _text(_CPUS / "cpufreq/boost"),
        },
        "kernel": {"release": platform.release(), "version": platform.version(), "clock_source": _text(_CLOCK)},
        "system": _system(),
        "load": busyness(),
        "supervisor": supervisor() is not None,
        "priority": {"nice": os.getpriority(os.PRIO_PROCESS, 0), "policy": _policy()},
        "idle": {"driver": _text(_CPUS / "cpuidle/current_driver"), "states": idle_states()},
        "timer": _timer(),
        "placement": placement.record() | {"shared": placement.shared},
        "links": {name: asdict(try_link(wire)) for name, wire in (wires or {}).items()},
        # Who ran where, if it was not all this machine.
        **({"hosts": host_facts(hosts)} if hosts else {}),
    }


class Busyness(TypedDict):
    """Load averages of 1, 5 and 15 minutes, and shares of the processors' time; None where it is not counted."""

    average: list[float]
    steal_share: float | None
    idle_share: float | None


def busyness() -> Busyness:
    """Return load averages, and the shares of processor time stolen and idle since the machine started."""
    times = psutil.cpu_times()
    total = sum(times)
    return {
        "average": list(os.getloadavg()),
        "steal_share": round(getattr(times, "steal", 0.0) / total, 6) if total else None,
        "idle_share": round(times.idle / total, 6) if total else None,
    }


def commit() -> str | None:
    """Return the commit of the installation, with `+` if files differ from it; None if it is unknown."""
    brought = wheel()
    if brought is not None:
        return brought.commit
    # An installation inside another project's checkout has no commit of its own.
    revision = git.said(home(), "rev-parse", "--short=12", "HEAD") if (home() / ".git").exists() else ""
    if not revision:
        return None
    return revision + ("+" if git.differs(home()) else "")


def _hypervisor() -> str | None:
    flags = _text(Path("/proc/cpuinfo")) or ""
    if " hypervisor" not in flags:
        return None
    return _text(Path("/sys/hypervisor/type")) or _text(Path("/sys/class/dmi/id/sys_vendor")) or "unknown"


def _system() -> str | None:
    for line in (_text(Path("/etc/os-release")) or "").splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip('"')
    return None


def _each_cpu(name: str) -> str | None:
    """Return the content of a file that each processor has; a single value if all are alike."""
    values = {text for cpu in sorted(_CPUS.glob("cpu[0-9]*")) if (text := _text(cpu / name))}
    return ", ".join(sorted(values)) or None


def _policy() -> str:
    """Return the scheduling policy of this process; adapters inherit it."""
    names = {os.SCHED_OTHER: "other", os.SCHED_BATCH: "batch", os.SCHED_IDLE: "idle", os.SCHED_FIFO: "fifo"}
    policy = os.sched_getscheduler(0)
    return names.get(policy, str(policy))


def idle_states() -> list[str]:
    """Return the idle states of the first processor, with their exit latency in microseconds."""
    found = []
    for state in sorted((_CPUS / "cpu0/cpuidle").glob("state[0-9]*")):
        name, latency = _text(state / "name"), _text(state / "latency")
        found.append(f"{name} ({latency} us)")
    return found


def _timer() -> dict[str, object]:
    """Return the smallest step and the mean cost of a clock reading of the core, in nanoseconds."""
    readings = [time.monotonic_ns() for _ in range(2000)]
    steps = [later - earlier for earlier, later in pairwise(readings) if later > earlier]
    return {
        "name": "CLOCK_MONOTONIC",
        "resolution_ns": min(steps, default=0),
        "reading_ns": round((readings[-1] - readings[0]) / (len(readings) - 1), 1),
    }


def _text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
