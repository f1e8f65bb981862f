"""Two stacks' knees compared: what lies within a search's precision is equivalent, and an open end says nothing."""

import hypothesis.strategies as some
import pytest
from hypothesis import given

from callbench.stats.decide.decision import Decision, Outcome
from callbench.stats.load.knee import Knee, KneeOutcome
from callbench.stats.load.knee_comparison import compared

PRECISION = 0.05


def knees(*levels: float, end: KneeOutcome = KneeOutcome.WITHIN) -> dict[int, Knee]:
    return {block: Knee(level, end) for block, level in enumerate(levels)}


BEST = knees(1000, 1040, 980, 1010)


@pytest.mark.parametrize(
    ("other", "decision"),
    [
        (knees(500, 512, 495, 505), Decision.WORSE),
        (knees(995, 1030, 985, 1000), Decision.EQUIVALENT),
        (knees(700, 1300, 900, 1000), Decision.UNDECIDED),
        (knees(400, 402, 401, 400, end=KneeOutcome.BELOW), Decision.WORSE),
    ],
)
def test_a_knee_is_worse_equivalent_or_undecided(other: dict[int, Knee], decision: Decision) -> None:
    found = compared(BEST, [other], PRECISION)[0]
    assert found is not None
    assert found.decision is decision
    assert (found.more_forks is not None) <= (decision is Decision.UNDECIDED)


@pytest.mark.parametrize(
    ("highest", "other"),
    [
        (BEST, knees(900)),
        (BEST, {7: Knee(900, KneeOutcome.WITHIN), 8: Knee(900, KneeOutcome.WITHIN)}),
        (BEST, knees(900, 910, 890, end=KneeOutcome.AT_LEAST)),
        (knees(1, 1, 1, end=KneeOutcome.BELOW), knees(1, 1, 1, end=KneeOutcome.BELOW)),
    ],
)
def test_a_ratio_that_is_not_known_is_not_compared(highest: dict[int, Knee], other: dict[int, Knee]) -> None:
    assert compared(highest, [other], PRECISION) == [None]


def test_the_highest_may_be_known_as_a_bound_from_below() -> None:
    found = compared(knees(1000, 1000, 1000, end=KneeOutcome.AT_LEAST), [knees(500, 510, 490)], PRECISION)[0]
    assert found is not None
    assert (found.decision, found.outcome) == (Decision.WORSE, Outcome.FAILED)


@given(some.lists(some.floats(10, 1e4), min_size=2, max_size=6), some.integers(1, 5))
def test_a_knee_is_equivalent_to_itself_with_any_others(levels: list[float], others: int) -> None:
    one = knees(*levels)
    found = compared(one, [one, *[knees(*(level / 2 for level in levels))] * others], PRECISION)
    assert found[0] is not None
    assert found[0].decision is Decision.EQUIVALENT
    assert all(each is not None and each.decision is Decision.WORSE for each in found[1:])
