"""How many stacks can be alive at the same time: memory, threads and units of a batch."""

import resource
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from callbench.adapter.watch.process_reading import read_light

# A batch uses at most this share of the memory that is available when it begins.
MEMORY_SHARE = 0.5
# Two processors cope with thousands of sleeping threads; this limit leaves a margin.
MOST_THREADS = 6_000
MOST_UNITS = 400
MOST_FILES = 65_536


@dataclass(frozen=True)
class Resources:
    """Resources that units use.

    Attributes:
        memory_bytes: resident memory. Shared pages count in each process, so the sum is rather too high.
    """

    memory_bytes: int = 0
    threads: int = 0
    units: int = 0

    def __add__(self, other: "Resources") -> "Resources":
        """Return the sum of both."""
        return Resources(self.memory_bytes + other.memory_bytes, self.threads + other.threads, self.units + other.units)

    def with_more(self, others: int) -> "Resources":
        """Return these resources plus those of `others` more units of the same mean size."""
        each = max(1, self.units)
        more = Resources(self.memory_bytes * others // each, self.threads * others // each, others)
        return self + more


@dataclass(frozen=True)
class ResourceLimits:
    """What a batch may use at most."""

    memory_bytes: int
    threads: int = MOST_THREADS
    units: int = MOST_UNITS

    def allows(self, used: Resources) -> bool:
        """Return whether the limits allow this use and one more unit of the same mean size."""
        mean = used.memory_bytes // max(1, used.units)
        return (
            used.memory_bytes + mean <= self.memory_bytes and used.threads <= self.threads and used.units < self.units
        )


def available_resources(meminfo: Path = Path("/proc/meminfo")) -> ResourceLimits:
    """Return the limits for the memory that is available now. If the kernel does not report it, assume 2 GiB."""
    available = 2 << 30
    try:
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                available = int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    return ResourceLimits(int(available * MEMORY_SHARE))


def raise_limits() -> None:
    """Raise the limits of this process for POSIX message queues and open files, if permitted.

    All living stacks share the queues, and the core has about eight open pipes for each stack.
    """
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with suppress(OSError, ValueError):
        _soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, MOST_FILES), most))


def resources_of(pids: Sequence[int]) -> Resources:
    """Return what the processes of a unit use now."""
    seen = read_light(pids)
    return Resources(seen.resident_bytes, seen.threads, 1)
