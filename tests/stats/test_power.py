"""The number of forks for a decision: its properties, and how often it is enough if the truth is known."""

import math
from dataclasses import replace

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given

from callbench.stats.estimate.logratio import LogRatio, paired, unpaired
from callbench.stats.estimate.power import MOST_FORKS, POWER, forks_needed, reach
from callbench.stats.estimate.student import quantile

LEVEL = 0.05
counts = some.integers(2, 50)
spreads = some.floats(1e-4, 2)
distances = some.floats(1e-4, 2)


def of(spread: float, count: int) -> LogRatio:
    return LogRatio(0.0, spread / math.sqrt(count), count - 1, count)


@given(spreads, counts, distances)
def test_it_is_the_least_number_whose_interval_is_narrow_enough(spread: float, count: int, distance: float) -> None:
    def enough(forks: int) -> bool:
        error = spread / math.sqrt(forks)
        return (quantile(1 - LEVEL / 2, forks - 1) + quantile(POWER, forks - 1)) * error <= distance * (1 + 1e-9)

    found = forks_needed(of(spread, count), distance, LEVEL)
    if found is None:
        assert not enough(MOST_FORKS - 1)
    else:
        assert 2 <= found <= MOST_FORKS
        assert enough(found)
        assert found == 2 or not enough(found - 2)


@given(spreads, counts, distances, some.floats(1, 10))
def test_more_spread_or_a_nearer_bound_never_needs_fewer(
    spread: float, count: int, distance: float, times: float
) -> None:
    def least(scattered: float, away: float) -> float:
        return forks_needed(of(scattered, count), away, LEVEL) or math.inf

    assert least(spread * times, distance) >= least(spread, distance)
    assert least(spread, distance / times) >= least(spread, distance)


@given(spreads, counts, distances)
def test_what_is_not_settled_needs_more_than_there_are(spread: float, count: int, distance: float) -> None:
    had = of(spread, count)
    needed = forks_needed(had, distance, LEVEL)
    if reach(had, LEVEL) > distance:
        assert needed is None or needed > count


@given(spreads, counts, distances)
def test_the_side_of_the_bound_does_not_matter_but_lying_on_it_does(spread: float, count: int, distance: float) -> None:
    one = of(spread, count)
    assert forks_needed(one, distance, LEVEL) == forks_needed(replace(one, log=1.0), distance, LEVEL)
    assert forks_needed(one, 0.0, LEVEL) is None


def test_two_samples_have_more_degrees_of_freedom() -> None:
    random = np.random.default_rng(1)
    a, b = (np.exp(random.normal(0, 0.1, 4)).tolist() for _ in range(2))
    two = unpaired(a, b)
    one = LogRatio(two.log, two.error, 3, 4)
    assert (forks_needed(two, 0.1, LEVEL) or 0) <= (forks_needed(one, 0.1, LEVEL) or 0)


@pytest.mark.parametrize(("truth", "spread"), [(0.1, 0.15), (0.05, 0.02), (0.3, 0.2)])
def test_so_many_forks_settle_it_four_times_of_five(truth: float, spread: float) -> None:
    """The spread and the distance are known here, so the number is what the formula promises."""
    random = np.random.default_rng(7)
    forks = forks_needed(of(spread, 30), truth, LEVEL)
    assert forks is not None
    settled = 0
    for _ in range(1000):
        seen = paired(np.exp(random.normal(truth, spread, forks)).tolist())
        settled += seen.log - reach(seen, LEVEL) > 0
    assert 0.76 <= settled / 1000 <= 0.97
