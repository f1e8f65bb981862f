"""How many forks a run makes: until nothing is open, or its time is over; two of each condition in any case."""

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.cell import AS_IS, HELD, Cell, Load, Stack
from callbench.runner import pacing, plan
from callbench.runner.pacing import FEWEST, Pacing
from callbench.runner.past import Past

if TYPE_CHECKING:
    from callbench.runner.context import Context

STACKS = [Stack(f"a/{name}", "a", name, "tcp", "python", "", "") for name in "xyz"]
CELLS = [Cell(f"c{number}", "g", stack.id, "Sum", {}, Load(1, 10, 0.5)) for number, stack in enumerate(STACKS)]


def paced(
    *, limit_s: float | None = 3600.0, exact: bool = False, conditions: tuple[str, ...] = (AS_IS,), quick: bool = False
) -> tuple[Pacing, Past]:
    """The pacing of a run of three planned forks."""
    past = Past()
    info: dict[str, Any] = {"rounds": 10, "limit_s": limit_s, "exact": exact}
    of = SimpleNamespace(
        run=SimpleNamespace(info=info), past=past, plan=plan.made(CELLS, STACKS, 3, conditions), quick=quick
    )
    return Pacing(cast("Context", of)), past


@pytest.fixture
def still_open(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The cells that something undecided rests on."""
    cells: set[str] = {"c0", "c2"}
    monkeypatch.setattr(pacing, "still_open", lambda _run, _plan: cells)
    return cells


def cells_of(one: Pacing, number: int) -> list[str] | None:
    asked = one.asked(number)
    return None if asked is None else [cell.id for cell in asked.cells]


def test_every_cell_takes_part_in_the_planned_forks_and_what_is_open_in_further_ones(still_open: set[str]) -> None:
    one, _ = paced()
    assert [cells_of(one, number) for number in range(3)] == [["c0", "c1", "c2"]] * 3
    assert cells_of(one, 3) == ["c0", "c2"]
    still_open.clear()
    assert cells_of(one, 4) is None


@pytest.mark.usefixtures("still_open")
def test_exactly_so_many_are_no_more_and_no_fewer() -> None:
    one, _ = paced(exact=True, limit_s=None)
    assert [one.asked(number) is not None for number in range(5)] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("conditions", [(AS_IS,), (HELD, AS_IS)])
@pytest.mark.usefixtures("still_open")
def test_two_of_each_condition_are_made_though_the_time_is_over(conditions: tuple[str, ...]) -> None:
    one, _ = paced(limit_s=0.0, conditions=conditions)
    made = [number for number in range(3 * len(conditions)) if one.asked(number) is not None]
    assert made == list(range(FEWEST * len(conditions)))
    found = [asked for number in made if (asked := one.asked(number)) is not None]
    assert [asked.condition for asked in found] == list(conditions) * FEWEST
    # The first of each condition is whole; the next ends with the time, but for its first rounds.
    assert [asked.until is None for asked in found] == [True] * len(conditions) + [False] * len(conditions)


@pytest.mark.usefixtures("still_open")
def test_no_fork_is_begun_for_which_there_is_no_time() -> None:
    one, past = paced(limit_s=100.0)
    first = one.asked(0)
    assert first is not None
    one.took(first, 1e6)
    assert one.asked(3) is None
    one.took(first, 1.0)
    assert one.asked(3) is not None
    # What earlier sessions of the run spent counts.
    later, past = paced(limit_s=100.0)
    past.fork_seconds = 99.9
    later = Pacing(later._of)
    later.took(first, 1e6)
    assert later.spent_s >= 99.9
    assert later.asked(3) is None


def test_a_fork_that_was_begun_goes_on_as_it_was_begun_and_ends_with_the_time() -> None:
    one, past = paced(limit_s=50.0)
    line = {"kind": "fork", "fork": 7, "idle": AS_IS, "rounds": 4, "watch": True, "cells": ["c2", "c1", "gone"]}
    past.takes(line)
    asked = one.asked(7)
    assert asked is not None
    assert ([cell.id for cell in asked.cells], asked.rounds, asked.watch) == (["c2", "c1"], 4, True)
    assert asked.until is not None
    assert asked.until <= time.monotonic() + 50.0


def test_what_is_left_out_takes_no_part(still_open: set[str]) -> None:
    one, past = paced()
    past.cells.add("c0")
    past.stacks.add("a/z")
    assert cells_of(one, 0) == ["c1"]
    assert still_open == {"c0", "c2"}
    assert cells_of(one, 3) is None


def test_processes_are_looked_at_once_in_each_condition_and_once_in_a_quick_run() -> None:
    for quick, watched in ((True, [True, False, False, False]), (False, [True, True, False, False])):
        one, _ = paced(quick=quick, conditions=(HELD, AS_IS))
        found = [asked for number in range(4) if (asked := one.asked(number)) is not None]
        assert [asked.watch for asked in found] == watched


def test_rounds_end_with_the_time_that_is_left() -> None:
    one, _ = paced(limit_s=50.0)
    asked = one.asked(1)
    assert asked is not None
    assert asked.until is not None
    assert asked.until <= time.monotonic() + 50.0
