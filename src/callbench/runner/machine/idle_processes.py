"""Pause processes that use processor time while other stacks are driven.

Spinning channels, collectors and compilers would take time from the driven stack, and keep processors awake. They are
paused with SIGSTOP. The time to resume them is not part of a slice.
"""

import os
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

# Processes that use more than this share of a processor while idle are paused.
IDLE_LIMIT = 0.01
# With less idle time than this, no share is computed.
LEAST_WATCHED_NS = 20_000_000
# clock_getcpuclockid(3): the clock of a process with all threads is its complemented id, shifted, plus these bits.
_CLOCK_OF_PROCESS = 2


def ran_ns(pids: Iterable[int]) -> int:
    """Return the processor time of processes so far in nanoseconds, with ended threads; 0 for ended processes."""
    total_ns = 0
    for pid in pids:
        with suppress(OSError):
            total_ns += time.clock_gettime_ns((~pid << 3) | _CLOCK_OF_PROCESS)
    return total_ns


class IdleUsage:
    """Measures what processes use while they are not driven."""

    def __init__(self, pids: Sequence[int]) -> None:
        """Start watching."""
        self._pids = pids
        self._unasked_ns = self._watched_ns = 0
        self.slice_ended()

    def slice_ended(self) -> None:
        """Note that a slice of these processes has ended."""
        self._ran, self._at = ran_ns(self._pids), time.monotonic_ns()

    def slice_begins(self) -> None:
        """Note that a slice of these processes begins."""
        self._unasked_ns += max(0, ran_ns(self._pids) - self._ran)
        self._watched_ns += time.monotonic_ns() - self._at

    @property
    def share(self) -> float | None:
        """The share of a processor used while idle; None if too little time was watched."""
        return self._unasked_ns / self._watched_ns if self._watched_ns >= LEAST_WATCHED_NS else None

    @property
    def exceeds_limit(self) -> bool:
        """Whether this share exceeds the limit."""
        return (self.share or 0.0) > IDLE_LIMIT


def stop(pids: Iterable[int]) -> None:
    """Pause processes; ended ones are skipped."""
    _signal(pids, signal.SIGSTOP)


def resume_processes(pids: Iterable[int]) -> None:
    """Resume paused processes."""
    _signal(pids, signal.SIGCONT)


def kill(pids: Iterable[int]) -> None:
    """Kill processes."""
    _signal(pids, signal.SIGKILL)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
