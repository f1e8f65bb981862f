"""Whether a generator had what it needed: a host that was starved is named, and the load is then no rank."""

from callbench.adapter.contract import Done, Histogram
from callbench.stats.estimate.histogram import index_of
from callbench.stats.load import bottleneck
from callbench.stats.load.processor_use import processor_used_ns

# Arrivals later than this count as late, and a start too.
LATE_NS = 1_000_000


def driver_share(done: Done) -> float:
    """Return the share of its time in which the driver's threads were busy."""
    return min(1.0, processor_used_ns(done) / (max(1, done["elapsed_ns"]) * max(1, done["threads"])))


def late_share(lateness: Histogram | None) -> float:
    """Return the share of arrivals that the generator was late for; 0 for a closed loop."""
    if lateness is None or not lateness["count"]:
        return 0.0
    first = index_of(LATE_NS)
    return sum(count for index, count in lateness["buckets"] if index >= first) / lateness["count"]


def why_starved(host: str, done: Done, host_busy: float) -> str:
    """Return what a generator lacked, in a sentence without its end; "" if it lacked nothing.

    Args:
        host: its name.
        done: its drive.
        host_busy: the share of the time in which the host's processors were busy.
    """
    return str(bottleneck.shortage(host, host_busy, late_share(done["lateness"]), driver_share(done)) or "")
