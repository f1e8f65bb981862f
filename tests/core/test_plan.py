"""The plan: every visit once a block, every cell of it once, in an order that the seed decides."""

from collections import Counter

import hypothesis.strategies as some
import pytest
from hypothesis import given

from callbench import plan
from callbench.cell import Cell, Load, Stack
from callbench.errors import BadInput


def stack(name: str) -> Stack:
    return Stack(f"a/{name}", "a", name, "tcp", "python", "", "", card={"roles": "both"})


def cell(number: int, of: str, clients: int = 1, link: str = "loopback") -> Cell:
    return Cell(f"c{number:03}", "g", of, "Sum", {"a": number, "b": 2}, Load(clients, 10, 0.5), link)


@some.composite
def asked(draw: some.DrawFn) -> tuple[list[Cell], list[Stack], int, int]:
    stacks = [stack(f"s{number}") for number in range(draw(some.integers(1, 8)))]
    owners = draw(some.lists(some.sampled_from(stacks), min_size=1, max_size=30))
    cells = [cell(number, of.id, 1, draw(some.sampled_from(("loopback", "pair")))) for number, of in enumerate(owners)]
    return cells, stacks, draw(some.integers(1, 6)), draw(some.integers(0, 2**32))


@given(asked())
def test_each_block_holds_each_cell_once(asked: tuple[list[Cell], list[Stack], int, int]) -> None:
    cells, _, blocks, _ = asked
    made = plan.made(*asked)
    assert len(made.blocks) == blocks
    for block in made.blocks:
        assert Counter(trial.cell.id for visit in block for trial in visit.trials) == {cell.id: 1 for cell in cells}
        assert len({(visit.stack, visit.link) for visit in block}) == len(block)
        for visit in block:
            assert {(trial.cell.stack, trial.cell.link) for trial in visit.trials} == {(visit.stack, visit.link)}


@given(asked())
def test_trials_and_visits_are_numbered_in_their_order(asked: tuple[list[Cell], list[Stack], int, int]) -> None:
    made = plan.made(*asked)
    visits = [visit for block in made.blocks for visit in block]
    assert [visit.number for visit in visits] == list(range(len(visits)))
    assert [trial.number for visit in visits for trial in visit.trials] == list(range(made.trials))


@given(asked())
def test_it_is_the_same_after_writing_and_reading(asked: tuple[list[Cell], list[Stack], int, int]) -> None:
    made = plan.made(*asked)
    assert plan.read(made.record()) == made


@given(asked())
def test_the_seed_decides_the_order(asked: tuple[list[Cell], list[Stack], int, int]) -> None:
    assert plan.made(*asked) == plan.made(*asked)


def test_another_seed_gives_another_order() -> None:
    stacks = [stack(f"s{number}") for number in range(8)]
    cells = [cell(number, one.id) for number, one in enumerate(stacks)]
    orders = {tuple(visit.stack for visit in plan.made(cells, stacks, 1, seed).blocks[0]) for seed in range(20)}
    assert len(orders) > 10


@pytest.mark.parametrize("damage", [{"cells": 3}, {"blocks": [[{"stack": "a/s"}]]}, {"stacks": [{"id": 1}]}])
def test_a_damaged_plan_is_one_sentence(damage: dict[str, object]) -> None:
    record = plan.made([cell(1, "a/s")], [stack("s")], 1, 0).record() | damage
    with pytest.raises(BadInput, match=r"plan\.json is damaged"):
        plan.read(record)
