"""What a run's ratios say together: known priors are found again, and intervals cover what they say."""

import math

import numpy as np
import pytest

from callbench.stats.estimate.logratio import paired
from callbench.stats.estimate.prior import MOST_FREEDOM, NONE, Prior, prior


def _samples(freedom: float, variance: float, pairs: int, forks: int, seed: int) -> list[list[float]]:
    """Differences of pairs whose variances are drawn from the prior."""
    dice = np.random.default_rng(seed)
    variances = variance * freedom / dice.chisquare(freedom, pairs)
    return [list(dice.normal(0.0, math.sqrt(one), forks)) for one in variances]


@pytest.mark.parametrize(("freedom", "variance"), [(4.0, 0.01), (10.0, 0.0004)])
def test_a_known_prior_is_found_again(freedom: float, variance: float) -> None:
    found = prior(_samples(freedom, variance, 4_000, 4, seed=1))
    assert found.freedom == pytest.approx(freedom, rel=0.25)
    assert found.variance == pytest.approx(variance, rel=0.1)


def test_alike_variances_are_lent_all_there_is() -> None:
    dice = np.random.default_rng(2)
    found = prior([list(dice.normal(0.0, 0.1, 5)) for _ in range(2_000)])
    assert found.freedom == pytest.approx(MOST_FREEDOM, rel=0.3)
    assert found.variance == pytest.approx(0.01, rel=0.1)


def test_few_pairs_lend_nothing() -> None:
    found = prior([[0.1, 0.2, 0.3]] * 3)
    assert found == NONE
    one = paired([1.1, 1.2])
    assert found.moderated(one) == one


@pytest.mark.parametrize("forks", [2, 3, 5])
def test_moderated_intervals_cover_what_they_say(forks: int) -> None:
    """Of 4,000 pairs that do not differ, about 5 of 100 have an interval that leaves out 1, and they are narrower."""
    samples = _samples(5.0, 0.01, 4_000, forks, seed=3)
    found = prior(samples)
    own = [paired(np.exp(one).tolist()) for one in samples]
    moderated = [found.moderated(one).interval(0.95) for one in own]
    missed = sum(not one.low < 1.0 < one.high for one in moderated if one.low and one.high) / len(samples)
    assert 0.03 < missed < 0.07
    widths = [np.median([one.half_width for one in some]) for some in (moderated, [one.interval(0.95) for one in own])]
    assert widths[0] < widths[1]


def test_a_ratio_of_four_cells_is_drawn_towards_twice_the_variance() -> None:
    known = Prior(0.01, 1_000_000.0)
    one = paired([1.0, 1.1, 0.9])
    assert known.moderated(one, 4).error == pytest.approx(math.sqrt(0.02 / 3), rel=1e-3)
    assert known.moderated(one).error == pytest.approx(math.sqrt(0.01 / 3), rel=1e-3)
