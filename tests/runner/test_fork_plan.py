"""How many forks a run makes: until nothing is open, or its time is over; two of each condition in any case."""

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.cell import AS_IS, HELD, Cell, Load, Stack
from callbench.runner.plan import plan
from callbench.runner.plan.estimate import FEWEST
from callbench.runner.run import fork_plan
from callbench.runner.run.fork_plan import ForkPlanner
from callbench.runner.run.resume_state import ResumeState
from callbench.store.requested.run import RunLength

if TYPE_CHECKING:
    from callbench.runner.run.context import Context

STACKS = [Stack(f"a/{name}", "a", name, "tcp", "python", "", "") for name in "xyz"]
CELLS = [Cell(f"c{number}", "g", stack.id, "Sum", {}, Load(1, 10, 0.5)) for number, stack in enumerate(STACKS)]


def paced(
    *, limit_s: float | None = 3600.0, exact: bool = False, conditions: tuple[str, ...] = (AS_IS,), quick: bool = False
) -> tuple[ForkPlanner, ResumeState]:
    """The pacing of a run of three planned forks."""
    state = ResumeState()
    of = SimpleNamespace(
        run=None,
        requested=SimpleNamespace(length=RunLength(10, limit_s, exact=exact)),
        resume_state=state,
        plan=plan.make_plan(CELLS, STACKS, 3, conditions),
        quick=quick,
    )
    return ForkPlanner(cast("Context", of)), state


@pytest.fixture
def undecided_cells(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The cells that something undecided rests on."""
    cells: set[str] = {"c0", "c2"}
    monkeypatch.setattr(fork_plan, "undecided_cells", lambda _run, _plan: cells)
    return cells


def cells_of(one: ForkPlanner, number: int) -> list[str] | None:
    fork_task = one.next_fork(number)
    return None if fork_task is None else [cell.id for cell in fork_task.cells]


def test_every_cell_takes_part_in_the_planned_forks_and_what_is_open_in_further_ones(undecided_cells: set[str]) -> None:
    one, _ = paced()
    assert [cells_of(one, number) for number in range(3)] == [["c0", "c1", "c2"]] * 3
    assert cells_of(one, 3) == ["c0", "c2"]
    undecided_cells.clear()
    assert cells_of(one, 4) is None


@pytest.mark.usefixtures("undecided_cells")
def test_exactly_so_many_are_no_more_and_no_fewer() -> None:
    one, _ = paced(exact=True, limit_s=None)
    assert [one.next_fork(number) is not None for number in range(5)] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("conditions", [(AS_IS,), (HELD, AS_IS)])
@pytest.mark.usefixtures("undecided_cells")
def test_two_of_each_condition_are_made_though_the_time_is_over(conditions: tuple[str, ...]) -> None:
    one, _ = paced(limit_s=0.0, conditions=conditions)
    made = [number for number in range(3 * len(conditions)) if one.next_fork(number) is not None]
    assert made == list(range(FEWEST * len(conditions)))
    found = [fork_task for number in made if (fork_task := one.next_fork(number)) is not None]
    assert [fork_task.condition for fork_task in found] == list(conditions) * FEWEST
    # The first of each condition is whole; the next ends with the time, but for its first rounds.
    assert [fork_task.until is None for fork_task in found] == [True] * len(conditions) + [False] * len(conditions)


@pytest.mark.usefixtures("undecided_cells")
def test_no_fork_is_begun_for_which_there_is_no_time() -> None:
    one, state = paced(limit_s=100.0)
    first = one.next_fork(0)
    assert first is not None
    one.fork_finished(first, 1e6)
    assert one.next_fork(3) is None
    one.fork_finished(first, 1.0)
    assert one.next_fork(3) is not None
    # What earlier sessions of the run spent counts.
    later, state = paced(limit_s=100.0)
    state.fork_seconds = 99.9
    later = ForkPlanner(later._context)
    later.fork_finished(first, 1e6)
    assert later.spent_s >= 99.9
    assert later.next_fork(3) is None


def test_a_fork_that_was_begun_continues_as_it_began_and_ends_with_the_time() -> None:
    one, state = paced(limit_s=50.0)
    line: Any = {"kind": "fork", "fork": 7, "idle": AS_IS, "rounds": 4, "watch": True, "cells": ["c2", "c1", "gone"]}
    state.add_line(line)
    fork_task = one.next_fork(7)
    assert fork_task is not None
    assert ([cell.id for cell in fork_task.cells], fork_task.rounds, fork_task.watch) == (["c2", "c1"], 4, True)
    assert fork_task.until is not None
    assert fork_task.until <= time.monotonic() + 50.0


def test_what_is_left_out_takes_no_part(undecided_cells: set[str]) -> None:
    one, state = paced()
    state.cells.add("c0")
    state.stacks.add("a/z")
    assert cells_of(one, 0) == ["c1"]
    assert undecided_cells == {"c0", "c2"}
    assert cells_of(one, 3) is None


def test_processes_are_looked_at_once_in_each_condition_and_once_in_a_quick_run() -> None:
    for quick, watched in ((True, [True, False, False, False]), (False, [True, True, False, False])):
        one, _ = paced(quick=quick, conditions=(HELD, AS_IS))
        found = [fork_task for number in range(4) if (fork_task := one.next_fork(number)) is not None]
        assert [fork_task.watch for fork_task in found] == watched


def test_rounds_end_with_the_time_that_is_left() -> None:
    one, _ = paced(limit_s=50.0)
    fork_task = one.next_fork(1)
    assert fork_task is not None
    assert fork_task.until is not None
    assert fork_task.until <= time.monotonic() + 50.0


def test_what_is_left_is_learned_from_the_forks_that_are_over() -> None:
    planner, _ = paced(limit_s=None)
    first = planner.next_fork(0)
    assert first is not None
    planner.fork_finished(first, 100.0)
    assert planner.left_s(0) == pytest.approx(200.0)
    assert planner.left_s(2) == 0.0
    limited, _ = paced(limit_s=60.0)
    limited.fork_finished(first, 100.0)
    assert limited.left_s(0) <= 60.0
