"""What can be alive together: units are taken in as long as the machine has room for one more."""

import resource
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from callbench.runner.measure.reading import light

# Of the memory that is available before a batch begins, a batch takes no more than this.
SHARE_OF_MEMORY = 0.5
# A kernel with two processors has thousands of sleeping threads without harm; more is asking for trouble.
MOST_THREADS = 6_000
MOST_UNITS = 400
MOST_FILES = 65_536


@dataclass(frozen=True)
class Taken:
    """What units take.

    Attributes:
        memory_bytes: resident; what processes share is counted in each, so that it is rather too much.
    """

    memory_bytes: int = 0
    threads: int = 0
    units: int = 0

    def __add__(self, other: "Taken") -> "Taken":
        """Both."""
        return Taken(self.memory_bytes + other.memory_bytes, self.threads + other.threads, self.units + other.units)

    def beside(self, others: int) -> "Taken":
        """What these take with so many others of their mean."""
        each = max(1, self.units)
        more = Taken(self.memory_bytes * others // each, self.threads * others // each, others)
        return self + more


@dataclass(frozen=True)
class Room:
    """What a batch may take."""

    memory_bytes: int
    threads: int = MOST_THREADS
    units: int = MOST_UNITS

    def holds(self, taken: Taken) -> bool:
        """Whether so much may be alive, and one more of the mean size of those that are."""
        mean = taken.memory_bytes // max(1, taken.units)
        return (
            taken.memory_bytes + mean <= self.memory_bytes
            and taken.threads <= self.threads
            and taken.units < self.units
        )


def room(meminfo: Path = Path("/proc/meminfo")) -> Room:
    """The room that there is now; where the kernel does not say, that of a small machine."""
    available = 2 << 30
    try:
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                available = int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass
    return Room(int(available * SHARE_OF_MEMORY))


def make_room() -> None:
    """Lifts what the kernel allows us of POSIX message queues and open files, where we may.

    Stacks that are alive together share the one; the core has some eight pipes open for each of them.
    """
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with suppress(OSError, ValueError):
        _soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, MOST_FILES), most))


def taken_by(pids: Sequence[int]) -> Taken:
    """What a unit's processes take now."""
    seen = light(pids)
    return Taken(seen.resident_bytes, seen.threads, 1)
