"""What more forks would settle: never less in more time, and what is promised comes true in simulated runs."""

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given

from callbench.stats.decide.forecast import forecast, more_forks
from callbench.stats.estimate.logratio import LogRatio, paired
from callbench.stats.estimate.power import POWER, forks_needed

LEVEL = 0.05
needs = some.lists(some.one_of(some.none(), some.integers(1, 100)), max_size=30)
differences = some.builds(
    LogRatio,
    some.floats(-2, 2),
    some.floats(0.001, 1),
    some.just(2.0),
    some.just(3),
)


@given(needs, some.floats(0.5, 1000), some.floats(0, 1e5), some.floats(0, 1e5))
def test_more_time_settles_what_less_time_settles(
    needed: list[int | None], fork_s: float, seconds: float, extra: float
) -> None:
    less, more = forecast(needed, fork_s, seconds), forecast(needed, fork_s, seconds + extra)
    assert more.forks >= less.forks
    assert all(later or not earlier for earlier, later in zip(less.settled, more.settled, strict=True))


@given(needs, some.floats(0.5, 1000), some.floats(0, 1e5))
def test_only_what_its_forks_have_room_for_is_settled(needed: list[int | None], fork_s: float, seconds: float) -> None:
    found = forecast(needed, fork_s, seconds)
    assert found.forks * fork_s <= seconds * (1 + 1e-9)
    assert [one is not None and one <= found.forks for one in needed] == list(found.settled)


@given(differences, some.floats(1, 10))
def test_two_that_lie_farther_apart_need_no_more_forks(difference: LogRatio, factor: float) -> None:
    farther = LogRatio(difference.log * factor, difference.error, difference.freedom, difference.count)
    near, far = more_forks(difference, LEVEL), more_forks(farther, LEVEL)
    assert near is None or (far is not None and far <= near)


@given(differences, some.floats(0.01, 1))
def test_a_stricter_level_needs_no_fewer_forks(difference: LogRatio, share: float) -> None:
    loose, strict = more_forks(difference, LEVEL), more_forks(difference, LEVEL * share)
    assert strict is None or (loose is not None and loose <= strict)


@given(differences)
def test_they_come_on_top_of_those_that_there_are(difference: LogRatio) -> None:
    more, needed = more_forks(difference, LEVEL), forks_needed(difference, abs(difference.log), LEVEL)
    assert (more is None) == (needed is None)
    assert more is None or needed is None or more == max(1, needed - difference.count)


def test_two_that_are_equal_are_never_distinguished() -> None:
    assert more_forks(LogRatio(0.0, 0.1, 2, 3), LEVEL) is None


@pytest.mark.parametrize(("apart", "spread"), [(0.1, 0.1), (0.05, 0.1), (0.3, 0.5)])
def test_so_many_forks_tell_them_apart_as_often_as_is_said(apart: float, spread: float) -> None:
    more = more_forks(LogRatio(apart, spread / np.sqrt(3), 2, 3), LEVEL)
    assert more is not None
    random = np.random.default_rng(1)
    runs = [paired(np.exp(random.normal(apart, spread, 3 + more)).tolist()) for _ in range(400)]
    told = sum(one.p_value() < LEVEL and one.log > 0 for one in runs) / len(runs)
    assert told == pytest.approx(POWER, abs=0.1)
