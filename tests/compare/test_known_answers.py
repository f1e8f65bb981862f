"""Comparisons of simulated builds whose truth is known: 200 each, with drifts, outliers and calls that fail."""

import math

import numpy as np
import pytest

from callbench.analysis.compare.verdicts import ComparedFigures, MetricVerdict, Rule, metric_verdicts
from callbench.stats.decide.decision import Decision, Outcome
from callbench.stats.decide.failures import CallCounts, FailedCalls

SEEDS, FORKS, LEVEL = 200, 16, 0.01
# Of 200, with a chance of 1 % each: more than 7 would come of chance in one of a thousand such tests.
MOST_WRONG = 7
# Calls of a side in a fork, about as many as 5 s of a comparison bring.
CALLS = 2_000


def compared(
    seed: int, ratio: float, *, drift: float = 0.1, outliers: float = 0.0, fails: tuple[float, float] = (0, 0)
) -> MetricVerdict:
    """Compare two builds of which the second is so many times as fast.

    Args:
        seed: of all chance.
        ratio: the truth.
        drift: by how much the machine's speed differs from fork to fork, for both.
        outliers: the share of forks in which one side lost a third of its time to another program.
        fails: the share of calls that fail, of A and of B.
    """
    random = np.random.default_rng(seed)
    machine = random.normal(0, drift, FORKS)
    values, counts = [], []
    for side in (0, 1):
        own = random.normal(0, 0.008, FORKS) + np.log(np.where(random.random(FORKS) < outliers, 2 / 3, 1.0))
        values.append((20_000 * np.exp(machine + own + math.log(ratio) * side)).tolist())
        failed = random.binomial(CALLS, fails[side], FORKS).tolist()
        counts.append(CallCounts(failed, [CALLS - one for one in failed]))
    figures = ComparedFigures("c1", ("a/x", "a/x"), "Sum", (values[0], values[1]), counts=FailedCalls(*counts))
    (verdict,) = metric_verdicts([figures], Rule(level=LEVEL))
    return verdict


@pytest.mark.parametrize("drift", [0.0, 0.3], ids=["still", "drifting"])
@pytest.mark.parametrize("percent", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("faster", [False, True])
def test_no_verdict_contradicts_the_truth(percent: int, drift: float, faster: bool) -> None:
    ratio = 1 + percent / 100 if faster else 1 / (1 + percent / 100)
    found = [compared(seed, ratio, drift=drift) for seed in range(SEEDS)]
    right, wrong = (Decision.BETTER, Decision.WORSE) if faster else (Decision.WORSE, Decision.BETTER)
    verdicts = [one.verdict for one in found]
    outcomes = [one.outcome for one in found]
    assert verdicts.count(wrong) <= MOST_WRONG
    if percent == 0:
        assert verdicts.count(right) <= MOST_WRONG
        assert outcomes.count(Outcome.FAILED) == 0
    if percent <= 1:
        # The threshold is 2 %: what is within it is equivalent, and passes.
        assert verdicts.count(Decision.EQUIVALENT) >= (0.95 if percent == 0 else 0.5) * SEEDS
        assert outcomes.count(Outcome.FAILED) <= MOST_WRONG
    if percent >= 5:
        assert verdicts.count(Decision.EQUIVALENT) == 0
        assert verdicts.count(right) >= 0.99 * SEEDS
        assert outcomes.count(Outcome.PASSED if faster else Outcome.FAILED) >= 0.95 * SEEDS


@pytest.mark.parametrize("ratio", [1 / 1.2, 1.0, 1.2])
def test_outliers_leave_it_open_and_turn_nothing(ratio: float) -> None:
    found = [compared(seed, ratio, outliers=0.1) for seed in range(SEEDS)]
    wrong = [
        one
        for one in found
        if (one.verdict == Decision.BETTER and ratio <= 1) or (one.verdict == Decision.WORSE and ratio >= 1)
    ]
    assert len(wrong) <= MOST_WRONG
    assert sum(one.verdict == Decision.EQUIVALENT for one in found if ratio != 1) == 0


@pytest.mark.parametrize("ratio", [1.0, 1.3])
def test_who_fails_more_calls_never_passes(ratio: float) -> None:
    """One call of a hundred fails, of none before: however fast the others are."""
    found = [compared(seed, ratio, fails=(0.0, 0.01)) for seed in range(SEEDS)]
    assert {one.outcome for one in found} == {Outcome.FAILED}
    assert {one.verdict for one in found} == {Decision.WORSE}


@pytest.mark.parametrize("share", [0.0002, 0.01, 0.2])
def test_who_fails_as_many_calls_is_not_called_worse(share: float) -> None:
    found = [compared(seed, 1.3, fails=(share, share)) for seed in range(SEEDS)]
    assert sum(one.outcome is Outcome.FAILED for one in found) <= MOST_WRONG
    assert sum(one.verdict == Decision.WORSE for one in found) <= MOST_WRONG


def test_who_fails_fewer_calls_passes() -> None:
    found = [compared(seed, 1.0, fails=(0.02, 0.01)) for seed in range(SEEDS)]
    assert sum(one.outcome is Outcome.PASSED for one in found) >= 0.95 * SEEDS


def test_a_few_failed_calls_of_very_many_are_shown_to_be_too_few_to_matter() -> None:
    """1 of 32,000 is under one of a thousand, whatever chance did."""
    few, none = CallCounts([1, *[0] * 15], [CALLS] * FORKS), CallCounts([0] * FORKS, [CALLS] * FORKS)
    rates = [100.0, 100.1] * 8
    figures = ComparedFigures("c1", ("a/x", "a/x"), "Sum", (rates, rates), counts=FailedCalls(none, few))
    (verdict,) = metric_verdicts([figures], Rule())
    assert (verdict.verdict, verdict.outcome, verdict.failures and verdict.failures.outcome) == (
        Decision.EQUIVALENT,
        Outcome.PASSED,
        Outcome.PASSED,
    )


@pytest.mark.parametrize(
    ("failed", "outcome"),
    [((7, 0), Outcome.UNDECIDED), ((0, 7), Outcome.PASSED), ((60, 0), Outcome.FAILED)],
    ids=["7 of 549", "fewer", "60 of 549"],
)
def test_seven_calls_of_549_beside_none_of_337_are_neither_failed_nor_passed(
    failed: tuple[int, int], outcome: Outcome
) -> None:
    """As it was met: "1 better, passed" though Fisher's p is 3.5 %."""
    spread = [CallCounts([of // 4 + (fork < of % 4) for fork in range(4)], [0] * 4) for of in failed]
    b, a = (
        CallCounts(one.failed, [of // 4 - bad for bad in one.failed])
        for one, of in zip(spread, (549, 337), strict=True)
    )
    rates = ([100.0, 101, 100, 101], [120.0, 121, 121, 120])
    figures = ComparedFigures("c1", ("a/x", "a/x"), "Sum", rates, counts=FailedCalls(a, b))
    (verdict,) = metric_verdicts([figures], Rule())
    assert verdict.outcome is outcome
    assert (verdict.verdict == Decision.BETTER) == (outcome is Outcome.PASSED)


@pytest.mark.parametrize("vary", [0.0, 1.0, 3.0])
def test_forks_that_fail_unequally_raise_no_false_alarm(vary: float) -> None:
    """The share of each fork and side is drawn from one lognormal distribution: both builds are the same."""
    random = np.random.default_rng(7)
    alarms = 0
    for _ in range(1000):
        sides = []
        for _ in range(2):
            shares = np.minimum(0.9, 0.005 * np.exp(random.normal(0, vary, 10)))
            failed = random.binomial(CALLS, shares).tolist()
            sides.append(CallCounts(failed, [CALLS - one for one in failed]))
        alarms += FailedCalls(sides[0], sides[1]).p_value() < LEVEL
    # Of one side alone, 1 % at most; 20 is what chance would pass in one of 500 such tests.
    assert alarms <= 20
