"""Whether a server became slower: the one decision of soak, overload and torture, on slices that never were."""

import hypothesis.strategies as some
import pytest
from hypothesis import given
from neighbours import machine

from callbench.analysis.stability.slowness import judge_slowness, pace
from callbench.stats.decide.decision import Outcome
from callbench.store.lines.slices import TimedSlice


def unanswered(share: float = 0.03, *, known: bool = True) -> TimedSlice:
    """A slice without a right answer, while other programs had so much of two processors."""
    return TimedSlice(
        calls=0,
        errors={},
        error_messages={},
        seconds=1.0,
        last_answer_s=None,
        at_s=0.0,
        dead=False,
        machine=machine(share, known=known),
    )


def slices(*speeds: float, share: float = 0.03, known: bool = True) -> list[TimedSlice]:
    """Slices with so long a median call each."""
    return [{**unanswered(share, known=known), "p50_us": speed} for speed in speeds]


BEFORE = slices(1000, 1010, 990, 1005, 995)


@pytest.mark.parametrize(
    ("after", "outcome", "says"),
    [
        (slices(4000, 4100, 3900, 4000), Outcome.FAILED, "the median call took 4.00 times as long after it ("),
        (
            slices(4000, 4100, 3900, 4000, share=0.6),
            Outcome.UNDECIDED,
            "60 % of the processors during that time, 3 % before, which may be the cause",
        ),
        (slices(4000, 4100, 3900, 4000, known=False), Outcome.UNDECIDED, "is unknown, which may be the cause"),
        (slices(1000, 9000, 1000, 8000), Outcome.UNDECIDED, "but its slices scatter too much"),
        (
            slices(1000, 1000, 2100, 1000, 1000, 1000, 1000),
            Outcome.UNDECIDED,
            "single slices were slow, but all together took less than 2 times as long after it",
        ),
        (slices(4000), Outcome.UNDECIDED, "too few of its slices were answered"),
        ([unanswered()] * 5, Outcome.UNDECIDED, "too few of its slices were answered"),
    ],
)
def test_only_what_is_slower_beyond_chance_and_by_itself_fails(
    after: list[TimedSlice], outcome: Outcome, says: str
) -> None:
    """One slow slice of three failed an overload before, however they scattered."""
    found = judge_slowness(BEFORE, after, 2.0, "after it")
    assert found.outcome is outcome
    assert says in found.text


@given(some.lists(some.floats(100, 1e5), min_size=2, max_size=10), some.floats(1.1, 5), some.floats(1.01, 10))
def test_a_stricter_limit_never_lets_pass_what_a_wider_one_fails(
    speeds: list[float], allowed: float, more: float
) -> None:
    strict, wide = (pace(BEFORE, slices(*speeds), limit) for limit in (allowed, allowed * more))
    assert strict is not None
    assert wide is not None
    order = [Outcome.PASSED, Outcome.UNDECIDED, Outcome.FAILED]
    assert order.index(strict.outcome) >= order.index(wide.outcome)


@given(some.lists(some.floats(100, 1e5), min_size=2, max_size=10), some.booleans(), some.floats(0, 1))
def test_slices_of_which_one_was_slow_never_pass_unsaid(speeds: list[float], known: bool, share: float) -> None:
    found = judge_slowness(BEFORE, slices(*speeds, known=known, share=share), 2.0, "meanwhile")
    assert found.outcome in {Outcome.FAILED, Outcome.UNDECIDED}
    assert found.text
    assert not (found.outcome is Outcome.FAILED and not known)
