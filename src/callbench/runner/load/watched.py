"""What runs while a server is under load: its processes, where they are found, and everybody else's."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from callbench.runner.measure.processor_time import ProcessorWatch
from callbench.runner.measure.reading import Full, full

Processes = Callable[[], tuple[int, ...]]


@dataclass(frozen=True)
class Watched:
    """What a server used while it was under load.

    Attributes:
        processor_ms: user and system time of the processes that were there at the beginning and still are.
        processors: on how many it may run.
        begin: what it had at the beginning.
        end: and at the end.
    """

    processor_ms: int
    processors: int
    begin: Full
    end: Full


@dataclass(frozen=True)
class Seen:
    """What was seen while calls were made.

    Attributes:
        server: what the server used, where its processes were found.
        processors: what driver, server and others had of the processors, as `ProcessorWatch` tells it.
        unseen: what of the server could not be seen, in a sentence; nothing where all could.
    """

    server: Watched | None
    processors: Mapping[str, Any]
    unseen: str = ""


class Watch:
    """Looks at driver and server from now on; processes that come and go meanwhile are counted with them."""

    def __init__(self, driver: Processes, server: Processes, cpus: Mapping[str, tuple[int, ...]]) -> None:
        """Looks for the first time.

        Args:
            driver: finds the driver's processes that there are.
            server: the server's; nobody where they are not known.
            cpus: the processors of `client` and `server`.
        """
        self._server = server
        there = server()
        self._begin = full(there) if there else None
        sides = {"client": driver, **({"server": server} if there else {})}
        self._time = ProcessorWatch(lambda: {side: find() for side, find in sides.items()}, cpus.__getitem__)

    def over(self) -> Seen:
        """Looks again while it goes on."""
        return self._seen(self._time.over())

    def end(self) -> Seen:
        """Looks for the last time."""
        return self._seen(self._time.end())

    def _seen(self, processors: Mapping[str, Any]) -> Seen:
        if self._begin is None:
            return Seen(None, processors)
        pids = self._server()
        last = full(pids)
        used = last.user_ms + last.system_ms - self._begin.user_ms - self._begin.system_ms
        return Seen(Watched(max(0, used), _processors(pids), self._begin, last), processors)


def _processors(pids: Sequence[int]) -> int:
    """On how many processors they may run: each may be held to one of its own."""
    allowed: set[int] = set()
    for pid in pids:
        with suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return len(allowed) or os.cpu_count() or 1
