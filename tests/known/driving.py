"""The load loop in virtual time: many clients on a simulated server, reported as in the contract."""

import heapq
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from callbench.adapter.contract import Done
from callbench.stats.load import arrivals
from histograms import histogram
from known.servers import SimulatedServer

_FIRST_REST_S, _LONGEST_REST_S = 0.001, 0.5
_NO_TIME = {"user_ns": "0", "system_ns": "0"}


@dataclass
class _Drive:
    """The calls of a drive; they are counted at its end, all at once.

    Attributes:
        window_s: how long the drive is; all moments are seconds since its begin.
        began_s: when each call began.
        ended_s: when it ended.
        clients: who made it; none where no call failed.
        errors: the kind of error of each call that failed, by its place.
    """

    window_s: float
    began_s: Sequence[float] | NDArray[np.float64] = field(default_factory=list)
    ended_s: Sequence[float] | NDArray[np.float64] = field(default_factory=list)
    clients: list[int] = field(default_factory=list)
    errors: dict[int, str] = field(default_factory=dict)

    def done(self, clients: int, due_s: NDArray[np.float64] | None = None, *, in_parts: bool = True) -> Done:
        """Report it; `due_s` is when each call of an open loop was due."""
        began, ended = (np.asarray(times, dtype=np.float64) for times in (self.began_s, self.ended_s))
        right = np.ones(len(ended), dtype=bool)
        right[list(self.errors)] = False
        late = ended > self.window_s
        after = late & right
        part = (self.window_s - began[after]) / (ended[after] - began[after])
        services_ns = _in_ns(ended - began, right)
        elapsed_ns = round(max(ended.max(initial=0.0), self.window_s) * 1e9)
        reported = {
            "calls": len(services_ns),
            "errors": dict(Counter(self.errors.values())),
            "elapsed_ns": elapsed_ns,
            "window_ns": round(self.window_s * 1e9),
            "answered": int((right & ~late).sum()),
            "in_flight": int((late & (began < self.window_s)).sum()),
            "in_flight_part": sum(part.tolist(), 0.0),
            "unserved": self._unserved(),
            "held_back": 0,
            "timed": "each",
            "batch": 1,
            **self._latencies(services_ns, right, due_s),
            **({"parts": self._parts(right, due_s)} if in_parts and due_s is not None else {}),
            "in_call_ns": str(services_ns.sum()),
            "think_ns": "0",
            "gap_ns": None if due_s is not None else str(clients * elapsed_ns - int(services_ns.sum())),
            "processor": {"start": _NO_TIME, "end": _NO_TIME},
            "threads": 1,
            "intervals": _intervals(ended, right),
        }
        return cast("Done", reported)

    def _unserved(self) -> int:
        failed = {self.clients[place] for place in self.errors}
        return (
            len(failed - {who for place, who in enumerate(self.clients) if place not in self.errors}) if failed else 0
        )

    def _latencies(
        self, services_ns: NDArray[np.int64], right: NDArray[np.bool_], due_s: NDArray[np.float64] | None
    ) -> dict[str, Any]:
        """Make the histograms: those of an open loop begin when calls were due."""
        if due_s is None:
            return {"latency": histogram(services_ns), "service": None, "lateness": None}
        return {
            "latency": histogram(_in_ns(self.ended_s - due_s, right)),
            "service": histogram(services_ns),
            "lateness": histogram(np.zeros_like(services_ns)),
        }

    def _parts(self, right: NDArray[np.bool_], due_s: NDArray[np.float64]) -> list[dict[str, Any]]:
        """Make a histogram for each tenth of the time, by when calls were due, as the driver does."""
        # Calls are due in order, so each tenth is a stretch of them.
        tenth = np.minimum((due_s[right] / self.window_s * 10).astype(np.int64), 9)
        stretches = np.split(_in_ns(self.ended_s - due_s, right), np.searchsorted(tenth, np.arange(1, 10)))
        nothing = {"count": 0, "sum_ns": "0", "min_ns": 0, "max_ns": 0, "buckets": []}
        return [histogram(stretch) or nothing for stretch in stretches]


def _in_ns(times_s: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.rint(times_s[right] * 1e9).astype(np.int64)


def _intervals(ended_s: NDArray[np.float64], right: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Count what had ended ten times a second, as a driver tells it."""
    ticks = np.arange(1, int(ended_s.max(initial=0.0) * 10) + 1) / 10
    calls, errors = (np.searchsorted(np.sort(ended_s[kind]), ticks, side="right") for kind in (right, ~right))
    return list(zip(np.rint(ticks * 1e9).astype(np.int64).tolist(), calls.tolist(), errors.tolist(), strict=True))


def closed(
    server: SimulatedServer, clients: int, seconds: float, *, think_s: float = 0.0, begin_s: float = 0.0
) -> Done:
    """Drive clients that wait for their answers; one that fails rests, as the load driver's do."""
    began: list[float] = []
    ended: list[float] = []
    callers: list[int] = []
    errors: dict[int, str] = {}
    ready = [(think_s * (2 * client + 1) / (2 * clients), client) for client in range(clients)]
    failed = [0] * clients
    answer, replace = server.answer, heapq.heapreplace
    at_s, client = ready[0]
    while at_s < seconds:
        end_s, error = answer(begin_s + at_s, client)
        end_s -= begin_s
        rest_s = think_s
        if error is not None:
            errors[len(began)] = error
            rest_s = min(_LONGEST_REST_S, _FIRST_REST_S * 2 ** min(20, failed[client]))
            failed[client] += 1
        else:
            failed[client] = 0
        began.append(at_s)
        ended.append(end_s)
        callers.append(client)
        replace(ready, (end_s + rest_s, client))
        at_s, client = ready[0]
    return _Drive(seconds, began, ended, callers, errors).done(clients)


def opened(
    server: SimulatedServer,
    arrivals_s: NDArray[np.float64],
    clients: int,
    seconds: float,
    *,
    begin_s: float = 0.0,
    in_parts: bool = True,
) -> Done:
    """Drive an open loop: arrivals wait for a free client, and those that are due within the time are all made.

    Without `in_parts`, as where a drive is only compared with an objective, its tenths are not told.
    """
    due_s = arrivals_s[: np.searchsorted(arrivals_s, seconds)]
    ended_s = server.answers(begin_s + due_s, clients)
    if ended_s is not None:
        drive = _Drive(seconds, due_s, ended_s - begin_s)
    else:
        drive = _one_by_one(server, due_s.tolist(), clients, seconds, begin_s)
    return drive.done(clients, due_s[: len(drive.began_s)], in_parts=in_parts)


def _one_by_one(
    server: SimulatedServer, due_s: Sequence[float], clients: int, seconds: float, begin_s: float
) -> _Drive:
    """Make each call when it is due and a client is free."""
    began: list[float] = []
    ended: list[float] = []
    callers: list[int] = []
    errors: dict[int, str] = {}
    idle = [(0.0, client) for client in range(clients)]
    for due in due_s:
        free_s, client = idle[0]
        began_s = max(due, free_s)
        if began_s >= seconds * 2:
            break
        end_s, error = server.answer(begin_s + began_s, client)
        end_s -= begin_s
        if error is not None:
            errors[len(began)] = error
        began.append(began_s)
        ended.append(end_s)
        callers.append(client)
        heapq.heapreplace(idle, (end_s, client))
    return _Drive(seconds, began, ended, callers, errors)


def constant(per_s: float, seconds: float) -> NDArray[np.float64]:
    """Return evenly spread arrivals."""
    return np.arange(1, math.ceil(per_s * seconds) + 1) / per_s


def poisson(per_s: float, seconds: float, dice: random.Random) -> NDArray[np.float64]:
    """Return random arrivals as a schedule has them: exactly so many, at random moments."""
    count = math.ceil(per_s * seconds)
    gaps = arrivals.poisson(per_s, count, dice.randrange(10**9))
    return arrivals.due_ns(gaps, count) / 1e9
