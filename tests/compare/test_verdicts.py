"""Verdicts on simulated rates with a known truth: what is found, what is not, and how often chance alone is called."""

import math
from dataclasses import replace

import hypothesis.strategies as some
import numpy as np
import pytest
import scipy
from hypothesis import given

from callbench.analysis.compare.comparison import Comparison
from callbench.analysis.compare.verdicts import ComparedFigures, ComparedMetric, Rule, metric_verdicts
from callbench.report.compare import show
from callbench.stats.decide.decision import Decision, Outcome
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.estimate.logratio import paired, unpaired

# Of one slice of 20 ms, from slices on two shared processors: the logarithm of a rate moves by 8 %, half of it shared
# with the slice before (an autoregression of 0.5); what a start brings of its own is 0.5 %.
SPREAD, MEMORY, START = 0.08, 0.5, 0.005
ROUNDS, PAIRS = 10, 12


def rates(random: np.random.Generator, factor: float, rounds: int = ROUNDS, pairs: int = PAIRS) -> ComparedFigures:
    """Simulate rounds of slices: the machine drifts, and slices that follow each other resemble each other."""
    sums = np.zeros((rounds, 2))
    for number in range(rounds):
        drift = random.normal(0, 0.3)
        own = random.normal(0, START, 2) + np.array([0.0, math.log(factor)])
        noise = 0.0
        for _ in range(pairs):
            for side in random.permutation(2):
                noise = MEMORY * noise + random.normal(0, SPREAD * math.sqrt(1 - MEMORY**2))
                sums[number, side] += 400 * math.exp(drift + own[side] + noise)
    length = pairs * 0.02
    both: tuple[list[float], list[float]] = ((sums[:, 0] / length).tolist(), (sums[:, 1] / length).tolist())
    return ComparedFigures("c001", ("a/x", "a/x"), "Sum", both)


def test_five_percent_is_found_with_a_power_of_95_percent() -> None:
    """In 10 rounds of 24 slices, 4.8 s of calls: 195 of 200 is what a power of 95 % stays above."""
    random = np.random.default_rng(1)
    found = [metric_verdicts([rates(random, 1 / 1.05)], Rule(level=0.01))[0] for _ in range(200)]
    assert sum(one.verdict == Decision.WORSE for one in found) >= 190
    assert not any(one.verdict == Decision.BETTER for one in found)


def test_nothing_is_found_where_nothing_is() -> None:
    """At a level of 1 %, at most 4 of 100, and no gate fails at all."""
    random = np.random.default_rng(2)
    found = [metric_verdicts([rates(random, 1.0)], Rule(level=0.01))[0] for _ in range(100)]
    assert sum(one.verdict in (Decision.BETTER, Decision.WORSE) for one in found) <= 4
    assert not any(one.regression for one in found)


def test_seventy_cells_without_a_difference_flag_at_most_two() -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        found = metric_verdicts([rates(random, 1.0) for _ in range(70)], Rule(level=0.01))
        assert sum(one.verdict in (Decision.BETTER, Decision.WORSE) for one in found) <= 2


def test_a_gate_fails_beyond_its_threshold_and_not_within() -> None:
    random = np.random.default_rng(4)
    cells = [rates(random, 0.99, rounds=20), rates(random, 0.8, rounds=20), rates(random, 1.3, rounds=20)]
    found = metric_verdicts(cells, Rule(threshold=0.02))
    assert [one.regression for one in found] == [False, True, False]
    assert [one.verdict for one in found][1:] == [Decision.WORSE, Decision.BETTER]


def test_the_movement_of_the_echo_is_undecided() -> None:
    figures = ComparedFigures(
        "c", ("a/x", "a/x"), "Sum", ([100.0, 101.0, 99.0, 100.0], [107.0, 106.0, 106.5, 107.0]), paired=False
    )
    assert metric_verdicts([figures], Rule())[0].verdict == Decision.BETTER
    assert metric_verdicts([figures], Rule(shift=0.1))[0].verdict == Decision.UNDECIDED


def test_multiples_of_the_echo_take_out_what_the_machine_did() -> None:
    echoes = ([10.0, 11.0, 9.0, 10.0], [20.0, 19.0, 21.0, 20.0])
    rates = ([100.0, 110.0, 90.5, 100.0], [200.0, 190.0, 210.0, 200.5])
    times = ([10.0, 9.09, 11.1, 10.0], [5.0, 5.26, 4.76, 5.0])
    for values, metric in ((rates, ComparedMetric.RATE), (times, ComparedMetric.P99)):
        raw = ComparedFigures("c", ("a/x", "a/x"), "Sum", values, metric, paired=False)
        assert metric_verdicts([raw], Rule())[0].verdict == Decision.BETTER
        multiples = ComparedFigures("c", ("a/x", "a/x"), "Sum", values, metric, paired=False, echoes=echoes)
        found = metric_verdicts([multiples], Rule())[0]
        assert found.verdict == Decision.EQUIVALENT
        assert found.values == metric_verdicts([raw], Rule())[0].values


def test_what_was_not_measured_is_no_verdict() -> None:
    one = ComparedFigures("c", ("a/x", "a/x"), "Sum", ([1.0], [1.0]))
    other = ComparedFigures("d", ("a/x", "a/x"), "Sum", ([1.0, 2.0], [1.0, 2.0]), why="a/x died")
    found = metric_verdicts([one, other], Rule())
    assert [cell.verdict for cell in found] == ["not compared", "not compared"]
    assert {cell.outcome for cell in found} == {Outcome.UNDECIDED}
    assert [cell.why for cell in found] == ["fewer than two forks have both", "a/x died"]


@given(
    some.lists(some.floats(0.5, 2), min_size=3, max_size=20), some.lists(some.floats(0.5, 2), min_size=3, max_size=20)
)
def test_the_tests_are_scipys(over: list[float], under: list[float]) -> None:
    if np.std(np.log(over)) < 1e-6 or np.std(np.log(under)) < 1e-6:
        return
    theirs = scipy.stats.ttest_ind(np.log(over), np.log(under), equal_var=False)
    assert unpaired(over, under).p_value() == pytest.approx(theirs.pvalue, rel=1e-6)
    one = scipy.stats.ttest_1samp(np.log(over), 0.0)
    assert paired(over).p_value() == pytest.approx(one.pvalue, rel=1e-6)
    lower = scipy.stats.ttest_1samp(np.log(over), math.log(0.9), alternative="less")
    assert paired(over).below(0.9) == pytest.approx(lower.pvalue, rel=1e-6)


def test_the_interval_holds_1_exactly_where_the_doubt_reaches_the_level() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        found = paired(random.lognormal(0.02, 0.03, 6).tolist())
        interval = found.interval(0.99)
        assert interval.low is not None
        assert interval.high is not None
        assert (interval.low <= 1 <= interval.high) == (found.p_value() >= 0.01)


def test_a_stack_beside_itself_passes_where_the_resolution_is_fine_enough_and_is_undecided_where_not() -> None:
    random = np.random.default_rng(6)
    quiet = metric_verdicts([rates(random, 1.0, rounds=60)], Rule(threshold=0.02))[0]
    loud = metric_verdicts([rates(random, 1.0, rounds=3)], Rule(threshold=0.02))[0]
    assert (quiet.verdict, quiet.outcome) == (Decision.EQUIVALENT, Outcome.PASSED)
    assert loud.outcome is Outcome.UNDECIDED
    assert loud.decided
    assert loud.decided.unseen > 0.02


@pytest.mark.parametrize("factor", [1.0, 0.96, 1.01])
def test_about_so_many_more_forks_settle_what_a_gate_could_not(factor: float) -> None:
    """Four of five times if the ratio is as estimated; since it is not exactly, only most must be settled."""
    random = np.random.default_rng(7)
    settled = []
    for _ in range(60):
        few = rates(random, factor, rounds=4)
        one = metric_verdicts([few], Rule(threshold=0.02))[0]
        if one.outcome is Outcome.UNDECIDED and one.more_forks is not None:
            assert one.undecided
            more = rates(random, factor, rounds=one.more_forks)
            a, b = ([*first, *then] for first, then in zip(few.values, more.values, strict=True))
            both = ComparedFigures("c", ("a/x", "a/x"), "Sum", (a, b))
            settled.append(metric_verdicts([both], Rule(threshold=0.02))[0].outcome is not Outcome.UNDECIDED)
    assert len(settled) > 10
    assert sum(settled) > len(settled) / 2


def test_what_is_decided_needs_no_more_forks() -> None:
    random = np.random.default_rng(8)
    for factor in (0.5, 1.0, 2.0):
        one = metric_verdicts([rates(random, factor, rounds=60)], Rule(threshold=0.05))[0]
        assert not one.undecided
        assert one.more_forks is None


@pytest.mark.parametrize(
    ("spreads", "said"),
    [
        ([0.02], "about 15 more forks would decide what is undecided"),
        (
            [0.02, 0.9],
            "about 15 more forks would decide 1 of 2 undecided; even 100 forks would not decide the other",
        ),
        ([0.9, 0.9], "even 100 forks would not decide what is undecided"),
        ([0.0001], ""),
    ],
)
def test_a_sentence_says_what_would_settle_it(spreads: list[float], said: str) -> None:
    rule = Rule(threshold=0.02)
    cells = [
        ComparedFigures("c", ("a/x", "a/x"), "Sum", ([1.0] * 4, [math.exp(spread * at) for at in (-1, 1, -1, 1)]))
        for spread in spreads
    ]
    found = Comparison("A", "B", "so", rule, metric_verdicts(cells, rule), [])
    sentence = show.sentences(found)[0]
    assert said in sentence
    assert ("forks would" in sentence) == bool(said)
    numbers = [one["more_forks"] for one in show.record(found)["cells"]]
    assert numbers == [15 if spread == 0.02 else None for spread in spreads]
    # No number of forks is promised where it is open whether B fails more calls: seven were, for the rate alone.
    fails = FailedCalls(CallCounts([0] * 4, [55] * 4), CallCounts([1] * 4, [66] * 4))
    failing = [replace(figures, counts=fails) for figures in cells]
    open_ = Comparison("A", "B", "so", rule, metric_verdicts(failing, rule), [])
    assert any("whether B fails more is undecided" in text for text in show.sentences(open_))
    assert "forks would" not in show.sentences(open_)[0]


@pytest.mark.parametrize(
    ("paces", "said"), [((8e3, 8.1e3, 900.0, 7.9e3), True), ((8e3, 900.0, 8e3, 8e3), False), ((), False)]
)
def test_a_fork_that_the_machine_held_up_is_said_beside_what_it_leaves_undecided(
    paces: tuple[float, ...], *, said: bool
) -> None:
    """B was 276 times as fast in all forks but one, and no word said why that was undecided."""
    values = ([10.0] * 4, [2_760.0, 2_750.0, 12.0, 2_770.0])
    figures = ComparedFigures("c", ("a/x", "a/x"), "Sum", values, paces=paces)
    found = Comparison("A", "B", "so", Rule(), metric_verdicts([figures], Rule()), [])
    held_up = "one fork of 4 differs most, and something held the machine up in it: the raw echo made 900 calls/s"
    assert (f"{held_up}, and 7,900 or more in the others" in show.sentences(found)[0]) == said


def test_what_failed_calls_decided_is_not_said_to_be_undecided() -> None:
    """It was said that 100 forks would not decide it, below a table that says "worse: 92 of 9,476 calls failed"."""
    rule = Rule(threshold=0.02)
    none, many = CallCounts([0] * 4, [2_000] * 4), CallCounts([23] * 4, [2_000] * 4)
    values = ([1.0] * 4, [math.exp(0.9 * at) for at in (-1, 1, -1, 1)])
    figures = ComparedFigures("c", ("a/x", "a/x"), "Sum", values, counts=FailedCalls(none, many))
    found = Comparison("A", "B", "so", rule, metric_verdicts([figures], rule), [])
    assert found.outcome is Outcome.FAILED
    said = " ".join(show.sentences(found))
    assert "92 of 8,092 calls of B failed" in said
    assert "undecided" not in said


def test_a_longer_tail_is_worse_and_a_shorter_one_better() -> None:
    us = [100.0, 101.0, 99.0, 100.5]
    for factor, verdict, outcome in ((2.0, Decision.WORSE, Outcome.FAILED), (0.5, Decision.BETTER, Outcome.PASSED)):
        figures = ComparedFigures("c", ("a/x", "a/x"), "Sum", (us, [factor * one for one in us]), ComparedMetric.P99)
        found = metric_verdicts([figures], Rule())[0]
        assert (found.verdict, found.outcome) == (verdict, outcome)
    assert not metric_verdicts([figures], Rule(p99_threshold=None))
