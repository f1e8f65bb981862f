"""Ranks with ties: differences, ties, and how often noise alone separates two."""

import math

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given

from callbench.stats.decide.decision import holm
from callbench.stats.decide.ranking import above, standings
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.logratio import paired
from callbench.stats.estimate.prior import NONE, Prior


def drifting(rates: list[float], blocks: int, spread: float, seed: int) -> list[dict[int, float]]:
    """Rates on a machine that drifts by half from fork to fork, the same for all cells, each with its own spread."""
    random = np.random.default_rng(seed)
    drift = random.lognormal(0, 0.5, blocks)
    return [
        {block: float(rate * drift[block] * random.lognormal(0, spread)) for block in range(blocks)} for rate in rates
    ]


def test_what_differs_is_parted_though_the_machine_drifts() -> None:
    found = standings(drifting([100, 400, 200], 6, 0.02, 1))
    assert [(one.index, one.rank, one.ties) for one in found] == [(1, 1, ()), (2, 2, ()), (0, 3, ())]


def test_what_is_equal_ties_and_shares_a_rank() -> None:
    found = standings(drifting([100, 100, 10], 6, 0.02, 2))
    assert [one.rank for one in found] == [1, 1, 3]
    assert {found[0].index, found[1].index} == {0, 1}
    assert found[0].ties == (found[1].index,)
    assert found[2].ties == ()


@given(some.lists(some.floats(0.1, 10), min_size=2, max_size=8), some.integers(2, 6), some.integers(0, 999))
def test_it_is_the_pairwise_test_of_the_claims_with_holm(rates: list[float], blocks: int, seed: int) -> None:
    figures = drifting(rates, blocks, 0.2, seed)
    del figures[0][0]
    pairs = [(one, other) for one in range(len(rates)) for other in range(one)]
    ratios = [fork_ratios([figures[one]], [figures[other]]) for one, other in pairs]
    p_values = holm([paired(ratio).p_value() if len(ratio) > 1 else 1.0 for ratio in ratios])
    found = {one.index: one for one in standings(figures)}
    for (one, other), doubt in zip(pairs, p_values, strict=True):
        assert (other in found[one].ties) == (doubt >= 0.05 - 1e-12)
        assert (other in found[one].ties) == (one in found[other].ties)
        if other not in found[one].ties:
            first, second = (
                (found[one], found[other])
                if np.mean(np.log(ratios[pairs.index((one, other))])) > 0
                else (found[other], found[one])
            )
            assert first.rank >= 1
            assert second.rank > 1


def test_noise_alone_parts_a_pair_in_at_most_one_ranking_of_twenty() -> None:
    parted = sum(any(one.rank > 1 for one in standings(drifting([1.0] * 6, 5, 0.1, seed))) for seed in range(200))
    assert parted <= 17  # 10 are expected at most; 17 or more of 200 at 5 % have a probability of 2.6 %


@pytest.mark.parametrize("figures", [[], [{}], [{0: 1.0}, {0: 2.0}], [{0: 1.0}, {1: 2.0}], [{}, {0: 1.0, 1: 1.0}]])
def test_too_little_to_tell_is_a_tie(figures: list[dict[int, float]]) -> None:
    found = standings(figures)
    assert [one.rank for one in found] == [1] * len(figures)


def left_out(figures: list[dict[int, float]], prior: Prior = NONE) -> list[int]:
    """Which of them are not the greatest."""
    return list(np.flatnonzero(above(figures, prior=prior).any(axis=0)))


def test_the_greatest_is_among_those_that_may_be_first() -> None:
    """Of 82 stacks in three forks, ten are nearly equal: the greatest is left out in at most 5 % of the runs."""
    rates = [1000.0 * 0.999**place for place in range(10)] + [500.0 * 0.9**place for place in range(72)]
    misled = 0
    for seed in range(400):
        out = left_out(drifting(rates, 3, 0.05, seed), Prior(0.005, 20.0))
        misled += 0 in out
        assert set(range(20, 82)) <= set(out), "far below it, none is left in"
    assert misled <= 20


@pytest.mark.parametrize("count", [2, 3, 6])
def test_of_equal_things_the_one_that_is_meant_is_seldom_left_out(count: int) -> None:
    """Any of them is the greatest: at 5 %, more than 31 of 400 have a probability of 1 %."""
    assert sum(0 in left_out(drifting([1000.0] * count, 3, 0.05, seed)) for seed in range(400)) <= 31


def test_one_that_scatters_does_not_hide_who_is_first_among_the_others() -> None:
    """The highest mean is of a stack that nobody is told from; those far behind the second cannot be the greatest."""
    scattering = {0: 50_000.0, 1: 900_000.0, 2: 200_000.0}
    steady, slow = {0: 175_000.0, 1: 178_000.0, 2: 174_000.0}, {0: 40_000.0, 1: 40_500.0, 2: 39_800.0}
    found = standings([scattering, steady, slow, slow, slow], fields=[range(5)])
    assert {one.index for one in found if not one.behind} == {0, 1}
    assert [one.behind for one in found[2:]] == [(1,)] * 3


def test_the_first_of_a_field_is_asked_to_one_side() -> None:
    """A difference that chance makes with 0.2 %, to both sides, is shown among 41: half of it, forty times."""
    steps = (-0.02, 0.0, 0.02)
    second = {fork: 1000.0 * math.exp(step - 0.2575) for fork, step in enumerate(steps)}
    low = [{fork: 10.0 * math.exp(step) for fork, step in enumerate(steps)} for _ in range(39)]
    assert left_out([dict.fromkeys(range(3), 1000.0), second, *low]) == list(range(1, 41))


def test_what_is_plainly_below_cannot_be_first_though_one_fork_was_slow() -> None:
    """3,000,000 calls/s and 18,000: three forks and 3,321 pairs of a ranking do not part them, and it is plain."""
    spin = {0: 5_390_197.0, 2: 1_485_448.0, 4: 5_166_827.0}
    http = {0: 19_278.0, 2: 15_693.0, 4: 18_673.0}
    slow = [{fork: rate * (1 + place / 1000) for fork, rate in http.items()} for place in range(80)]
    prior = Prior(0.0013510805, 1.2348728)
    every = [slow[0], spin, *slow[1:]]
    assert left_out(every, prior) == [place for place in range(81) if place != 1]
    alone, asked = standings(every, prior=prior)[0], standings(every, prior=prior, fields=[range(81)])
    assert alone.ties, "all pairs do not part them"
    assert (asked[0].index, asked[0].ties, {one.rank for one in asked[1:]}) == (1, (), {2})


def test_the_first_of_each_field_is_asked_for() -> None:
    """Among 40 that are far ahead, all pairs do not part two that the question who of them is first parts."""
    ahead = [{fork: 1e6 * noise for fork, noise in enumerate((1.0, 1.3, 0.8))} for _ in range(40)]
    both = [{0: 100.0, 1: 104.0, 2: 97.0}, {0: 50.0, 1: 58.0, 2: 46.0}]
    fields = [range(42), range(40), [40, 41]]
    asked = {one.index: one for one in standings([*ahead, *both], fields=fields)}
    alone = {one.index: one for one in standings([*ahead, *both], fields=fields[:2])}
    assert (asked[41].behind[-1:], 40 in alone[41].ties) == ((40,), True)


def test_a_bound_is_no_first_and_is_behind_none() -> None:
    rates = drifting([100, 400, 200], 6, 0.02, 1)
    found = {one.index: one for one in standings(rates, at_least=[0], at_most=[1], fields=[range(3)])}
    assert (found[0].behind, found[2].behind) == ((), ())


def test_one_fork_alone_leaves_nothing_out() -> None:
    assert left_out([{0: 5.0}, {0: 1.0}]) == []
    assert left_out([]) == []
