"""What uses the processors during a load: the server's processes, if known, the driver, and other programs."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from callbench.runner.measure.process_reading import FullReading, read_full
from callbench.runner.measure.processor_time import ProcessorWatch

FindProcesses = Callable[[], tuple[int, ...]]


@dataclass(frozen=True)
class ServerUsage:
    """What the server used during the load.

    Attributes:
        processor_ms: user and system time of the processes that ran from beginning to end.
        processors: the number of processors that it may use.
        begin: the first reading of its processes.
        end: the last reading.
    """

    processor_ms: int
    processors: int
    begin: FullReading
    end: FullReading


@dataclass(frozen=True)
class Observations:
    """The usage during the calls.

    Attributes:
        server: what the server used; None if its processes are unknown.
        processors: how driver, server and others used the processors, as returned by `ProcessorWatch`.
        unseen: which processes of the server were not visible, in a sentence; "" if all were.
    """

    server: ServerUsage | None
    processors: Mapping[str, Any]
    unseen: str = ""


class ProcessWatch:
    """Watches driver and server. Processes that start or end meanwhile are included."""

    def __init__(self, driver: FindProcesses, server: FindProcesses, cpus: Mapping[str, tuple[int, ...]]) -> None:
        """Take the first reading.

        Args:
            driver: returns the driver's processes.
            server: returns the server's processes; empty if they are unknown.
            cpus: the processors of `client` and `server`.
        """
        self._server = server
        server_pids = server()
        self._begin = read_full(server_pids) if server_pids else None
        sides = {"client": driver, **({"server": server} if server_pids else {})}
        self._time = ProcessorWatch(lambda: {side: find() for side, find in sides.items()}, cpus.__getitem__)

    def so_far(self) -> Observations:
        """Return the usage so far, while the calls continue."""
        return self._observations(self._time.so_far())

    def end(self) -> Observations:
        """Return the usage, and stop watching."""
        return self._observations(self._time.end())

    def _observations(self, processors: Mapping[str, Any]) -> Observations:
        if self._begin is None:
            return Observations(None, processors)
        pids = self._server()
        last = read_full(pids)
        used = last.user_ms + last.system_ms - self._begin.user_ms - self._begin.system_ms
        return Observations(ServerUsage(max(0, used), _allowed_processors(pids), self._begin, last), processors)


def _allowed_processors(pids: Sequence[int]) -> int:
    """Return how many processors the processes may use; each may be pinned to another one."""
    allowed: set[int] = set()
    for pid in pids:
        with suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return len(allowed) or os.cpu_count() or 1
