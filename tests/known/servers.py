"""Simulated servers whose capacity follows from their arguments, in virtual time.

A server is asked when a call arrives, in the order of arrivals, and says when the call ends and with which error, if
any. Its clock is the caller's: nothing here waits.
"""

import heapq
import random
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


class SimulatedServer(ABC):
    """Answers calls in virtual time."""

    @abstractmethod
    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Return when a call that arrives ends, and the kind of its error, None if it is answered rightly."""

    def answers(self, at_s: NDArray[np.float64], most: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return when calls end that arrive at these moments, in their order, all at once.

        None, and nothing has happened, where they have to be asked for one by one: a call may fail, or more than `most`
        would be in progress.
        """
        return None


def _are_within(at_s: NDArray[np.float64], ends_s: NDArray[np.float64], most: int) -> bool:
    """Whether no call arrives while `most` are in progress."""
    ended = np.searchsorted(np.sort(ends_s), at_s, side="right")
    return bool((np.arange(len(at_s)) - ended < most).all())


@dataclass
class Pool(SimulatedServer):
    """A number of workers and one queue: `lock` is a pool of one. `spread` 1 makes M/M/c of fixed times.

    Attributes:
        workers: how many calls are served at once.
        service_s: mean time of one.
        exponential: whether times vary as those of M/M/c.
        slow_share: the share of calls that take `slow_factor` times as long.
        away_s: on the way there and back, during which no worker is taken.
    """

    workers: int
    service_s: float
    exponential: bool = False
    slow_share: float = 0.0
    slow_factor: float = 10.0
    away_s: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - to be repeated
    _free: list[float] = field(default_factory=list)

    @property
    def capacity_per_s(self) -> float:
        """Calls a second at most."""
        return self.workers / (self.service_s * (1 + self.slow_share * (self.slow_factor - 1)))

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:  # noqa: ARG002 - all are served alike
        """Serve in the order of arrivals."""
        if not self._free:
            self._free = [0.0] * self.workers
        took_s = self.dice.expovariate(1 / self.service_s) if self.exponential else self.service_s
        if self.slow_share and self.dice.random() < self.slow_share:
            took_s *= self.slow_factor
        end_s = max(at_s, self._free[0]) + took_s
        heapq.heapreplace(self._free, end_s)
        return end_s + self.away_s, None

    def answers(self, at_s: NDArray[np.float64], most: int) -> NDArray[np.float64] | None:
        """As in `SimulatedServer`, with the same dice."""
        free, dice = self._free or [0.0] * self.workers, self.dice.getstate()
        took_s = self._times_s(len(at_s))
        if self.workers == 1:
            # Lindley's recursion, unrolled: a call ends after the work since a call that found nobody before it.
            work_s = np.cumsum(took_s)
            ends_s = np.maximum.accumulate(np.maximum(at_s, free[0]) - (work_s - took_s)) + work_s
            free_after = [float(ends_s[-1])] if len(ends_s) else free
        else:
            free_after, ends = free.copy(), []
            for at, took in zip(at_s.tolist(), took_s.tolist(), strict=True):
                next_free = free_after[0]
                end = (at if at > next_free else next_free) + took  # noqa: FURB136 - ten million times
                heapq.heapreplace(free_after, end)
                ends.append(end)
            ends_s = np.array(ends)
        if not _are_within(at_s, ends_s + self.away_s, most):
            self.dice.setstate(dice)
            return None
        self._free = free_after
        return ends_s + self.away_s

    def _times_s(self, calls: int) -> NDArray[np.float64]:
        draws = self.exponential + (self.slow_share > 0)
        drawn = iter(np.array([self.dice.random() for _ in range(calls * draws)]).reshape(calls, draws).T)
        took_s = np.full(calls, self.service_s)
        if self.exponential:
            took_s *= -np.log(1.0 - next(drawn))
        if self.slow_share:
            took_s[next(drawn) < self.slow_share] *= self.slow_factor
        return took_s


@dataclass
class BehindLink(SimulatedServer):
    """A server at the other end of a link: a call takes a round trip, and answers go one after the other.

    Attributes:
        delay_s: each way.
        answer_s: how long the bytes of an answer take at the link's rate.
    """

    inner: SimulatedServer
    delay_s: float
    answer_s: float
    _free_s: float = 0.0

    @property
    def capacity_per_s(self) -> float:
        """Answers a second at most, where the server does not limit them."""
        return 1 / self.answer_s

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Answer as the inner one, and send the answer when the link is free."""
        made_s, error = self.inner.answer(at_s + self.delay_s, client)
        self._free_s = max(self._free_s, made_s) + self.answer_s
        return self._free_s + self.delay_s, error


@dataclass
class TokenBucket(SimulatedServer):
    """Lets so many calls a second pass, and a burst at first; a call waits for its token.

    Attributes:
        refuses: whether a call without a token is answered at once with a failure, as 429 is, instead of waiting.
    """

    per_s: float
    burst: int = 1
    service_s: float = 0.0001
    refuses: bool = False
    _next_s: float = 0.0

    @property
    def capacity_per_s(self) -> float:
        """Calls a second at most, for longer than the burst."""
        return self.per_s

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:  # noqa: ARG002 - all are served alike
        """Take a token."""
        due_s = max(self._next_s, at_s - (self.burst - 1) / self.per_s)
        if self.refuses and due_s > at_s:
            return at_s + self.service_s, "status"
        self._next_s = due_s + 1 / self.per_s
        return max(at_s, due_s) + self.service_s, None

    def answers(self, at_s: NDArray[np.float64], most: int) -> NDArray[np.float64] | None:
        """As in `SimulatedServer`."""
        if self.refuses or not len(at_s):
            return None
        # Each token comes a gap after the one before it, or when a call could first have taken it.
        tokens_s = np.arange(len(at_s)) / self.per_s
        earliest_s = np.maximum(at_s - (self.burst - 1) / self.per_s, self._next_s)
        due_s = np.maximum.accumulate(earliest_s - tokens_s) + tokens_s
        ends_s = np.maximum(at_s, due_s) + self.service_s
        if not _are_within(at_s, ends_s, most):
            return None
        self._next_s = float(due_s[-1]) + 1 / self.per_s
        return ends_s


@dataclass
class FullQueue(SimulatedServer):
    """One worker and so many places, its own among them: who finds none is refused at once (M/M/1/K)."""

    places: int
    service_s: float
    dice: random.Random
    _ends: deque[float] = field(default_factory=deque)

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:  # noqa: ARG002 - all are served alike
        """Serve in the order of arrivals, or refuse."""
        while self._ends and self._ends[0] <= at_s:
            self._ends.popleft()
        if len(self._ends) >= self.places:
            return at_s + 0.0001, "status"
        self._ends.append(max(at_s, self._ends[-1] if self._ends else 0.0) + self.dice.expovariate(1 / self.service_s))
        return self._ends[-1], None


@dataclass
class Limited(SimulatedServer):
    """Serves so many connections, and closes each further one: `inner` answers those that it serves."""

    connections: int
    inner: SimulatedServer

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Answer the first clients only."""
        return self.inner.answer(at_s, client) if client < self.connections else (at_s + 0.0005, "closed")


@dataclass
class Stalling(SimulatedServer):
    """Stands still for `stall_s` at the end of every period."""

    inner: SimulatedServer
    every_s: float
    stall_s: float

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Answer as the inner one, after the stall if one is going on at the end."""
        end_s, error = self.inner.answer(at_s, client)
        into_s = end_s % self.every_s
        return (end_s - into_s + self.every_s, error) if into_s > self.every_s - self.stall_s else (end_s, error)


@dataclass
class Stopping(SimulatedServer):
    """Answers at once, and stands still for `stall_s` at random moments, `apart_s` after the last stall on average."""

    apart_s: float
    stall_s: float
    dice: random.Random
    _stall_at_s: float = -1.0

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:  # noqa: ARG002 - all are served alike
        """Answer after the stall if one is going on."""
        if self._stall_at_s < 0:
            self._stall_at_s = self.dice.expovariate(1 / self.apart_s)
        while self._stall_at_s + self.stall_s <= at_s:
            self._stall_at_s += self.stall_s + self.dice.expovariate(1 / self.apart_s)
        return max(at_s, self._stall_at_s + self.stall_s if at_s >= self._stall_at_s else at_s), None


@dataclass
class Failing(SimulatedServer):
    """Fails a share of its calls."""

    inner: SimulatedServer
    share: float
    dice: random.Random = field(default_factory=lambda: random.Random(2))  # noqa: S311 - to be repeated

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Answer as the inner one, and wrongly at times."""
        end_s, error = self.inner.answer(at_s, client)
        return end_s, "status" if self.dice.random() < self.share else error


@dataclass
class Warming(SimulatedServer):
    """Takes `slower` times as long until it has answered `calls` calls."""

    inner: Pool
    calls: int
    slower: float
    _answered: int = 0

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """Answer slowly at first."""
        full_s, cold = self.inner.service_s, self._answered < self.calls
        self.inner.service_s = full_s * (self.slower if cold else 1)
        found = self.inner.answer(at_s, client)
        self.inner.service_s = full_s
        self._answered += 1
        return found


@dataclass
class Congested(SimulatedServer):
    """Does more work a call the longer its queue is: beyond its capacity it answers less, as with retries or locks.

    Attributes:
        harm: by what share a call takes longer for each call that waits.
    """

    service_s: float
    harm: float
    _ends: list[float] = field(default_factory=list)

    @property
    def capacity_per_s(self) -> float:
        """Calls a second at most."""
        return 1 / self.service_s

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:  # noqa: ARG002 - all are served alike
        """Serve in the order of arrivals, and slower with more of them."""
        while self._ends and self._ends[0] <= at_s:
            heapq.heappop(self._ends)
        last_s = max(self._ends, default=at_s)
        end_s = last_s + self.service_s * (1 + self.harm * len(self._ends))
        heapq.heappush(self._ends, end_s)
        return end_s, None
