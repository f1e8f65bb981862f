"""Intervals and contrasts against published values, and by simulation on a fixed seed."""

import math

import numpy as np
import pytest
import scipy

from callbench.stats.decide.decision import holm
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.interval import geometric_mean, quantile
from callbench.stats.estimate.logratio import paired

# Student 1908, section VIII: additional hours of sleep by two drugs (Cushny and Peebles), as in R's data set `sleep`.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_students_own_data() -> None:
    """R's t.test(sleep, paired): t = 4.0621, p = 0.002833, interval 0.7001142 to 2.4598858."""
    over = [dict(enumerate(np.exp(SECOND)))]
    under = [dict(enumerate(np.exp(FIRST)))]
    ratios = fork_ratios(over, under)
    interval = geometric_mean(ratios)
    assert interval.low is not None
    assert interval.high is not None
    assert math.log(interval.middle) == pytest.approx(1.58)
    assert math.log(interval.low) == pytest.approx(0.7001142, abs=1e-6)
    assert math.log(interval.high) == pytest.approx(2.4598858, abs=1e-6)
    assert paired(ratios).p_value() == pytest.approx(0.002833, abs=1e-6)


@pytest.mark.parametrize(("freedom", "value"), [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (30, 2.042)])
def test_printed_table_of_t(freedom: int, value: float) -> None:
    assert quantile(freedom) == pytest.approx(value, abs=5e-4)


def test_interval_covers_as_often_as_it_says() -> None:
    random = np.random.default_rng(20261121)
    covered = 0
    for _ in range(4_000):
        interval = geometric_mean(list(random.lognormal(math.log(5_000), 0.3, size=5)))
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 5_000 <= interval.high
    assert 0.94 <= covered / 4_000 <= 0.96


def test_pairing_takes_drift_out() -> None:
    """Blocks that differ ten-fold, a true ratio of 1.05, noise of 1 %: unpaired nothing is seen, paired it is."""
    random = np.random.default_rng(7)
    speed = random.lognormal(0, 1, size=5)
    slow = dict(enumerate(speed * random.lognormal(0, 0.01, 5)))
    fast = dict(enumerate(speed * 1.05 * random.lognormal(0, 0.01, 5)))
    assert paired(fork_ratios([fast], [slow])).p_value() < 0.01
    assert scipy.stats.ttest_ind(np.log(list(fast.values())), np.log(list(slow.values()))).pvalue > 0.5


def test_only_common_forks_are_compared() -> None:
    assert fork_ratios([{0: 2.0, 1: 4.0, 2: 9.0}], [{0: 1.0, 2: 3.0}]) == pytest.approx([2.0, 3.0])
    assert fork_ratios([{0: 2.0}, {0: 3.0}], [{0: 6.0}]) == pytest.approx([1.0])


def test_one_fork_has_no_interval_and_no_test() -> None:
    interval = geometric_mean([3.0])
    assert interval.middle == pytest.approx(3.0)
    assert interval.low is None
    assert interval.half_width is None
    with pytest.raises(ValueError, match="at least two"):
        paired([1.0])
    with pytest.raises(ValueError, match="positive"):
        geometric_mean([1.0, 0.0])


def test_without_spread_the_test_is_certain() -> None:
    assert paired([1.0, 1.0]).p_value() == 1.0
    assert paired([2.0, 2.0]).p_value() == 0.0


def test_holm_as_r_has_it() -> None:
    """R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
