"""What uses the processors during a load: the server's processes, if known, the driver, and other programs."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from callbench.adapter.watch.process_reading import read_full
from callbench.analysis.load.usage import Observations, ServerUsage
from callbench.runner.measure.processor_time import ProcessorWatch
from callbench.store.lines.sides import ProcessorsSeen

FindProcesses = Callable[[], tuple[int, ...]]


class ProcessWatch:
    """Watches driver and server. Processes that start or end meanwhile are included."""

    def __init__(
        self, driver: FindProcesses | None, server: FindProcesses, cpus: Mapping[str, tuple[int, ...]]
    ) -> None:
        """Take the first reading.

        Args:
            driver: returns the driver's processes; None: it is on other machines.
            server: returns the server's processes; empty if they are unknown.
            cpus: the processors of `client` and `server`.
        """
        self._server = server
        server_pids = server()
        self._begin = read_full(server_pids) if server_pids else None
        sides = ({"client": driver} if driver else {}) | ({"server": server} if server_pids else {})
        self._time = ProcessorWatch(lambda: {side: find() for side, find in sides.items()}, cpus.__getitem__)

    def so_far(self) -> Observations:
        """Return the usage so far, while the calls continue."""
        return self._observations(self._time.so_far())

    def end(self) -> Observations:
        """Return the usage, and stop watching."""
        return self._observations(self._time.end())

    def _observations(self, processors: ProcessorsSeen) -> Observations:
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
