"""A backlog that grows is found, and one that does not is not, on queues whose rates are known."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from callbench.stats.load.backlog import growing

SECONDS, TICK_S = 8.0, 0.1


def _ended(seed: int, asked: float, served: float, places: int = 1, fixed_s: float = 0.0) -> Iterator[tuple[int, int]]:
    """The calls that ended by each tick: Poisson arrivals, `places` servers that together serve so many a second."""
    random = np.random.default_rng(seed)
    count = round(asked * SECONDS)
    arrivals = np.sort(random.uniform(0, SECONDS, count))
    free = [0.0] * places
    ends = []
    for arrival in arrivals:
        place = min(range(places), key=free.__getitem__)
        took = fixed_s or random.exponential(places / served)
        free[place] = max(arrival, free[place]) + took
        ends.append(free[place])
    ends.sort()
    for number in itertools.count(1):
        if number * TICK_S > SECONDS + 1e-9:
            return
        at_s = number * TICK_S
        yield round(at_s * 1e9), int(np.searchsorted(ends, at_s))


def _found(seed: int, asked: float, served: float, places: int = 1, fixed_s: float = 0.0) -> bool:
    done = list(_ended(seed, asked, served, places, fixed_s))
    return growing(asked, round(SECONDS * 1e9), done) is not None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("asked", "served"), [(145.0, 100.0), (300.0, 200.0), (2000.0, 200.0), (1200.0, 1000.0)])
def test_more_than_a_server_can_answer_is_found(seed: int, asked: float, served: float) -> None:
    assert _found(seed, asked, served)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_what_a_server_holds_is_not_called_a_growing_queue(load: float) -> None:
    """Of 200 loads, at most one by chance."""
    assert sum(_found(seed, 200.0 * load, 200.0) for seed in range(200)) <= 1


@pytest.mark.parametrize("asked", [50.0, 145.0])
def test_long_calls_that_do_not_wait_are_no_queue(asked: float) -> None:
    """Each call takes 2 s of 8, and finds a free place: those under way grow for 2 s, and then they do not."""
    assert not any(_found(seed, asked, 1.0, places=1000, fixed_s=2.0) for seed in range(20))


def test_the_backlog_is_what_arithmetic_says() -> None:
    done = [(round(tick * 1e8), round(tick * 10)) for tick in range(1, 81)]
    found = growing(145.0, 8_000_000_000, done)
    assert found is not None
    assert found.end == pytest.approx(45 * 8, abs=15)
    assert found.middle == pytest.approx(45 * 4, abs=15)


def test_few_readings_say_nothing() -> None:
    assert growing(145.0, 1_000_000_000, [(round(tick * 1e8), tick) for tick in range(1, 11)]) is None


def test_an_even_server_that_is_a_tenth_too_slow_is_found() -> None:
    """Asked 100/s, it answers 90: 80 of 800 calls wait, which chance explains only where something varies."""
    done = [(round(tick * 1e8), round(tick * 9)) for tick in range(1, 81)]
    found = growing(100.0, 8_000_000_000, done)
    assert found is not None
    assert found.end == pytest.approx(80, abs=1)
