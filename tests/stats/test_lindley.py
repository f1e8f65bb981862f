"""The open loop against queueing theory and against servers whose behaviour is known, on virtual time."""

import heapq
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.arrivals import constant, due_ns, poisson
from histograms import sparse
from lindley import latencies

MS = 1_000_000


def replayed(due: Sequence[int], service: Callable[[int], int], clients: int = 1) -> list[tuple[int, int, int]]:
    """Replay arrivals as the kits do: one queue, any idle client takes the next. Latency, service, lateness in ns."""
    idle = [0] * clients
    told = []
    for intended in due:
        since = heapq.heappop(idle)
        started = max(intended, since)
        ended = started + service(started)
        told.append((ended - intended, ended - started, started - max(intended, since)))
        heapq.heappush(idle, ended)
    return told


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1, max_size=200))
def test_a_loop_with_one_client_is_a_queue_call_by_call(pairs: list[tuple[int, int]]) -> None:
    due = np.cumsum(np.array([gap for gap, _ in pairs], dtype=np.int64))
    services = np.array([service for _, service in pairs], dtype=np.int64)
    each = iter(services.tolist())
    told = replayed(due.tolist(), lambda _: next(each))
    assert latencies(due, services).tolist() == [latency for latency, _, _ in told]


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_a_queue_with_one_random_server_is_as_slow_as_theory_says(load: float) -> None:
    """M/M/1: the mean time in it is 1 / (mu - lambda) (Kleinrock, "Queueing Systems" I, 1975, section 3.2)."""
    count = 400_000
    due = due_ns(poisson(load * 1e6, count, 5), count)
    services = np.random.default_rng(6).exponential(1000, count).astype(np.int64)
    mean = float(latencies(due, services).mean())
    assert mean == pytest.approx(1000 / (1 - load), rel=0.05)


def stalling(now: int) -> int:
    """Takes 1 ms, and stands still for the last 200 ms of each second."""
    left = 1000 * MS - now % (1000 * MS)
    return MS + (left if left <= 200 * MS else 0)


def p99_ms(values: Sequence[int]) -> float:
    return Buckets.of(sparse(values)).percentiles([0.99])[0] / MS


def test_a_stall_shows_in_corrected_latency_and_not_in_raw() -> None:
    """One connection, 500 calls a second, ten seconds: 100 of each 500 are due while the server stands still."""
    due = due_ns(constant(500, 5000), 5000)
    told = replayed(due.tolist(), stalling)
    corrected, raw, lateness = ([one[place] for one in told] for place in range(3))
    assert p99_ms(raw) == pytest.approx(1, rel=0.01)
    assert 180 < p99_ms(corrected) < 202
    assert max(lateness) == 0  # none of it is the generator's fault
    # The closed loop, which waits politely, sees 10 of 8,000 calls stalled: its p99 knows of nothing.
    now, closed = 0, []
    while now < 10_000 * MS:
        closed.append(stalling(now))
        now += closed[-1]
    assert p99_ms(closed) == pytest.approx(1, rel=0.01)
