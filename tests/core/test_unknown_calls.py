"""A run of servers that nobody has timed: what was foretold, beside what was recorded. In virtual time."""

import json
from pathlib import Path

import pytest

from callbench import catalogue, plan
from callbench.cell import Cell, Load, Stack
from callbench.estimate import Estimate, estimated
from callbench.unknown_calls import beyond, left_s
from conftest import MISBEHAVING

RECORDED = json.loads((Path(__file__).parent / "recorded" / "external-durations.json").read_text())
NAMES = ("load/http1:servers/one", "load/http1:servers/two")


def planned(*, calls: int = 200, **card: object) -> plan.Plan:
    """The study that was recorded: two servers, 1 and 10 clients, three blocks."""
    stacks = [Stack(name, "servers", "json", "http", "x", "l", "1", card={"external": {}, **card}) for name in NAMES]
    cells = [
        Cell(f"c{place}{clients}", "g", name, "Hello", {}, Load(clients, calls, 0.5))
        for place, name in enumerate(NAMES)
        for clients in (1, 10)
    ]
    return plan.made(cells, stacks, 3, 1)


@pytest.fixture
def known() -> catalogue.Catalogue:
    return catalogue.load([MISBEHAVING])


def test_what_was_recorded_lies_within_what_is_foretold(known: catalogue.Catalogue) -> None:
    """About 15 s were foretold and nothing else said; the calls took 44 ms each, and all of it more than a minute."""
    took = sum(sum(visit) for visit in RECORDED["visits_s"]) + sum(sum(trial) for trial in RECORDED["trials_s"])
    left, unknown = estimated(planned(), known), beyond(planned())
    assert left.seconds < took <= left.seconds + unknown.seconds
    assert unknown.stacks == NAMES
    said = unknown.beside(left)
    assert said.startswith(str(left))
    assert "where a call takes 50 ms: nobody has timed one of load/http1:servers/one and load/http1:servers/two" in said


def test_what_a_card_knows_is_not_unknown(known: catalogue.Catalogue) -> None:
    unknown = beyond(planned(busy_us=100.0))
    assert (unknown.stacks, unknown.seconds) == ((), 0.0)
    left = estimated(planned(busy_us=100.0), known)
    assert unknown.beside(left) == str(left)


def test_what_is_done_or_left_out_adds_nothing() -> None:
    assert beyond(planned(), done=range(12)).stacks == ()
    assert beyond(planned(), left_out=NAMES).seconds == 0.0
    assert 0 < beyond(planned(), left_out=NAMES[:1]).seconds < beyond(planned()).seconds
    # No trial lasts longer than its limit.
    assert beyond(planned(calls=10**9)).seconds < 12 * 70


def test_after_a_block_the_rest_is_told_by_it() -> None:
    assert left_s(1, 2, 47.0) == 94.0
    assert left_s(2, 1, 82.0) == 41.0
    assert str(Estimate(5, 12, 6, 0)).startswith("about 5 s")
