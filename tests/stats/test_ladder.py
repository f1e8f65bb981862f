"""Ladders of sizes and what lies between their rungs, against straight lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.estimate.difference import Difference, mean, paired
from callbench.stats.wire.ladder import ALIKE, between, cross, on_cross, rungs

SIZES = st.lists(st.integers(1, 2**29), min_size=1, max_size=30)


@given(SIZES, st.integers(2, 8))
def test_a_ladder_spans_what_is_requested_with_few_rungs(sizes: list[int], most: int) -> None:
    found = rungs(sizes, most)
    assert len(found) <= most
    assert found == sorted(set(found))
    assert found[-1] == max(sizes)
    assert min(sizes) <= found[0] <= ALIKE * min(sizes)
    if len(found) < most:
        assert set(found) <= set(sizes)


def test_few_sizes_are_measured_as_they_are() -> None:
    assert rungs([44_000, 500, 61_000], 3) == [500, 44_000, 61_000]
    assert rungs([600, 610, 640, 580], 3) == [640]
    assert rungs([10, 100_000, 1_000, 30, 5_000], 3) == [10, 1_000, 100_000]


@given(
    st.lists(st.tuples(st.integers(5, 10**6), st.integers(1, 10**6)), min_size=1, max_size=20),
    st.floats(0.1, 1e3),
    st.floats(0, 1e-2),
    st.floats(0, 1e-2),
)
def test_a_time_that_is_a_constant_and_so_much_an_octet_is_found_again(
    pairs: list[tuple[int, int]], constant: float, per_request: float, per_answer: float
) -> None:
    def time(request: float, answer: float) -> float:
        return constant + per_request * request + per_answer * answer

    times = {pair: time(*pair) for pair in cross(pairs, 4)}
    for pair in pairs:
        found = on_cross(times, *pair)
        # Sizes within ALIKE of a ladder's end take its time.
        assert found is not None
        assert time(*pair) / ALIKE <= found * (1 + 1e-9)
        assert found <= time(*pair) * ALIKE * (1 + 1e-9)


def test_between_rungs_the_line_is_straight_and_beyond_them_flat() -> None:
    ladder = {100: 10.0, 1_000: 19.0, 10_000: 30.0}
    assert [between(ladder, size) for size in (1, 100, 550, 10_000, 10**6)] == [10.0, 10.0, 14.5, 30.0, 30.0]


def test_without_the_foot_of_both_ladders_nothing_is_guessed() -> None:
    assert on_cross({}, 10, 10) is None
    assert on_cross({(5, 100): 3.0, (50, 10): 4.0}, 10, 10) is None


def test_a_request_that_seems_to_save_time_adds_none() -> None:
    assert on_cross({(10, 10): 5.0, (1_000, 10): 4.0}, 500, 10) == 5.0


def test_a_mean_difference_has_students_interval() -> None:
    # Student 1908, table of the sleep of ten patients: mean 1.58, s 1.23, so +/- 2.262 x 1.23 / sqrt 10.
    student = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = mean(student)
    assert found.middle == pytest.approx(1.58)
    assert found.low == pytest.approx(0.70, abs=0.005)
    assert found.high == pytest.approx(2.46, abs=0.005)
    assert (found.holds(0.0), found.holds(1.0)) == (False, True)
    assert found.less(1.58).holds(0.0)


def test_one_fork_has_no_interval_and_nothing_no_mean() -> None:
    assert mean([-3.0]) == Difference(-3.0, None, None, 1)
    assert mean([-3.0]).holds(-3.0) is None
    with pytest.raises(ValueError, match="finite"):
        mean([])
    with pytest.raises(ValueError, match="finite"):
        mean([1.0, float("nan")])


def test_differences_are_taken_in_the_forks_that_both_have() -> None:
    assert paired({0: 5.0, 1: 7.0, 2: 9.0}, {2: 4.0, 0: 6.0}) == [-1.0, 5.0]
