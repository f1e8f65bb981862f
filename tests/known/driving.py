"""The load loop in virtual time: many clients on a simulated server, reported as in the contract."""

import heapq
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from callbench.stats.load import arrivals
from histograms import histogram
from known.servers import SimulatedServer

_FIRST_REST_S, _LONGEST_REST_S = 0.001, 0.5
# When it was due, when it began and ended, in seconds since the begin of the drive, its error if any, and its client.
_Call = tuple[float, float, float, str | None, int]


@dataclass
class _Drive:
    """The calls of a drive; they are counted at its end, all at once."""

    window_s: float
    calls: list[_Call] = field(default_factory=list)

    def done(self, clients: int, *, is_open: bool) -> dict[str, Any]:
        due_s, began_s, ended_s, errors, who = zip(*self.calls, strict=True) if self.calls else ((),) * 5
        due, began, ended = (np.array(times, dtype=np.float64) for times in (due_s, began_s, ended_s))
        right = np.array([error is None for error in errors], dtype=bool)
        late = ended > self.window_s
        after = late & right
        callers = np.array(who, dtype=np.int64)
        part = (self.window_s - began[after]) / (ended[after] - began[after])
        latencies_ns, services_ns = (np.rint((ended - since)[right] * 1e9).astype(np.int64) for since in (due, began))
        no_time = {"user_ns": "0", "system_ns": "0"}
        elapsed_ns = round(max(ended.max(initial=0.0), self.window_s) * 1e9)
        gap_ns = None if is_open else str(clients * elapsed_ns - int(services_ns.sum()))
        return {
            "calls": len(latencies_ns),
            "errors": dict(Counter(error for error in errors if error is not None)),
            "elapsed_ns": elapsed_ns,
            "window_ns": round(self.window_s * 1e9),
            "answered": int((right & ~late).sum()),
            "in_flight": int((late & (began < self.window_s)).sum()),
            "in_flight_part": sum(part.tolist(), 0.0),
            "unserved": len(np.setdiff1d(callers[~right], callers[right])),
            "timed": "each",
            "batch": 1,
            "latency": histogram(latencies_ns),
            "service": histogram(services_ns) if is_open else None,
            "lateness": histogram(np.zeros_like(latencies_ns)) if is_open else None,
            **({"parts": _parts(due[right], latencies_ns, self.window_s)} if is_open else {}),
            "in_call_ns": str(services_ns.sum()),
            "think_ns": "0",
            "gap_ns": gap_ns,
            "processor": {"start": no_time, "end": no_time},
            "threads": 1,
            "intervals": _intervals(ended, right),
            "clients": clients,
        }


def _parts(due_s: NDArray[np.float64], latencies_ns: NDArray[np.int64], window_s: float) -> list[dict[str, Any]]:
    """Make a histogram for each tenth of the time, by when calls were due, as the driver does."""
    tenth = np.minimum((due_s / window_s * 10).astype(np.int64), 9)
    nothing = {"count": 0, "sum_ns": "0", "min_ns": 0, "max_ns": 0, "buckets": []}
    return [histogram(latencies_ns[tenth == place]) or nothing for place in range(10)]


def _intervals(ended_s: NDArray[np.float64], right: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Count what had ended ten times a second, as a driver tells it."""
    ticks = np.arange(1, int(ended_s.max(initial=0.0) * 10) + 1) / 10
    calls, errors = (np.searchsorted(np.sort(ended_s[kind]), ticks, side="right") for kind in (right, ~right))
    return [(round(at_s * 1e9), int(call), int(error)) for at_s, call, error in zip(ticks, calls, errors, strict=True)]


def closed(
    server: SimulatedServer, clients: int, seconds: float, *, think_s: float = 0.0, begin_s: float = 0.0
) -> dict[str, Any]:
    """Drive clients that wait for their answers; one that fails rests, as the load driver's do."""
    drive = _Drive(seconds)
    ready = [(think_s * (2 * client + 1) / (2 * clients), client) for client in range(clients)]
    failed = [0] * clients
    while ready[0][0] < seconds:
        at_s, client = ready[0]
        end_s, error = server.answer(begin_s + at_s, client)
        end_s -= begin_s
        drive.calls.append((at_s, at_s, end_s, error, client))
        failed[client] = failed[client] + 1 if error else 0
        rest_s = min(_LONGEST_REST_S, _FIRST_REST_S * 2 ** min(20, failed[client] - 1)) if error else think_s
        heapq.heapreplace(ready, (end_s + rest_s, client))
    return drive.done(clients, is_open=False)


def opened(
    server: SimulatedServer, arrivals_s: Iterator[float], clients: int, seconds: float, *, begin_s: float = 0.0
) -> dict[str, Any]:
    """Drive an open loop: arrivals wait for a free client, and those that are due within the time are all made."""
    drive, idle = _Drive(seconds), [(0.0, client) for client in range(clients)]
    for due_s in arrivals_s:
        if due_s >= seconds:
            break
        free_s, client = idle[0]
        began_s = max(due_s, free_s)
        if began_s >= seconds * 2:
            break
        end_s, error = server.answer(begin_s + began_s, client)
        end_s -= begin_s
        drive.calls.append((due_s, began_s, end_s, error, client))
        heapq.heapreplace(idle, (end_s, client))
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
