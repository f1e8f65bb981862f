"""A run of servers whose calls were never timed: the estimate, and what slow calls may add. In virtual time."""

from typing import Unpack

import pytest

from callbench.catalog import catalogue
from callbench.model.card import StackCard
from callbench.model.cell import Cell, Load, Stack
from callbench.runner.plan import plan
from callbench.runner.plan.estimate import estimate
from callbench.runner.plan.unknown_calls import unknown_time
from callbench.store.requested.run import RunLength
from conftest import MISBEHAVING

NAMES = ("load/http1:servers/one", "load/http1:servers/two")
ROUNDS = 10
PACE = RunLength(ROUNDS, None, exact=False)


def planned(*, calls: int = 200, fresh: bool = False, **card: Unpack[StackCard]) -> plan.Plan:
    """Two servers, 1 and 10 clients, three forks."""
    stacks = [Stack(name, "servers", "json", "http", "x", "l", "1", card={"external": {}, **card}) for name in NAMES]
    cells = [
        Cell(f"c{place}{clients}", "g", name, "Hello", {}, Load(clients, calls, 0.5), fresh=fresh)
        for place, name in enumerate(NAMES)
        for clients in (1, 10)
    ]
    return plan.make_plan(cells, stacks, 3)


@pytest.fixture
def known() -> catalogue.Catalogue:
    return catalogue.load([MISBEHAVING])


def test_calls_that_were_never_timed_may_take_longer_than_a_slice(known: catalogue.Catalogue) -> None:
    left, unknown = estimate(planned(), known, PACE), unknown_time(planned(), ROUNDS)
    # Of 44 ms, as calls took that wait for an acknowledgement: four in a slice of one client, four each of ten.
    took = left.slices * 4 * 0.044
    assert left.seconds < took <= left.seconds + unknown.seconds
    assert unknown.stacks == NAMES
    said = unknown.describe(left)
    assert said.startswith(str(left))
    assert "if a call of load/http1:servers/one and load/http1:servers/two takes 50 ms" in said


def test_what_a_card_knows_is_not_unknown(known: catalogue.Catalogue) -> None:
    unknown = unknown_time(planned(busy_us=100.0), ROUNDS)
    assert (unknown.stacks, unknown.seconds) == ((), 0.0)
    left = estimate(planned(busy_us=100.0), known, PACE)
    assert unknown.describe(left) == str(left)


def test_what_is_left_out_adds_nothing_and_no_trial_lasts_longer_than_its_limit() -> None:
    assert unknown_time(planned(), ROUNDS, left_out=NAMES).seconds == 0.0
    assert 0 < unknown_time(planned(), ROUNDS, left_out=NAMES[:1]).seconds < unknown_time(planned(), ROUNDS).seconds
    assert unknown_time(planned(calls=10**9, fresh=True), ROUNDS).seconds < 12 * 70
