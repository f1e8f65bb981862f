"""What is alive and not driven takes no processor time: what does all the same is stopped between its slices.

A channel that spins, a collector, a compiler: each would take time from whoever is driven, and keep processors awake
that would else sleep. Stopped is by SIGSTOP, which nobody can refuse; what thawing takes is no part of a slice.
"""

import os
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

# What takes more of a processor than this while others are driven is stopped.
KEEPS_STILL = 0.01
# Where less time was watched, nothing is said yet.
LEAST_WATCHED_NS = 20_000_000
# clock_getcpuclockid(3): the clock of a process, all of its threads, is its complemented id and these bits.
_CLOCK_OF_PROCESS = 2


def ran_ns(pids: Iterable[int]) -> int:
    """Processor time of processes so far, with threads that have ended, in nanoseconds; 0 of those that are gone."""
    found = 0
    for pid in pids:
        with suppress(OSError):
            found += time.clock_gettime_ns((~pid << 3) | _CLOCK_OF_PROCESS)
    return found


class Watched:
    """What processes take while they are not driven."""

    def __init__(self, pids: Sequence[int]) -> None:
        """Begins to watch."""
        self._pids = pids
        self._unasked_ns = self._watched_ns = 0
        self.rests()

    def rests(self) -> None:
        """A slice of theirs is over."""
        self._ran, self._at = ran_ns(self._pids), time.monotonic_ns()

    def begins(self) -> None:
        """A slice of theirs begins."""
        self._unasked_ns += max(0, ran_ns(self._pids) - self._ran)
        self._watched_ns += time.monotonic_ns() - self._at

    @property
    def share(self) -> float | None:
        """Of a processor, what they took while they were not driven; None where too little was watched."""
        return self._unasked_ns / self._watched_ns if self._watched_ns >= LEAST_WATCHED_NS else None

    @property
    def restless(self) -> bool:
        """Whether that is more than it may be."""
        return (self.share or 0.0) > KEEPS_STILL


def stop(pids: Iterable[int]) -> None:
    """Stops processes where they are; those that have ended are passed over."""
    _signal(pids, signal.SIGSTOP)


def go_on(pids: Iterable[int]) -> None:
    """Lets stopped processes go on."""
    _signal(pids, signal.SIGCONT)


def kill(pids: Iterable[int]) -> None:
    """Ends processes by force."""
    _signal(pids, signal.SIGKILL)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
