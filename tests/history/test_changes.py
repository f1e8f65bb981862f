"""Changes in series whose truth is known: where none is, where one is, and what a change is called."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from callbench.stats.decide.changes import FEWEST, changes

Draw = Callable[[np.random.Generator, int], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


@pytest.mark.parametrize("count", [10, 30, 60])
@pytest.mark.parametrize(
    "draw",
    [
        lambda some, count: some.normal(0, 0.02, count),
        lambda some, count: some.standard_t(3, count) * 0.02,
        lambda some, count: some.exponential(0.02, count),
        lambda some, count: np.round(some.normal(0, 1, count)),
    ],
    ids=["normal", "heavy tails", "skewed", "ties"],
)
def test_at_most_five_in_a_hundred_series_without_a_change_show_one(draw: Draw, count: int) -> None:
    some = np.random.default_rng(11)
    found = sum(bool(changes(draw(some, count).tolist(), seed)) for seed in range(200))
    assert found <= 10


def test_changes_of_five_percent_are_found_in_95_of_100_series_of_30() -> None:
    """The noise is one standard deviation of 1.5 %, and five values or more are on each side."""
    some = np.random.default_rng(7)
    found = 0
    for seed in range(200):
        at = int(some.integers(5, 26))
        values = some.normal(0, 0.015, 30)
        values[at:] += math.log(1.05) * (1 if seed % 2 else -1)
        found += any(abs(one - at) <= 2 for one in changes(values.tolist(), seed))
    assert found >= 190


def test_a_change_that_noise_cannot_hide_is_dated_exactly() -> None:
    some = np.random.default_rng(3)
    values = some.normal(0, 0.001, 30)
    values[12:] += 0.05
    values[22:] -= 0.1
    assert changes(values.tolist()) == [12, 22]


@pytest.mark.parametrize("values", [[], [1.0], [0.0] * 3 + [9.0] * 3, [5.0] * 40])
def test_few_values_and_equal_ones_have_no_change(values: list[float]) -> None:
    assert changes(values) == []


def test_ten_values_are_enough() -> None:
    assert changes([0.0, 0.1, 0.2, 0.1, 0.0, 9.0, 9.1, 9.2, 9.1, 9.0]) == [5]
    assert FEWEST == 10


def test_one_outlier_is_no_change() -> None:
    some = np.random.default_rng(5)
    values = some.normal(0, 0.01, 30)
    values[15] = 2.0
    assert changes(values.tolist()) == []


def test_the_same_values_give_the_same_changes() -> None:
    values = np.random.default_rng(9).normal(0, 0.02, 40)
    values[20:] += 0.02
    assert changes(values.tolist(), 1) == changes(values.tolist(), 1)
