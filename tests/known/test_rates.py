"""No load says a higher rate than the server has, nor a lower one than it makes where nothing waits."""

import json
import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.stats.load.rate import together, window_of
from callbench.store.columns import SUMS, window_calls
from known.driving import closed, constant, opened, poisson
from known.servers import Congested, Pool, TokenBucket

KINDS: dict[str, Callable[[random.Random], Pool | TokenBucket]] = {
    "pool": lambda dice: Pool(dice.randint(2, 16), dice.uniform(0.002, 0.03)),
    "lock": lambda dice: Pool(1, dice.uniform(0.001, 0.01)),
    "m/m/1": lambda dice: Pool(1, dice.uniform(0.001, 0.01), exponential=True, dice=dice),
    "m/m/c": lambda dice: Pool(dice.randint(2, 8), dice.uniform(0.004, 0.02), exponential=True, dice=dice),
    "bimodal": lambda dice: Pool(4, dice.uniform(0.002, 0.01), slow_share=0.05, dice=dice),
    "token bucket": lambda dice: TokenBucket(dice.uniform(100, 1_000), 1),
    "far away": lambda dice: Pool(2, dice.uniform(0.002, 0.01), away_s=0.05),
}
# Random times make more or fewer answers in a window: as many standard deviations of their number.
_DEVIATIONS = 4.5


def most_calls(server: Pool | TokenBucket, seconds: float) -> float:
    """Return how many calls a server can have answered within so many seconds, with luck."""
    calls = server.capacity_per_s * seconds
    if isinstance(server, TokenBucket):
        return calls + server.burst
    varied = 1.0 if server.exponential else 0.0
    if server.slow_share:
        mean = 1 + server.slow_share * (server.slow_factor - 1)
        varied = (1 + server.slow_share * (server.slow_factor**2 - 1)) / mean**2 - 1
    return calls + _DEVIATIONS * math.sqrt(calls * varied) + 1e-6


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(0, 10_000), st.floats(1.1, 12.0), st.floats(0.5, 4.0))
def test_no_overload_reports_more_than_the_server_answers(kind: str, seed: int, times: float, seconds: float) -> None:
    """A server of 200/s was reported with 242, 329 and 512 calls/s, asked for 300, 600 and 2,000."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    for arrivals in (constant, partial(poisson, dice=dice)):
        server = KINDS[kind](dice)
        asked = server.capacity_per_s * times
        window = window_of(opened(server, arrivals(asked, seconds), dice.choice([100, 1_000]), seconds))
        assert window.calls <= most_calls(server, seconds), (window.per_s, server.capacity_per_s)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.integers(0, 10_000), st.integers(1, 400), st.floats(0.5, 4.0))
def test_no_number_of_clients_reports_more_than_the_server_answers(
    kind: str, seed: int, clients: int, seconds: float
) -> None:
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    server = KINDS[kind](dice)
    window = window_of(closed(server, clients, seconds, think_s=dice.choice([0.0, 0.0, 0.2])))
    # Of one client, the window ends with its last call.
    assert window.calls <= most_calls(server, window.ns / 1e9), (window.per_s, server.capacity_per_s)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 60), st.floats(0.02, 1.0), st.floats(2.0, 6.0))
def test_clients_that_never_wait_have_the_rate_of_their_own_time(
    clients: int, service_s: float, seconds: float
) -> None:
    """A call of 510 ms gives 5 answers in 3 s, and 5.9 were made."""
    window = window_of(closed(Pool(clients, service_s), clients, seconds))
    assert window.per_s == pytest.approx(clients / service_s, rel=service_s / seconds * 0.2 + 1e-3)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_an_open_loop_below_the_capacity_has_the_rate_that_was_asked(seed: int, share: float) -> None:
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    server = Pool(4, 0.01)
    asked = server.capacity_per_s * share
    window = window_of(opened(server, constant(asked, 3.0), 100, 3.0))
    # A call that begins at the end is not there yet.
    assert asked * (1 - 0.015) <= window.per_s <= asked * 1.001
    drawn = window_of(opened(server, poisson(asked, 3.0, dice), 100, 3.0, begin_s=10.0))
    assert abs(drawn.calls - asked * 3) <= _DEVIATIONS * math.sqrt(asked * 3)


def test_a_server_that_collapses_is_reported_as_it_is() -> None:
    server = Congested(0.005, 0.02)
    drive = opened(server, constant(2_000, 3.0), 1_000, 3.0)
    assert window_of(drive).per_s < server.capacity_per_s * 0.9


@pytest.mark.parametrize("clients", [1, 4, 64])
@pytest.mark.parametrize("seconds", [0.02, 1.0])
@pytest.mark.parametrize("timed", [True, False])
def test_tables_have_the_same_calls(clients: int, timed: bool, seconds: float) -> None:
    drive: Any = closed(Pool(4, 0.0301), clients, seconds)
    if not timed:
        drive["latency"] = None
    sums = {key: int(value) for key, value in (drive["latency"] or {}).items() if key != "buckets"}
    names = ("calls", "elapsed_ns", "window_ns", "answered", "in_flight_part")
    members = f"'in_call_ns': {drive['in_call_ns']}::BIGINT, 'think_ns': 0, 'gap_ns': NULL::BIGINT, 'lateness': NULL, "
    members += ", ".join(f"'{name}': {drive[name]!r}::DOUBLE" for name in names)
    times = f"STRUCT({SUMS})"
    members += f", 'latency': CAST($1 AS JSON)::{times}, 'service': NULL::{times}"
    query = f"SELECT {window_calls('done')} FROM (SELECT {{{members}}} AS done)"  # noqa: S608 - our own names
    [row] = duckdb.execute(query, [json.dumps(sums or None)]).fetchall()
    assert row[0] == pytest.approx(window_of(drive).calls)


@pytest.mark.parametrize(("slow_share", "slow_factor"), [(0.001, 300.0), (0.005, 60.0), (0.02, 20.0), (0.0, 1.0)])
def test_rare_slow_calls_count_in_short_slices_as_they_do_in_a_long_drive(
    slow_share: float, slow_factor: float
) -> None:
    """One call of 1,000 takes 300 ms: slices of 20 ms said "as fast", and each second has 0.77 as many calls."""
    dice = random.Random(7)  # noqa: S311 - to be repeated
    servers = (Pool(1, 0.001, slow_share=slow_share, slow_factor=slow_factor, dice=dice) for _ in range(30_000))
    windows = together(closed(server, 1, 0.02) for server in servers)
    truth = 1000 / (1 + slow_share * (slow_factor - 1))
    assert windows.per_s == pytest.approx(truth, rel=0.03)
