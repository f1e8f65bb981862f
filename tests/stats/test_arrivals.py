"""A schedule has exactly the requested rate, and its random gaps are those of a Poisson process."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.load.arrivals import constant, due_ns, poisson

RATES = st.floats(1e-2, 1e7)
COUNTS = st.integers(1, 3000)


@given(RATES, COUNTS)
def test_constant_gaps_are_alike_and_a_circle_lasts_as_long_as_requested(rate: float, count: int) -> None:
    gaps = constant(rate, count).astype(np.int64)
    assert len(gaps) == count
    assert abs(int(gaps.sum()) - count * 1e9 / rate) <= 0.5 + 1e-15 * count * 1e9 / rate
    assert gaps.max() - gaps.min() <= 1


@given(RATES, COUNTS, st.integers(0, 2**63))
def test_a_circle_of_random_gaps_lasts_as_long_too(rate: float, count: int, seed: int) -> None:
    gaps = poisson(rate, count, seed)
    assert abs(float(gaps.sum()) - count * 1e9 / rate) <= 1 + 1e-14 * count * 1e9 / rate
    assert np.array_equal(gaps, poisson(rate, count, seed))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_gaps_are_exponential_and_do_not_know_each_other(seed: int) -> None:
    gaps = poisson(1000, 20_000, [seed, 7]).astype(float)
    assert scipy.stats.kstest(gaps, "expon", args=(0, 1e6)).pvalue > 0.001
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 0.03
    # As many arrivals in each tenth of a second as a Poisson process has: variance and mean alike.
    counts = np.bincount((due_ns(poisson(1000, 20_000, [seed, 7]), 20_000) // 10**8).astype(int))[:200]
    assert 0.7 < counts.var() / counts.mean() < 1.4


def test_arrivals_come_round_again() -> None:
    assert due_ns(np.array([10, 0, 5], dtype=np.uint64), 7).tolist() == [10, 10, 15, 25, 25, 30, 40]
