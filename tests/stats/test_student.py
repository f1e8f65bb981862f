"""Student's distribution against scipy.stats, which is too slow to load for a report."""

import numpy as np
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st

from callbench.stats.estimate import student
from callbench.stats.estimate.share import binomial
from callbench.stats.steady.trend import SEGMENTS, SURE, slope


@given(probability=st.floats(0.001, 0.999), freedom=st.integers(1, 500))
def test_the_quantile_is_scipys(probability: float, freedom: int) -> None:
    assert student.quantile(probability, freedom) == pytest.approx(float(scipy.stats.t.ppf(probability, freedom)))


@given(value=st.floats(-50, 50), freedom=st.integers(1, 500))
def test_the_share_above_is_scipys(value: float, freedom: int) -> None:
    expected = float(scipy.stats.t.sf(value, freedom))
    assert student.above(value, freedom) == pytest.approx(expected)
    assert student.each_above(np.array([value]), np.array([freedom]))[0] == pytest.approx(expected)


@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_of_a_share_is_clopper_and_pearsons(counted: tuple[int, int]) -> None:
    exact = scipy.stats.binomtest(*counted).proportion_ci(0.95, method="exact")
    assert binomial(*counted) == pytest.approx((exact.low, exact.high), abs=1e-9)


@given(st.lists(st.integers(0, 10**6), min_size=2 * 4 * SEGMENTS, max_size=2 * 4 * SEGMENTS))
def test_the_slope_is_that_of_a_line_through_the_least_of_each_segment(values: list[int]) -> None:
    found = slope([float(place) for place in range(len(values))], values)
    kept = np.array(values[len(values) // 2 :])
    parts = np.array_split(np.arange(len(kept)), SEGMENTS)
    x = np.array([part[np.argmin(kept[part])] for part in parts], dtype=float)
    y = np.array([kept[part].min() for part in parts])
    assume(np.ptp(y) > 0)
    line = scipy.stats.linregress(x, y)
    reach = float(scipy.stats.t.ppf(0.5 + SURE / 2, SEGMENTS - 2)) * line.stderr
    assert found is not None
    assert found.high is not None
    # SciPy takes the error from a correlation, which loses digits where the line is nearly exact.
    assert (found.middle, found.high - found.middle) == pytest.approx((line.slope, reach), rel=1e-6, abs=0.01)
