"""The plan: each cell once for every condition, numbered so that no two trials of a run share a number."""

from collections import Counter
from typing import TYPE_CHECKING, cast

import hypothesis.strategies as some
import pytest
from hypothesis import given

from callbench.model.cell import AS_IS, HELD, Cell, Load, Stack
from callbench.model.errors import BadInput
from callbench.runner.plan import plan

if TYPE_CHECKING:
    from callbench.model.card import PlanRecord

CONDITIONS = ((AS_IS,), (HELD,), (HELD, AS_IS))


def stack(name: str) -> Stack:
    return Stack(f"a/{name}", "a", name, "tcp", "python", "", "", card={"roles": "both"})


def cell(number: int, of: str, link: str = "loopback", *, timed: bool = True) -> Cell:
    load = Load(1, 10, 0.5)
    return Cell(f"c{number:03}", "g", of, "Sum", {"a": number, "b": 2}, load, link, timed=timed, wire={})


@some.composite
def planned(draw: some.DrawFn) -> plan.Plan:
    stacks = [stack(f"s{number}") for number in range(draw(some.integers(1, 8)))]
    owners = draw(some.lists(some.sampled_from(stacks), min_size=1, max_size=30))
    cells = [
        cell(number, of.id, draw(some.sampled_from(("loopback", "pair"))), timed=draw(some.booleans()))
        for number, of in enumerate(owners)
    ]
    return plan.make_plan(cells, stacks, draw(some.integers(1, 6)), draw(some.sampled_from(CONDITIONS)))


@given(planned())
def test_each_condition_has_each_timed_cell_once_and_each_byte_is_counted_once(made: plan.Plan) -> None:
    first, *others = made.conditions
    timed = Counter((one.group, one.stack, str(one.arguments)) for one in made.cells_under(first))
    for condition in others:
        again = Counter((one.group, one.stack, str(one.arguments)) for one in made.cells_under(condition))
        assert again == timed
        assert all(one.wire is None for one in made.cells_under(condition))
    assert len({one.id for one in made.cells}) == len(made.cells)
    assert {one.stack for one in made.cells} == {one.id for one in made.stacks}


@given(planned())
def test_no_two_trials_have_one_number(made: plan.Plan) -> None:
    numbers = [
        made.number(fork, one)
        for fork in range(made.forks * len(made.conditions))
        for one in made.cells_under(made.condition_of(fork))
    ]
    assert len(set(numbers)) == len(numbers)


@given(planned())
def test_conditions_have_as_many_forks_each(made: plan.Plan) -> None:
    forks = Counter(made.condition_of(number) for number in range(made.forks * len(made.conditions)))
    assert forks == dict.fromkeys(made.conditions, made.forks)


@given(planned())
def test_it_is_the_same_after_writing_and_reading(made: plan.Plan) -> None:
    assert plan.read(made.record()) == made


@pytest.mark.parametrize("damage", [{"cells": 3}, {"forks": None}, {"stacks": [{"id": 1}]}])
def test_a_damaged_plan_is_one_sentence(damage: dict[str, object]) -> None:
    record = cast("PlanRecord", {**plan.make_plan([cell(1, "a/s")], [stack("s")], 1).record(), **damage})
    with pytest.raises(BadInput, match=r"plan\.json is damaged"):
        plan.read(record)
