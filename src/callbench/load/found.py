"""What a load came to: rate, latencies, errors, and what limited it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from callbench.contract import Cpu, Done
from callbench.load.watched import Watched
from callbench.load.wish import Wish
from callbench.stats.bottleneck import NEIGHBOURS, SATURATED, Evidence, Limit, Side, Verdict, judged
from callbench.stats.digits import percent
from callbench.stats.histogram import Buckets, index_of

SHARES = (0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)
# An arrival later than that was not when it should have been.
_LATE_NS = 1_000_000
# Of an open loop: a rate further below the one asked for is no result.
_MISSED = 0.98


@dataclass(frozen=True)
class Times:
    """Of one histogram, in microseconds.

    Attributes:
        percentiles: by share.
    """

    mean: float
    least: float
    greatest: float
    percentiles: Mapping[float, float]


@dataclass(frozen=True)
class Found:
    """A finished load.

    Attributes:
        rate_per_s: calls answered rightly, a second.
        latency: from the intended start of each call to its end; None where no call was answered rightly.
        service: of an open loop: from the real start.
        lateness: of an open loop: how late the driver itself was.
        errors: calls by kind of error, most first.
        said: the first sentence of each kind.
        client_us: processor time of the driver a call, in microseconds; None without calls.
        verdict: what limited the rate.
    """

    wish: Wish
    done: Done
    connections: int
    rate_per_s: float
    latency: Times | None
    service: Times | None
    lateness: Times | None
    errors: Mapping[str, int]
    said: Mapping[str, str]
    client_us: float | None
    server: Watched | None
    verdict: Verdict

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return self.done["elapsed_ns"] / 1e9

    @property
    def missed(self) -> bool:
        """Whether an open loop fell short of the rate that was asked for."""
        return self.wish.rate is not None and self.rate_per_s < _MISSED * self.wish.rate


def reckoned(wish: Wish, done: Done, connections: int, server: Watched | None, machine: tuple[int, int]) -> Found:
    """Make figures of what the driver said.

    Args:
        wish: what was asked for.
        done: what the driver said.
        connections: how many were open when it began.
        server: what the server used, where it was watched.
        machine: for how many nanoseconds processors were busy meanwhile, added up, and how many there are.
    """
    seconds = done["elapsed_ns"] / 1e9
    used_ns = _used_ns(done["processor"]["end"]) - _used_ns(done["processor"]["start"])
    errors: dict[str, int] = dict(sorted(done["errors"].items(), key=lambda it: -it[1]))
    return Found(
        wish=wish,
        done=done,
        connections=connections,
        rate_per_s=done["calls"] / seconds,
        latency=_times(done["latency"]),
        service=_times(done["service"]),
        lateness=_times(done["lateness"]),
        errors=errors,
        said=done.get("said", {}),
        client_us=used_ns / 1e3 / done["calls"] if done["calls"] else None,
        server=server,
        verdict=_verdict(wish, done, used_ns, server, machine),
    )


def _used_ns(cpu: Cpu) -> int:
    return int(cpu["user_ns"]) + int(cpu["system_ns"])


def _times(histogram: Mapping[str, Any] | None) -> Times | None:
    if histogram is None or not histogram["count"]:
        return None
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    found = Buckets.of(dict(histogram["buckets"])).percentiles(SHARES, least, greatest)
    percentiles = {share: value / 1e3 for share, value in zip(SHARES, found, strict=True)}
    return Times(int(histogram["sum_ns"]) / histogram["count"] / 1e3, least / 1e3, greatest / 1e3, percentiles)


def _verdict(wish: Wish, done: Done, used_ns: int, server: Watched | None, machine: tuple[int, int]) -> Verdict:
    """The driver's thread is the generator, whatever the core's verdict would call it."""
    elapsed_ns = done["elapsed_ns"]
    busy = used_ns / (elapsed_ns * max(1, done["threads"]))
    if busy >= SATURATED:
        remedy = "give it more --threads" if wish.threads == 1 else "it needs more processors"
        return Verdict(Limit.GENERATOR, f"the driver was {percent(min(1.0, busy))} busy: {remedy}")
    seen = Side() if server is None else Side(busy=server.processor_ms * 1e6 / (elapsed_ns * server.processors))
    paced = wish.rate is not None or wish.think_ms > 0
    verdict = judged(Evidence(wish.clients, False, Side(busy), seen, paced, lateness=_late(done)))
    if verdict.limit is Limit.UNKNOWN and server is None:
        why = f"not the driver, which was {percent(busy)} busy; name the server's process with --pid to learn more"
        return replace(verdict, why=why)
    known_ns = used_ns + (server.processor_ms * 1_000_000 if server else 0)
    others = (machine[0] - known_ns) / (elapsed_ns * machine[1])
    if verdict.limit is Limit.WAITING and others > NEIGHBOURS:
        why = f"others took {percent(others)} of the machine's processors; {verdict.why.partition('; ')[2]}"
        return Verdict(Limit.SHARED, why)
    return verdict


def _late(done: Done) -> float | None:
    """The share of arrivals that the driver was late for."""
    lateness = done["lateness"]
    if lateness is None or not lateness["count"]:
        return None
    first = index_of(_LATE_NS)
    return sum(count for index, count in lateness["buckets"] if index >= first) / lateness["count"]
