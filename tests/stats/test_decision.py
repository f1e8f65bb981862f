"""One decision for everything: its properties, and how often it errs where the truth is known."""

import math

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given

from callbench.stats.decide.decision import (
    Decision,
    Outcome,
    Question,
    Range,
    by_interval,
    by_ratio,
    decided,
    parted,
    ranged,
    together,
)
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import LogRatio, paired

LEVEL = 0.01
ratios = some.builds(LogRatio, some.floats(-2, 2), some.floats(1e-6, 0.5), some.floats(1, 50), some.integers(2, 50))
margins = some.floats(0, 0.5)
questions = some.builds(Question, ratios, margins, some.booleans())


@given(some.lists(questions, min_size=1, max_size=6), some.floats(0, 0.1))
def test_words_and_outcomes_never_contradict(asked: list[Question], shift: float) -> None:
    for question, one in zip(asked, decided(asked, LEVEL, shift), strict=True):
        gain = question.gain().log
        if one.outcome is Outcome.FAILED:
            assert one.decision is Decision.WORSE
            assert gain < -question.margin
        if one.decision is Decision.EQUIVALENT:
            assert one.outcome is Outcome.PASSED
            assert abs(gain) <= question.margin
        if one.decision is Decision.BETTER:
            assert gain > 0
            assert one.outcome is Outcome.PASSED
        if one.outcome is Outcome.PASSED:
            assert gain >= -question.margin
        if one.outcome is Outcome.UNDECIDED:
            allowed = math.expm1(question.margin) if question.less_is_better else -math.expm1(-question.margin)
            assert one.unseen > allowed
        assert one.detectable > 0


@given(questions, some.floats(0, 0.1))
def test_turning_both_round_turns_the_words_round(one: Question, shift: float) -> None:
    turned = Question(LogRatio(-one.difference.log, *_rest(one.difference)), one.margin, not one.less_is_better)
    first, second = decided([one], LEVEL, shift)[0], decided([turned], LEVEL, shift)[0]
    assert (first.decision, first.outcome) == (second.decision, second.outcome)


def _rest(one: LogRatio) -> tuple[float, float, int]:
    return one.error, one.freedom, one.count


@given(ratios, margins, some.floats(0.01, 0.5), some.floats(0, 0.1))
def test_a_wider_margin_never_fails_what_passed(one: LogRatio, margin: float, more: float, shift: float) -> None:
    narrow, wide = (decided([Question(one, at)], LEVEL, shift)[0].outcome for at in (margin, margin + more))
    order = [Outcome.FAILED, Outcome.UNDECIDED, Outcome.PASSED]
    assert order.index(wide) >= order.index(narrow)


@given(some.lists(questions, min_size=1, max_size=6))
def test_others_beside_it_make_nothing_more_certain(asked: list[Question]) -> None:
    alone = decided(asked[:1], LEVEL)[0]
    among = decided(asked, LEVEL)[0]
    assert among.adjusted_p >= alone.adjusted_p - 1e-12
    assert not (among.outcome is Outcome.FAILED and alone.outcome is not Outcome.FAILED)


@given(some.floats(-1, 1), some.floats(0, 1), margins, some.floats(-1, 1))
def test_an_interval_is_decided_by_where_it_lies(middle: float, reach: float, margin: float, neutral: float) -> None:
    low, high = middle - reach, middle + reach
    found = by_interval(low, high, margin, neutral)
    within = low >= neutral - margin and high <= neutral + margin
    assert (found is Decision.EQUIVALENT) == within
    if not within:
        holds = low <= neutral <= high
        assert (found is Decision.UNDECIDED) == holds
        assert found is not (Decision.WORSE if low > neutral else Decision.BETTER)


bounds = some.tuples(some.floats(-2, 2) | some.just(-math.inf), some.floats(-2, 2) | some.just(math.inf)).map(sorted)
ranges = some.builds(lambda one, ends: Range(one, *ends), ratios, bounds)


@given(some.lists(ranges, min_size=1, max_size=6))
def test_a_range_is_met_where_the_interval_lies_within_it(asked: list[Range]) -> None:
    for one, found in zip(asked, ranged(asked, LEVEL), strict=True):
        assert one.ratio is not None
        interval = one.ratio.interval(1 - LEVEL)
        assert interval.low is not None
        assert interval.high is not None
        low, high = math.log(interval.low), math.log(interval.high)
        if found.outcome is Outcome.PASSED:
            assert one.low < low + 1e-9
            assert high - 1e-9 < one.high
        if found.outcome is Outcome.FAILED:
            assert one.distance() <= 0
            assert found.adjusted_p < LEVEL
            assert high - 1e-9 < one.low or low + 1e-9 > one.high
        if found.outcome is not Outcome.UNDECIDED:
            assert found.more_forks is None
        assert found.detectable is not None
        assert found.detectable > 0
        assert found.forks == one.ratio.count


@given(ranges, some.floats(0, 1))
def test_a_wider_range_never_fails_what_passed(one: Range, more: float) -> None:
    narrow, wide = (ranged([Range(one.ratio, one.low - at, one.high + at)], LEVEL)[0].outcome for at in (0.0, more))
    order = [Outcome.FAILED, Outcome.UNDECIDED, Outcome.PASSED]
    assert order.index(wide) >= order.index(narrow)


@given(some.lists(ranges, min_size=1, max_size=6))
def test_others_beside_it_make_no_failure_clearer(asked: list[Range]) -> None:
    alone, among = ranged(asked[:1], LEVEL)[0], ranged(asked, LEVEL)[0]
    assert among.adjusted_p >= alone.adjusted_p
    assert (among.outcome is Outcome.PASSED) == (alone.outcome is Outcome.PASSED)
    if among.more_forks is not None and alone.more_forks is not None:
        assert among.more_forks >= alone.more_forks


def test_a_count_that_does_not_vary_meets_its_range_or_does_not() -> None:
    exact = paired([2.0, 2.0, 2.0])
    found = ranged([Range(exact, math.log(bound)) for bound in (1.9, 2.0, 2.1)], LEVEL)
    assert [one.outcome for one in found] == [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED]


def test_one_fork_alone_decides_nothing_and_corrects_nothing() -> None:
    clear = Range(paired([0.5, 0.51, 0.49, 0.5]), 0.0)
    nothing, found = ranged([Range(None, 0.0), clear], LEVEL)
    assert (nothing.outcome, nothing.detectable, nothing.more_forks) == (Outcome.UNDECIDED, None, None)
    assert found == ranged([clear], LEVEL)[0]


@given(some.lists(some.lists(some.floats(-1, 1), min_size=4, max_size=4), min_size=1, max_size=6))
def test_many_pairs_at_once_are_parted_as_one_by_one_without_a_margin(rows: list[list[float]]) -> None:
    signs = parted(np.asarray(rows), LEVEL)
    found = decided([Question(paired(np.exp(row).tolist()), 0.0) for row in rows], LEVEL)
    for sign, one in zip(signs, found, strict=True):
        if abs(one.adjusted_p - LEVEL) > 1e-6 and one.ratio.low != one.ratio.high:
            clear = {Decision.BETTER: 1, Decision.WORSE: -1}.get(one.decision, 0) if one.adjusted_p < LEVEL else 0
            assert sign == clear


def test_a_ratio_without_an_interval_is_undecided() -> None:
    assert by_ratio(Interval(5.0, None, None, 1)) is Decision.UNDECIDED
    assert by_ratio(Interval(5.0, 4.0, 6.0, 3)) is Decision.BETTER
    assert by_ratio(Interval(5.0, 4.0, 6.0, 3), neutral=7.0) is Decision.WORSE
    assert by_ratio(Interval(1.0, 0.99, 1.01, 3), math.log(1.02)) is Decision.EQUIVALENT


def test_the_whole_is_as_its_worst_part() -> None:
    assert together([]) is Outcome.UNDECIDED
    assert together([Outcome.PASSED, Outcome.PASSED]) is Outcome.PASSED
    assert together([Outcome.PASSED, Outcome.UNDECIDED]) is Outcome.UNDECIDED
    assert together([Outcome.UNDECIDED, Outcome.FAILED]) is Outcome.FAILED


@pytest.mark.parametrize("truth", [math.log(0.98), math.log(0.99)])
def test_what_lies_at_or_within_the_margin_fails_in_fewer_cases_than_the_level(truth: float) -> None:
    random = np.random.default_rng(1)
    margin = -math.log(0.98)
    found = [
        decided([Question(paired(np.exp(random.normal(truth, 0.03, 8)).tolist()), margin)], 0.05)[0]
        for _ in range(2000)
    ]
    assert np.mean([one.outcome is Outcome.FAILED for one in found]) <= 0.06


def test_what_lies_at_the_margin_passes_in_fewer_cases_than_the_level() -> None:
    random = np.random.default_rng(2)
    margin = -math.log(0.98)
    found = [
        decided([Question(paired(np.exp(random.normal(-margin, 0.005, 8)).tolist()), margin)], 0.05)[0]
        for _ in range(2000)
    ]
    assert np.mean([one.outcome is Outcome.PASSED for one in found]) <= 0.06


def test_what_could_have_been_detected_is_detected_four_times_of_five() -> None:
    """The truth is put where one comparison says its smallest detectable difference lies."""
    random = np.random.default_rng(3)
    spread, rounds = 0.03, 10
    looks = [
        decided([Question(paired(np.exp(random.normal(0, spread, rounds)).tolist()), 0.0)], LEVEL)[0].detectable
        for _ in range(500)
    ]
    truth = math.log1p(float(np.median(looks)))
    found = [
        decided([Question(paired(np.exp(random.normal(truth, spread, rounds)).tolist()), 0.0)], LEVEL)[0].decision
        for _ in range(1000)
    ]
    assert 0.7 <= np.mean([one is Decision.BETTER for one in found]) <= 0.9
