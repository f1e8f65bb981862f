"""What a load came to: rate, latencies, errors, and what limited it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from callbench.adapter.contract import Cpu, Done
from callbench.runner.load.tested import error_share, tested
from callbench.runner.load.thresholds import Tested
from callbench.runner.load.watched import Seen, Watched
from callbench.runner.load.wish import Wish
from callbench.runner.measure.neighbours import rows_of
from callbench.stats.bottleneck import SATURATED, Evidence, Limit, Verdict, judged
from callbench.stats.digits import percent
from callbench.stats.histogram import Buckets, index_of
from callbench.stats.pace import REACHED, reached_per_s
from callbench.stats.rate import Window, window_of
from callbench.stats.side_shares import side_of

SHARES = (0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)
# An arrival later than that was not when it should have been.
_LATE_NS = 1_000_000


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
        window: the calls within the time of the load: what is a rate is of it.
        latency: from the intended start of each call to its end; None where no call was answered rightly.
        service: of an open loop: from the real start.
        lateness: of an open loop: how late the driver itself was.
        errors: calls by kind of error, most first.
        said: the first sentence of each kind.
        client_us: processor time of the driver a call, in microseconds; None without calls.
        verdict: what limited the rate.
        processors: what the verdict rests on: what driver, server and others had of the processors.
        unseen: what of the server could not be seen, in a sentence; nothing where all could.
    """

    wish: Wish
    done: Done
    connections: int
    window: Window
    latency: Times | None
    service: Times | None
    lateness: Times | None
    errors: Mapping[str, int]
    said: Mapping[str, str]
    client_us: float | None
    server: Watched | None
    verdict: Verdict
    processors: Mapping[str, Any]
    unseen: str

    @property
    def rate_per_s(self) -> float:
        """Calls answered rightly within the window, a second."""
        return self.window.per_s

    @property
    def seconds(self) -> float:
        """How long the window was."""
        return self.window.ns / 1e9

    @property
    def waited_s(self) -> float:
        """How long after the window's end the last answer came: 0 where none was in flight then."""
        return max(0.0, self.done["elapsed_ns"] / 1e9 - self.seconds) if self.window.in_flight else 0.0

    @property
    def error_share(self) -> float:
        """The share of calls that failed."""
        return error_share(self.done)

    @property
    def tested(self) -> tuple[Tested, ...]:
        """The thresholds that were given, tested."""
        return tested(self.wish.fail_if, self.done, self.rate_per_s)

    @property
    def failure(self) -> str | None:
        """Why the load failed, as a sentence; None: it passed.

        Any error fails it, unless errors are expected or a threshold says how many may be.
        """
        if not self.done["calls"]:
            return "Failed: not one call was answered rightly."
        failed = [one.threshold.text for one in self.tested if one.failed]
        if failed:
            return f"Failed: {' and '.join(failed)}."
        allowed = self.wish.expect_errors or any(one.metric == "errors" for one in self.wish.fail_if)
        if self.errors and not allowed:
            return "Failed: calls failed. --expect-errors or --fail-if 'errors > 1%' allows that."
        return None

    @property
    def missed(self) -> bool:
        """Whether an open loop fell short of the rate that was asked for: calls still in flight are no sign of it."""
        if self.wish.rate is None:
            return False
        mean_ns = 0.0 if self.service is None else self.service.mean * 1e3
        reached = reached_per_s(self.done["calls"], self.done["elapsed_ns"], mean_ns, self.window)
        return reached < REACHED * self.wish.rate


def reckoned(wish: Wish, done: Done, connections: int, seen: Seen) -> Found:
    """Make figures of what the driver said.

    Args:
        wish: what was asked for.
        done: what the driver said.
        connections: how many were open when it began.
        seen: what was seen within the window.
    """
    window = window_of(done)
    used_ns = _used_ns(done["processor"]["end"]) - _used_ns(done["processor"]["start"])
    # The driver tells that of the whole drive: what lies within the window is as much of it as of the calls.
    share = window.calls / done["calls"] if done["calls"] else 1.0
    errors: dict[str, int] = dict(sorted(done["errors"].items(), key=lambda it: -it[1]))
    return Found(
        wish=wish,
        done=done,
        connections=connections,
        window=window,
        latency=_times(done["latency"]),
        service=_times(done["service"]),
        lateness=_times(done["lateness"]),
        errors=errors,
        said=done.get("said", {}),
        client_us=used_ns / 1e3 / done["calls"] if done["calls"] else None,
        server=seen.server,
        verdict=_verdict(wish, done, round(used_ns * share), seen.processors),
        processors=seen.processors,
        unseen=seen.unseen,
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


def _verdict(wish: Wish, done: Done, used_ns: int, processors: Mapping[str, Any]) -> Verdict:
    """The driver's thread is the generator, whatever the core's verdict would call it."""
    window_ns = window_of(done).ns
    busy = used_ns / (window_ns * max(1, done["threads"]))
    if busy >= SATURATED:
        remedy = "give it more --threads" if wish.threads == 1 else "it needs more processors"
        return Verdict(Limit.GENERATOR, f"the driver was {percent(min(1.0, busy))} busy: {remedy}")
    seen = rows_of(processors, "server")
    time = processors["elapsed_ns"] * max(1, processors["processors"])
    evidence = Evidence(
        clients=wish.clients,
        in_process=False,
        client=side_of(rows_of(processors, "client"), used_ns, window_ns),
        server=side_of(seen, None, window_ns),
        paced=wish.rate is not None or wish.think_ms > 0,
        lateness=_late(done),
        steal=processors["steal_ns"] / time if time else None,
        together=_share(processors["sides"]),
        driver=True,
    )
    verdict = judged(evidence)
    if verdict.limit is Limit.UNKNOWN and not seen:
        why = f"not the driver, which was {percent(busy)} busy; name the server's process with --pid to learn more"
        return replace(verdict, why=why)
    return verdict


def _share(sides: Sequence[Mapping[str, Any]]) -> bool:
    """Whether sides may run on the same processors."""
    sets = [set(one["cpus"]) for one in sides]
    return any(one & other for place, one in enumerate(sets) for other in sets[place + 1 :])


def _late(done: Done) -> float | None:
    """The share of arrivals that the driver was late for."""
    lateness = done["lateness"]
    if lateness is None or not lateness["count"]:
        return None
    first = index_of(_LATE_NS)
    return sum(count for index, count in lateness["buckets"] if index >= first) / lateness["count"]
