"""Steady state on curves whose truth is known: flat, rising, with a step, with noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.steady.steady import LevelShift, rates_of, settled, shift


def noisy(levels: list[float], spread: float, seed: int) -> list[float]:
    return list(np.array(levels) * np.random.default_rng(seed).lognormal(0, spread, len(levels)))


@pytest.mark.parametrize("at", [2, 5, 8])
@pytest.mark.parametrize("ratio", [0.7, 1.5])
def test_a_step_is_found_where_it_is(at: int, ratio: float) -> None:
    found = shift(noisy([1000.0] * at + [1000.0 * ratio] * (10 - at), 0.01, 7))
    assert found is not None
    assert found.real
    assert found.at == at
    assert found.ratio == pytest.approx(ratio, rel=0.03)


def test_a_compiler_at_work_shows_as_a_shift() -> None:
    curve = [1000 * (1 - 0.6 * 0.6**step) for step in range(12)]
    found = shift(noisy(curve, 0.02, 1))
    assert found is not None
    assert found.real
    assert found.ratio > 1


def test_a_step_too_small_to_matter_is_let_pass_however_clear() -> None:
    found = shift([1000.0, 1001.0] * 5 + [1020.0, 1021.0] * 5)
    assert found is not None
    assert found.probability < 0.01
    assert not found.real


def test_noise_alone_cries_wolf_as_seldom_as_it_says() -> None:
    # Flat curves with a spread of 10 %: chance passes for a shift in at most 1 of 100, by Bonferroni's bound.
    wolf = sum(bool((one := shift(noisy([1000.0] * 10, 0.1, seed))) and one.real) for seed in range(1000))
    assert wolf <= 15


def test_too_few_rates_say_nothing() -> None:
    assert shift([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert shift([1.0] * 9 + [0.0]) is None
    assert shift([5.0] * 10) == LevelShift(2, 1.0, 1.0)


@given(st.lists(st.floats(1, 1e9), min_size=6, max_size=40), st.floats(0.001, 1000))
def test_the_unit_does_not_matter(rates: list[float], unit: float) -> None:
    one, other = shift(rates), shift([rate * unit for rate in rates])
    assert one is not None
    assert other is not None
    assert one.probability == pytest.approx(other.probability, rel=1e-3, abs=1e-6)


def test_counts_become_rates_and_a_short_last_piece_is_left_out() -> None:
    points = [(100_000_000, 50), (200_000_000, 150), (210_000_000, 151)]
    assert rates_of(points) == [500.0, 1000.0]
    assert rates_of([]) == []


@pytest.mark.parametrize(
    ("rates", "through"),
    [
        ([10, 10, 10], False),
        ([10, 10, 10, 10], True),
        ([10, 20, 40, 80], False),
        ([10, 80, 80, 80, 81, 82], True),
        ([80, 80, 20, 20], True),
    ],
)
def test_a_warm_up_is_through_when_it_gets_no_faster(rates: list[float], through: bool) -> None:
    assert settled(rates) is through
