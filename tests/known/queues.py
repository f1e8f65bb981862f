"""The highest rate at which a queue in its steady state meets an objective: what a search for a capacity is held to."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lindley import latencies

_CALLS = 1_000_000
_BISECTIONS = 24


def exponential_pool(workers: int, service_s: float, share: float, limit_s: float) -> float:
    """Return it for M/M/c, by Erlang's formula for the calls that wait."""

    def slow(rate: float) -> float:
        """The share of calls that take longer than the limit: those that wait for a worker, and those that do not."""
        per_s, load = 1 / service_s, rate * service_s
        blocked = 1.0
        for number in range(1, workers + 1):
            blocked = load * blocked / (number + load * blocked)
        waiting = workers * blocked / (workers - load * (1 - blocked))
        spare = workers * per_s - rate
        served, waited = math.exp(-per_s * limit_s), math.exp(-spare * limit_s)
        # The sum of two exponential times: of the wait, whose rate is `spare`, and of the service.
        both = served * (1 + per_s * limit_s) if spare == per_s else (per_s * waited - spare * served) / (per_s - spare)
        return (1 - waiting) * served + waiting * both

    return _highest(workers / service_s, lambda rate: slow(rate) <= 1 - share)


def fixed(per_s: float, share: float, limit_s: float) -> float:
    """Return it for M/D/1, simulated with a million calls."""
    return _one_worker(np.full(_CALLS, round(1e9 / per_s), dtype=np.int64), share, limit_s)


def bimodal(service_s: float, slow_share: float, slow_factor: float, share: float, limit_s: float) -> float:
    """Return it for one worker that takes `slow_factor` times as long for a share of its calls, simulated likewise."""
    is_slow = np.random.default_rng(2).random(_CALLS) < slow_share
    times = np.where(is_slow, service_s * slow_factor, service_s)
    return _one_worker((times * 1e9).astype(np.int64), share, limit_s)


def _one_worker(services_ns: NDArray[np.int64], share: float, limit_s: float) -> float:
    gaps = np.random.default_rng(1).exponential(1.0, _CALLS)

    def meets(rate: float) -> bool:
        times = latencies((np.cumsum(gaps) / rate * 1e9).astype(np.int64), services_ns)
        return bool(np.quantile(times[_CALLS // 10 :], share) <= limit_s * 1e9)

    return _highest(1e9 / float(services_ns.mean()), meets)


def token_bucket(per_s: float, burst: int, service_s: float, share: float, limit_s: float) -> float:
    """Return it for a bucket whose calls wait: the waits of M/D/1, less those that the burst spares."""
    return fixed(per_s, share, limit_s - service_s + burst / per_s)


def relaxation_s(most_per_s: float, rate: float) -> float:
    """Return how long the queue of one worker takes to forget how it began, in seconds: that of M/M/1."""
    return 1 / (most_per_s * (1 - math.sqrt(rate / most_per_s)) ** 2)


def _highest(most: float, meets: Callable[[float], bool]) -> float:
    low, high = 0.0, most
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if meets(middle) else (low, middle)
    return low
