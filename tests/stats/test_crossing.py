"""Where two curves change places."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callbench.stats.decide.crossing import crossings
from callbench.stats.decide.decision import Decision, by_ratio
from callbench.stats.estimate.interval import Interval


def ratio(middle: float, reach: float = 1.01) -> Interval:
    return Interval(middle, middle / reach, middle * reach, 5)


def test_a_crossing_lies_where_the_logarithms_meet() -> None:
    found = crossings([0, 20, 50], [ratio(4.0), ratio(2.0), ratio(0.5)])
    assert [(one.low, one.high) for one in found] == [(20, 50)]
    assert found[0].at == pytest.approx(35)


def test_noise_makes_no_crossing() -> None:
    assert crossings([0, 20, 50], [ratio(1.5), ratio(0.9, 1.3), ratio(1.2)]) == []
    assert crossings([0, 20], [ratio(1.5), Interval(0.5, None, None, 1)]) == []


def test_a_point_that_says_nothing_is_passed_over() -> None:
    found = crossings([0, 20, 50], [ratio(1.5), ratio(1.0, 1.3), ratio(0.7)])
    assert [(one.low, one.high) for one in found] == [(0, 50)]


def test_a_scale_that_does_not_rise_is_refused() -> None:
    with pytest.raises(ValueError, match="rises"):
        crossings([0, 0], [ratio(1), ratio(1)])


@given(some.lists(some.floats(0.1, 10), min_size=2, max_size=8))
def test_each_crossing_lies_between_sides_that_differ(middles: list[float]) -> None:
    ratios = [ratio(middle) for middle in middles]
    scale = [float(place) for place in range(len(ratios))]
    found = crossings(scale, ratios)
    for one in found:
        before, after = ratios[int(one.low)], ratios[int(one.high)]
        assert {by_ratio(before), by_ratio(after)} == {Decision.BETTER, Decision.WORSE}
        assert one.low <= one.at <= one.high
    sides = [by_ratio(one) for one in ratios]
    clear = [one for one in sides if one in (Decision.BETTER, Decision.WORSE)]
    assert len(found) == sum(before != after for before, after in itertools.pairwise(clear))
