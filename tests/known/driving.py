"""The load loop in virtual time: many clients on a simulated server, reported as in the contract."""

import heapq
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from callbench.stats import arrivals
from callbench.stats.histogram import index_of
from known.servers import SimulatedServer

_FIRST_REST_S, _LONGEST_REST_S = 0.001, 0.5


@dataclass
class _Drive:
    """What a drive has counted so far; times in seconds since its begin."""

    window_s: float
    answered: int = 0
    part: float = 0.0
    in_flight: int = 0
    last_s: float = 0.0
    latencies_ns: list[int] = field(default_factory=list)
    services_ns: list[int] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    served: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)

    def count(self, due_s: float, began_s: float, ended_s: float, error: str | None) -> None:
        self.last_s = max(self.last_s, ended_s)
        late = ended_s > self.window_s
        self.in_flight += late and began_s < self.window_s
        if error is not None:
            self.errors[error] += 1
            return
        self.latencies_ns.append(round((ended_s - due_s) * 1e9))
        self.services_ns.append(round((ended_s - began_s) * 1e9))
        if late:
            self.part += (self.window_s - began_s) / (ended_s - began_s)
        else:
            self.answered += 1

    def done(self, clients: int, *, is_open: bool) -> dict[str, Any]:
        no_time = {"user_ns": "0", "system_ns": "0"}
        return {
            "calls": len(self.latencies_ns),
            "errors": dict(self.errors),
            "elapsed_ns": round(max(self.last_s, self.window_s) * 1e9),
            "window_ns": round(self.window_s * 1e9),
            "answered": self.answered,
            "in_flight": self.in_flight,
            "in_flight_part": self.part,
            "unserved": len(self.failed - self.served),
            "timed": "each",
            "batch": 1,
            "latency": histogram(self.latencies_ns),
            "service": histogram(self.services_ns) if is_open else None,
            "lateness": histogram([0] * len(self.latencies_ns)) if is_open else None,
            "in_call_ns": str(sum(self.services_ns)),
            "think_ns": "0",
            "processor": {"start": no_time, "end": no_time},
            "threads": 1,
            "intervals": [],
            "clients": clients,
        }


def histogram(values_ns: Sequence[int]) -> dict[str, Any] | None:
    """Return the contract's histogram of times; None without any."""
    if not values_ns:
        return None
    buckets = sorted(Counter(index_of(value) for value in values_ns).items())
    least, greatest = min(values_ns), max(values_ns)
    return {"count": len(values_ns), "sum_ns": str(sum(values_ns)), "min_ns": least, "max_ns": greatest,
            "buckets": [list(each) for each in buckets]}  # fmt: skip


def closed(
    server: SimulatedServer, clients: int, seconds: float, *, think_s: float = 0.0, begin_s: float = 0.0
) -> dict[str, Any]:
    """Drive clients that wait for their answers; one that fails rests, as the load driver's do."""
    drive = _Drive(seconds)
    ready: list[tuple[float, int]] = []
    failed = [0] * clients
    for client in range(clients):
        heapq.heappush(ready, (think_s * (2 * client + 1) / (2 * clients), client))
    while ready:
        at_s, client = heapq.heappop(ready)
        if at_s >= seconds:
            continue
        end_s, error = server.answer(begin_s + at_s, client)
        end_s -= begin_s
        drive.count(at_s, at_s, end_s, error)
        failed[client] = failed[client] + 1 if error else 0
        (drive.failed if error else drive.served).add(client)
        rest_s = min(_LONGEST_REST_S, _FIRST_REST_S * 2 ** min(20, failed[client] - 1)) if error else think_s
        heapq.heappush(ready, (end_s + rest_s, client))
    return drive.done(clients, is_open=False)


def opened(
    server: SimulatedServer, arrivals_s: Iterator[float], clients: int, seconds: float, *, begin_s: float = 0.0
) -> dict[str, Any]:
    """Drive an open loop: arrivals wait for a free client, and those that are due within the time are all made."""
    drive, idle = _Drive(seconds), [(0.0, client) for client in range(clients)]
    for due_s in arrivals_s:
        if due_s >= seconds:
            break
        free_s, client = heapq.heappop(idle)
        began_s = max(due_s, free_s)
        if began_s >= seconds * 2:
            break
        end_s, error = server.answer(begin_s + began_s, client)
        end_s -= begin_s
        drive.count(due_s, began_s, end_s, error)
        (drive.failed if error else drive.served).add(client)
        heapq.heappush(idle, (end_s, client))
    return drive.done(clients, is_open=True)


def constant(per_s: float) -> Iterator[float]:
    """Yield evenly spread arrivals."""
    number = 0
    while True:
        number += 1
        yield number / per_s


def poisson(per_s: float, seconds: float, dice: random.Random) -> Iterator[float]:
    """Yield random arrivals as a schedule has them: exactly so many, at random moments."""
    count = math.ceil(per_s * seconds)
    gaps = arrivals.poisson(per_s, count, dice.randrange(10**9))
    yield from (due / 1e9 for due in arrivals.due_ns(gaps, count).tolist())
