"""An advice on an answer that nobody gave: kept, made a condition or undecided, as arithmetic says over its range.

Stacks have a true cost of a call and of a byte, and true bytes. So who is the best is known for each size of the
answer. What is measured has noise, and is measured with an answer as large as the request.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from advice.simulated import Truth, drawn, measured_over, rows, value_of
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.assumed import NOTHING, Holds, Invented
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.figures import Every, Figures, OverLink
from callbench.analysis.advice.scaling import Scale, ladders, scaled
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Goal, Prices, Situation, SituationLink
from callbench.report.advice.words import depends, headline, reasons

CASES = 40
FACTORS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
SIZES = (1 / 16, 1.0, 16.0)
CALL = "Order"
INVENTED = Invented(answers=frozenset({CALL}))


@dataclass(frozen=True)
class Case:
    """A situation, its stacks, and the bytes of data of a request; the answer was measured with as many."""

    situation: Situation
    truths: tuple[Truth, ...]
    request: float
    seed: int

    def leads(self, factor: float) -> tuple[str, float]:
        """The best stack with an answer of so many times the request, and how far the next one is behind."""
        values = {truth.name: self.value(truth, factor) for truth in self.truths}
        first, second = sorted(values, key=lambda name: values[name])[:2]
        return first, values[second] / values[first] - 1

    def value(self, truth: Truth, factor: float) -> float:
        """What the goal wants small, as it truly is."""
        figures = _figures(truth, self.request, factor, _NONE)
        return value_of(figures, _here_us(truth, self.request, factor), self.situation)


_NONE = OverLink({}, {}, {})


def _here_us(truth: Truth, request: float, factor: float) -> float:
    return truth.fixed_us + truth.us_per_byte * request * (1 + factor)


def _figures(truth: Truth, request: float, factor: float, here: OverLink, group: str = "call") -> Figures:
    account = rows(truth, truth.factor * request, truth.factor * request * factor)
    total = request * (1 + factor)
    return Figures(truth.name, group, CALL, truth.name, "http-keepalive", here, account, total, request * factor)


def _record(case: Case, sizes: dict[str, float], seed: int) -> Every:
    """Measure each stack with an answer as large as the request, of these sizes by group."""
    random = np.random.default_rng(seed)
    drift = np.exp(random.normal(0, 0.3, 10))
    found = {}
    for truth in case.truths:
        for group, request in sizes.items():
            here = measured_over(_here_us(truth, request, 1.0), drift, random)
            found[truth.name, group] = _figures(truth, request, 1.0, here, group)
    return found


def _advice(case: Case, today: str = "", invented: Invented = INVENTED) -> Advice:
    every = _record(case, {"call": case.request}, case.seed)
    sizes = _record(case, {f"size {step:g}": case.request * step for step in SIZES}, case.seed + 1)
    return of_figures(every, replace(case.situation, today=today), (), sizes, invented)


def _drawn() -> Iterator[Case]:
    random = np.random.default_rng(31)
    while True:
        truths = tuple(
            drawn(random, f"stack/{number}", fixed_sd=0.7, byte_us=0.004, factor_sd=0.6) for number in range(4)
        )
        trip, rate = np.exp(random.uniform(np.log([0.2, 1]), np.log([20, 200])))
        links = [SituationLink("link", link_of(f"{trip:.3f}ms,{rate:.3f}mbit").wire, 1.0)]
        prices = Prices("EUR", float(random.uniform(0.01, 0.1)), float(random.uniform(0.0, 0.1)))
        goal = Goal.TIME if random.random() < 0.5 else Goal.MONEY
        situation = Situation(links, 500.0, prices=prices, goal=goal, worth=0.0)
        yield Case(
            situation, truths, float(np.exp(random.uniform(np.log(200), np.log(20_000)))), int(random.integers(2**31))
        )


@cache
def _cases(kind: str) -> tuple[Case, ...]:
    """Draw cases in which one stack leads by 15 % everywhere, or two lead by 15 %, one here and one elsewhere."""
    found: list[Case] = []
    for case in _drawn():
        leads = {factor: case.leads(factor) for factor in FACTORS}
        here = leads[1.0]
        clear = [name for name, lead in leads.values() if lead >= 0.15]
        wanted = {
            "same": len(clear) == len(FACTORS) and set(clear) == {here[0]},
            "turns": here[1] >= 0.15 and any(name != here[0] for name in clear),
        }
        if wanted[kind]:
            found.append(case)
        if len(found) == CASES:
            return tuple(found)
    raise AssertionError("unreachable: cases come without end")


@pytest.mark.parametrize("number", range(CASES))
def test_what_is_best_for_every_answer_is_advised_without_a_condition(number: int) -> None:
    case = _cases("same")[number]
    advice = _advice(case)
    assert (advice.choice.verdict, advice.choice.best) == (AdviceVerdict.CHOOSE, case.leads(1.0)[0])
    assert advice.assumed.outcome is Holds.EVERYWHERE
    assert headline(advice).startswith("Choose")
    assert "This holds for answers from empty to 10 times their request." in list(reasons(advice))


@pytest.mark.parametrize("number", range(CASES))
def test_what_is_best_for_some_answers_alone_is_not_advised(number: int) -> None:
    """The headline names both, and the size from which on the other one is better lies where arithmetic says."""
    case = _cases("turns")[number]
    advice = _advice(case)
    assert (advice.choice.verdict, advice.choice.leave) == (AdviceVerdict.UNDECIDED, False)
    assert advice.assumed.outcome is Holds.DEPENDS
    text = headline(advice)
    assert text.startswith("Undecided: it depends on the answers of your service.")
    assert f"If answers are as large as requests: {case.leads(1.0)[0]}" in text
    assert not advice.changes, "there is no advice that something could change"
    for _, turn in advice.assumed.turns:
        name, lead = case.leads(turn.factor)
        assert name in turn.names or lead < 0.05


@pytest.mark.parametrize("number", range(CASES))
def test_an_answer_that_was_given_leaves_nothing_open(number: int) -> None:
    advice = _advice(_cases("turns")[number], invented=NOTHING)
    assert advice.choice.verdict is AdviceVerdict.CHOOSE
    assert advice.assumed.outcome is Holds.KNOWN


@pytest.mark.parametrize("number", range(CASES))
def test_savings_span_what_they_are_for_each_answer(number: int) -> None:
    """Beside the runner-up: the true saving of a month for each answer lies within its interval, but for noise."""
    case = _cases("same")[number]
    case = replace(case, situation=replace(case.situation, goal=Goal.MONEY))
    advice = _advice(case)
    line = next(line for line in advice.lines if line.name == "a month")
    assert line.saved is not None
    assert line.saved.low is not None
    assert line.saved.high is not None
    truths = {truth.name: truth for truth in case.truths}
    best = advice.situation.today if advice.choice.verdict is AdviceVerdict.STAY else advice.choice.best
    for factor in (0.0, 1.0, 10.0):
        own, other = (case.value(truths[name], factor) for name in (best, advice.beside))
        slack = 0.1 * max(own, other)
        assert line.saved.low - slack <= other - own <= line.saved.high + slack


def test_what_is_undecided_has_no_condition() -> None:
    """Twins are not told apart with any answer: "if answers are as large as requests" says nothing then."""
    case = _cases("same")[0]
    twins = tuple(replace(case.truths[0], name=f"twin/{number}") for number in range(3))
    advice = _advice(replace(case, truths=twins, situation=replace(case.situation, margin=0.0)))
    assert advice.choice.verdict is AdviceVerdict.UNDECIDED
    assert headline(advice).startswith("Undecided: it is not shown which is the best of twin/")


def test_a_move_is_not_advised_on_an_answer_that_nobody_gave() -> None:
    """As with the order of 183 EUR a month that was 9 EUR with its real answer."""
    for case in _cases("turns"):
        runner_up = sorted(case.truths, key=lambda truth: case.value(truth, 1.0))[1].name
        assert not _advice(case, today=runner_up).choice.leave


@pytest.mark.parametrize("number", range(CASES))
def test_what_would_change_an_advice_does(number: int) -> None:
    """Named sizes of answers are those at which another stack is better."""
    advice = _advice(_cases("turns")[number], invented=NOTHING)
    change = next(change for change in advice.changes if change.unit == "bytes")
    turns = [turn for turn in (change.below, change.above) if turn is not None]
    assert turns
    (said,) = [sentence for sentence in depends(advice) if sentence.startswith("What would change it: ")]
    assert ("empty answers (then" in said) is any(turn.factor == 0 for turn in turns)
    assert ("answers of less than" in said) is (change.below is not None and change.below.factor > 0)
    assert ("answers of more than" in said) is (change.above is not None)
    for turn in turns:
        name, lead = _cases("turns")[number].leads(turn.factor)
        assert name in turn.names or lead < 0.05
        assert name != advice.choice.best or lead < 0.05


def test_a_stack_without_sizes_of_its_own_grows_as_one_of_the_same_coding() -> None:
    """Another message with the same coding stands in, by the ratio of their bytes: no candidate is left out."""
    case = _cases("same")[0]
    every = _record(case, {"call": case.request}, case.seed)
    sizes = _record(case, {f"size {step:g}": case.request * step for step in SIZES}, case.seed + 1)
    known = ladders({key: figures for key, figures in sizes.items() if key[0] != "stack/3"})
    grown = scaled(every, known, Scale(frozenset({CALL}), answers=10.0))
    assert grown is not None
    before, after = (found["stack/3", "call"].account[1]["payload"] for found in (every, grown))
    truth = next(truth for truth in case.truths if truth.name == "stack/3")
    expected = truth.factor * case.request * 9
    assert expected / 4 < after - before < expected * 4
    coded = {key: replace(figures, card={**figures.card, "coding": "gzip"}) for key, figures in every.items()}
    assert scaled(coded, known, Scale(frozenset({CALL}), answers=10.0)) is None
