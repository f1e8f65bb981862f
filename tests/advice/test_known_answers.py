"""Advice on cases whose answer is known: right where one wins by 10 % or more, never sure below 2 %."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from advice.simulated import Truth, record, true_value
from callbench.analysis.advice.advice import Advice, of_figures
from callbench.analysis.advice.choice import Verdict
from callbench.catalog.situation.link_text import link_of
from callbench.model.situation import Goal, Prices, Situation, SituationLink

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
            Truth(
                f"stack/{number}",
                fixed_us=float(random.lognormal(np.log(80), 0.5)),
                us_per_byte=float(random.lognormal(np.log(0.003), 0.8)),
                overhead_bytes=float(random.uniform(80, 900)),
                factor=float(random.lognormal(np.log(1.5), 0.5)),
                trips=1.0,
            )
            for number in range(CANDIDATES)
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
    assert (found.verdict, found.best) == (Verdict.CHOOSE, case.order[0])


@pytest.mark.parametrize("place", range(CASES))
def test_a_clear_winner_that_runs_today_stays(place: int) -> None:
    case = _drawn(0.10, 1e9)[place]
    assert _advice(case, case.order[0]).choice.verdict is Verdict.STAY


@pytest.mark.parametrize("place", range(CASES))
def test_a_clear_winner_replaces_what_runs_today(place: int) -> None:
    case = _drawn(0.10, 1e9)[place]
    found = _advice(case, case.order[1]).choice
    assert (found.verdict, found.best, found.leave) == (Verdict.CHOOSE, case.order[0], True)


@pytest.mark.parametrize("place", range(CASES))
def test_no_stack_is_named_if_the_lead_is_small(place: int) -> None:
    case = _drawn(0.0, 0.02)[place]
    assert _advice(case).choice.verdict in (Verdict.EITHER, Verdict.UNDECIDED)


@pytest.mark.parametrize("place", range(CASES))
def test_a_small_lead_is_no_reason_to_move(place: int) -> None:
    case = _drawn(0.0, 0.02)[place]
    found = _advice(case, case.order[1]).choice
    assert not found.leave
    assert found.verdict in (Verdict.STAY, Verdict.UNDECIDED)
