"""Overloads of simulated servers whose truth is arithmetic, judged as the command does."""

import random
from collections.abc import Callable

import pytest

from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.collapse import kept_under_overload
from callbench.stats.load.rate import window_of
from known.driving import constant, opened
from known.overloading import TIMES, overload_outcome
from known.servers import Congested, Failing, Pool, SimulatedServer, TokenBucket

# The server, its capacity, and what follows from ten times that.
SERVERS: dict[str, tuple[Callable[[random.Random], SimulatedServer], float, Outcome]] = {
    "pool": (lambda _: Pool(4, 0.02), 200, Outcome.PASSED),
    "lock": (lambda _: Pool(1, 0.005), 200, Outcome.PASSED),
    "m/m/1": (lambda dice: Pool(1, 0.005, exponential=True, dice=dice), 200, Outcome.PASSED),
    "429": (lambda _: TokenBucket(200, 20, refuses=True), 200, Outcome.PASSED),
    "congested": (lambda _: Congested(0.005, 0.05), 200, Outcome.FAILED),
    "nearly all fail": (lambda dice: Failing(Pool(1, 0.005), 0.9, dice), 200, Outcome.FAILED),
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", SERVERS)
def test_a_collapse_fails_and_a_queue_does_not(name: str, seed: int) -> None:
    make, capacity, outcome = SERVERS[name]
    done = opened(make(random.Random(seed)), constant(10 * capacity, 10.0), 200, 10.0)  # noqa: S311 - to be repeated
    times = done["service"]
    assert times is not None
    buckets = Buckets.of(dict(times["buckets"]))
    [median_ns] = buckets.percentiles([0.5], times["min_ns"], times["max_ns"])
    kept = kept_under_overload(window_of(done).per_s / capacity, late=median_ns > 200e6)
    assert kept.outcome is outcome


def test_42_percent_with_late_answers_is_a_collapse() -> None:
    """It passed, with exit code 0, where p50 was 2.2 s against an objective of p99 under 200 ms."""
    kept = kept_under_overload(0.42, late=True)
    assert kept.outcome is Outcome.FAILED
    assert (
        kept.text
        == "collapsed: it answered 42 % of its capacity, and the median answer came later than the objective allows"
    )
    assert kept_under_overload(0.42, late=False).outcome is Outcome.FAILED
    assert kept_under_overload(0.7, late=True).outcome is Outcome.FAILED
    assert kept_under_overload(0.7, late=False).outcome is Outcome.PASSED
    assert kept_under_overload(0.5, late=False).outcome is Outcome.UNDECIDED
    assert kept_under_overload(0.98, late=True).outcome is Outcome.PASSED


@pytest.mark.parametrize("told", [0.5 / TIMES, 4])
def test_a_capacity_that_the_test_itself_contradicts_decides_nothing(told: float) -> None:
    """A server of 200/s passed at ten times 10/s, which is no overload, and collapsed to a quarter of 800/s."""
    server = Pool(4, 0.02)
    assert overload_outcome(server, told * server.capacity_per_s) is Outcome.UNDECIDED


def test_what_fails_calls_at_half_of_its_capacity_does_not_hold_it() -> None:
    """One call in twenty fails, where p99 allows one in a hundred."""
    failing = Failing(Pool(4, 0.02), 0.05, random.Random(1))  # noqa: S311 - to be repeated
    assert overload_outcome(failing, 200) is Outcome.UNDECIDED
