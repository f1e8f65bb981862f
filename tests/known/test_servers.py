"""Simulated servers that are asked for many calls at once answer as if they were asked for one after the other."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from known.driving import constant, opened, poisson
from known.servers import Pool, SimulatedServer, TokenBucket

SERVERS: dict[str, Callable[[], SimulatedServer]] = {
    "m/d/1": lambda: Pool(1, 0.005),
    "m/m/1": lambda: Pool(1, 0.005, exponential=True),
    "m/m/4": lambda: Pool(4, 0.02, exponential=True, away_s=0.01),
    "bimodal": lambda: Pool(3, 0.01, slow_share=0.1),
    "both": lambda: Pool(1, 0.003, exponential=True, slow_share=0.05),
    "bucket": lambda: TokenBucket(200),
    "burst": lambda: TokenBucket(200, burst=7),
}


@pytest.mark.parametrize("name", SERVERS)
def test_many_calls_at_once_end_as_one_after_the_other(name: str) -> None:
    at_once, one_by_one = SERVERS[name](), SERVERS[name]()
    dice = random.Random(3)  # noqa: S311 - to be repeated
    # The second stretch begins with what the first has left.
    for begin_s, rate in ((0.0, 150.0), (10.0, 230.0), (20.0, 90.0)):
        at_s = begin_s + poisson(rate, 10.0, dice)
        ends_s = at_once.answers(at_s, 10**6)
        assert ends_s is not None
        assert np.allclose(ends_s, [one_by_one.answer(at, 0)[0] for at in at_s.tolist()], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", SERVERS)
def test_where_calls_wait_for_a_client_nothing_has_happened(name: str) -> None:
    refusing, fresh = SERVERS[name](), SERVERS[name]()
    arrivals = constant(1_000, 10.0)
    assert refusing.answers(arrivals, 20) is None
    assert opened(refusing, arrivals, 20, 10.0) == opened(fresh, arrivals, 20, 10.0)
    assert [refusing.answer(at, 0) for at in (50.0, 50.001)] == [fresh.answer(at, 0) for at in (50.0, 50.001)]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_clients_are_enough_exactly_where_no_call_waits_for_one(most: int) -> None:
    """Calls of 25 ms each 10 ms are three in progress; as one ends the next may begin."""
    assert (Pool(10, 0.025).answers(constant(100, 1.0), most) is None) == (most < 3)
    assert (Pool(10, 0.03125).answers(constant(32, 1.0), most) is None) == (most < 1)


def test_a_server_whose_calls_may_fail_is_asked_one_by_one() -> None:
    assert TokenBucket(200, refuses=True).answers(constant(100, 1.0), 100) is None
