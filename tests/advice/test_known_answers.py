"""Advice on cases whose answer is known: right where one wins by 10 % or more, never sure below 2 %."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from advice.simulated import Truth, drawn, record, true_value
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.choice import AdviceVerdict
from callbench.analysis.advice.prediction import added_ms
from callbench.catalog.situation.link_text import link_of
from callbench.model.objective import parse
from callbench.model.situation import DEFAULT_WORTH, Goal, Prices, Situation, SituationLink
from callbench.report.advice.words import headline

CASES = 50
CANDIDATES = 5


@dataclass(frozen=True)
class Case:
    """A situation, its stacks, the payload of its call, and how they truly stand: the least first."""

    situation: Situation
    truths: tuple[Truth, ...]
    payload: float
    seed: int
    order: tuple[str, ...]
    lead: float


def _cases() -> Iterator[Case]:
    """Draw situations without end, from one seed."""
    random = np.random.default_rng(20)
    while True:
        truths = tuple(
            drawn(random, f"stack/{number}", fixed_sd=0.5, byte_us=0.003, factor_sd=0.5) for number in range(CANDIDATES)
        )
        # Near twins, so that small leads come up too.
        truths = (*truths[:-1], replace(truths[0], name=truths[-1].name, fixed_us=truths[0].fixed_us * 1.01))
        links, shares = [], random.dirichlet(np.ones(2))
        for number, share in enumerate(shares):
            trip, rate = np.exp(random.uniform(np.log([0.2, 1]), np.log([200, 1000])))
            link = link_of(f"{trip:.3f}ms,{rate:.3f}mbit")
            links.append(SituationLink(f"link{number}", link.wire, float(share)))
        payload = float(np.exp(random.uniform(np.log(50), np.log(200_000))))
        prices = Prices("EUR", float(random.uniform(0.01, 0.1)), float(random.uniform(0.0, 0.1)))
        goal = Goal.TIME if random.random() < 0.6 else Goal.MONEY
        situation = Situation(links, 500.0, prices=prices, goal=goal)
        values = {one.name: true_value(one, payload, situation) for one in truths}
        order = sorted(values, key=lambda name: values[name])
        yield Case(situation, truths, payload, int(random.integers(2**31)), tuple(order),
                   values[order[1]] / values[order[0]] - 1)  # fmt: skip


@cache
def _drawn(least: float, most: float) -> tuple[Case, ...]:
    found: list[Case] = []
    for case in _cases():
        if least <= case.lead < most:
            found.append(case)
        if len(found) == CASES:
            return tuple(found)
    raise AssertionError("unreachable: cases come without end")


def _advice(case: Case, today: str = "") -> Advice:
    situation = replace(case.situation, today=today)
    payloads = {"small": max(1.0, case.payload / 4), "call": case.payload, "large": case.payload * 4}
    every = record(case.truths, payloads, situation, case.seed)
    return of_figures(every, replace(situation, groups={"call": 1.0}))


@pytest.mark.parametrize("place", range(CASES))
def test_a_clear_winner_is_named(place: int) -> None:
    case = _drawn(0.10, 1e9)[place]
    found = _advice(case).choice
    assert (found.verdict, found.best) == (AdviceVerdict.CHOOSE, case.order[0])


@pytest.mark.parametrize("place", range(CASES))
def test_a_clear_winner_that_runs_today_stays(place: int) -> None:
    case = _drawn(0.10, 1e9)[place]
    assert _advice(case, case.order[0]).choice.verdict is AdviceVerdict.STAY


@pytest.mark.parametrize("place", range(CASES))
def test_a_clear_winner_replaces_what_runs_today(place: int) -> None:
    """By more than the margin; where the goal is money, also by more than a move is worth."""
    case = _drawn(0.10, 1e9)[place]
    found = _advice(case, case.order[1]).choice
    truths = {one.name: one for one in case.truths}
    first, second = (true_value(truths[name], case.payload, case.situation) for name in case.order[:2])
    saved = second - first if case.situation.goal is Goal.MONEY else math.inf
    move, stay = (AdviceVerdict.CHOOSE, case.order[0], True), (AdviceVerdict.STAY, case.order[0], False)
    right = [move] if saved > 1.1 * DEFAULT_WORTH else [stay] if saved < 0.9 * DEFAULT_WORTH else [move, stay]
    assert (found.verdict, found.best, found.leave) in right


def test_both_savings_worth_a_move_and_savings_worth_none_are_among_the_cases() -> None:
    cases = [case for case in _drawn(0.10, 1e9) if case.situation.goal is Goal.MONEY]
    saved = []
    for case in cases:
        truths = {one.name: one for one in case.truths}
        first, second = (true_value(truths[name], case.payload, case.situation) for name in case.order[:2])
        saved.append(second - first)
    assert sum(one > 1.1 * DEFAULT_WORTH for one in saved) >= 2
    assert sum(one < 0.9 * DEFAULT_WORTH for one in saved) >= 2


@pytest.mark.parametrize("place", range(CASES))
def test_what_is_not_shown_to_meet_the_objective_is_not_advised(place: int) -> None:
    """An objective at the best one's own latency: whether it is met is undecided, so nothing is advised."""
    case = _drawn(0.10, 1e9)[place]
    case = replace(case, situation=replace(case.situation, objective=parse("mean under 100 s")))
    easy = _advice(case)
    assert (easy.choice.verdict, list(easy.unsure)) == (AdviceVerdict.CHOOSE, [])
    met = [one.ms for one in easy.met if one.stack == easy.choice.best]
    tight = max(one.middle for one in met)
    hard = _advice(replace(case, situation=replace(case.situation, objective=parse(f"mean under {tight:.6f} ms"))))
    if hard.choice.best == easy.choice.best:
        assert hard.choice.verdict is AdviceVerdict.UNDECIDED
        assert list(hard.unsure) == [easy.choice.best]
        assert "not shown to meet" in headline(hard)


@pytest.mark.parametrize("place", range(CASES))
def test_no_stack_is_named_if_the_lead_is_small(place: int) -> None:
    case = _drawn(0.0, 0.02)[place]
    assert _advice(case).choice.verdict in (AdviceVerdict.EITHER, AdviceVerdict.UNDECIDED)


@pytest.mark.parametrize("place", range(CASES))
def test_a_small_lead_is_no_reason_to_move(place: int) -> None:
    case = _drawn(0.0, 0.02)[place]
    found = _advice(case, case.order[1]).choice
    assert not found.leave
    assert found.verdict in (AdviceVerdict.STAY, AdviceVerdict.UNDECIDED)


def test_what_has_too_few_calls_for_the_percentile_of_the_objective_is_not_advised() -> None:
    """These records have no p99.9, as cells have none whose calls are too few."""
    case = _drawn(0.10, 1e9)[0]
    found = _advice(replace(case, situation=replace(case.situation, objective=parse("p99.9 under 100 s"))))
    assert not found.met
    assert (found.choice.verdict, list(found.unsure)) == (AdviceVerdict.UNDECIDED, [case.order[0]])
    assert headline(found).endswith('not shown to meet "p99.9 under 100 s". p99.9 needs 3,688 calls in each fork.')


@pytest.mark.parametrize("place", range(10))
def test_no_call_is_faster_than_its_link(place: int) -> None:
    """An objective below what bytes and round trips alone take is met by no candidate."""
    case = _drawn(0.10, 1e9)[place]
    case = replace(case, situation=replace(case.situation, links=[replace(case.situation.links[0], share=1.0)]))
    every = record(case.truths, {"call": case.payload}, case.situation, case.seed)
    least_ms = min(added_ms(figures, case.situation.links[0].wire) for figures in every.values())
    situation = replace(case.situation, objective=parse(f"mean under {least_ms * 0.99:.6f} ms"))
    predicted = {key: replace(figures, over={}) for key, figures in every.items()}
    assert of_figures(predicted, situation).choice.verdict is AdviceVerdict.NONE
