"""How busy the processors of a host are, and its monotonic clock: what tells whether a generator had its time."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
# proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. Guests are within user and nice.
_BUSY = (0, 1, 2, 5, 6, 7)


@dataclass(frozen=True)
class HostUsage:
    """The processors that adapters may use there.

    Attributes:
        at_ns: when it was read, on the host's monotonic clock.
        processors: how many there are.
        busy_ns: how long they have been busy or stolen since the start of the machine, all together.
    """

    at_ns: int
    processors: int
    busy_ns: int

    def busy_since(self, before: "HostUsage") -> float:
        """Return the share of the time since then in which the processors were busy, from 0 to 1."""
        whole = (self.at_ns - before.at_ns) * max(1, self.processors)
        return min(1.0, max(0.0, (self.busy_ns - before.busy_ns) / whole)) if whole > 0 else 0.0


def usage_here() -> HostUsage:
    """Return the usage of the processors that this process may use."""
    allowed = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    busy = 0
    for line in _STAT.read_text().splitlines():
        name, *ticks = line.split()
        if name in allowed:
            busy += sum(int(ticks[place]) for place in _BUSY) * _TICK_NS
    return HostUsage(time.monotonic_ns(), len(allowed), busy)
