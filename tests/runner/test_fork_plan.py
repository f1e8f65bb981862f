"""How many forks and rounds a run makes: until nothing is open, or its time is over."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from callbench.model.cell import AS_IS, HELD, Cell, Load, Stack
from callbench.runner.plan import plan
from callbench.runner.plan.estimate import FEWEST
from callbench.runner.plan.fork_cost import ForkCost
from callbench.runner.run import fork_plan, round_pace
from callbench.runner.run.context import ForkTask
from callbench.runner.run.fork_plan import ForkPlanner
from callbench.runner.run.resume_state import ResumeState
from callbench.runner.run.round_pace import RoundPace
from callbench.runner.warm.worthwhile_rounds import worthwhile_rounds
from callbench.store.requested.run import RunLength

if TYPE_CHECKING:
    from callbench.runner.run.context import Context

STACKS = [Stack(f"a/{name}", "a", name, "tcp", "python", "", "") for name in "xyz"]
CELLS = [Cell(f"c{number}", "g", stack.id, "Sum", {}, Load(1, 10, 0.5)) for number, stack in enumerate(STACKS)]


class Clock:
    """Virtual time, in seconds."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Nothing here takes real time. A cell is foretold to take 2 s before the first round, and 1 s in a round."""
    clock = Clock()
    for module in (fork_plan, round_pace):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(fork_plan, "foretold", lambda cells, *_: ForkCost(2.0 * len(cells), 1.0 * len(cells)))
    return clock


@pytest.fixture
def undecided_cells(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The cells that something undecided rests on."""
    cells: set[str] = {"c0", "c2"}
    monkeypatch.setattr(fork_plan, "undecided_cells", lambda _run, _plan: cells)
    monkeypatch.setattr(fork_plan, "early_undecided_cells", lambda _run, _plan, _look: cells)
    return cells


def paced(
    *,
    limit_s: float | None = 3600.0,
    exact: bool = False,
    conditions: tuple[str, ...] = (AS_IS,),
    quick: bool = False,
    forks: int = 3,
    rounds: int = 10,
) -> tuple[ForkPlanner, ResumeState]:
    """The pacing of a run of three planned forks."""
    state = ResumeState()
    of = SimpleNamespace(
        run=None,
        catalogue=None,
        requested=SimpleNamespace(length=RunLength(rounds, limit_s, exact=exact), budget_s=None),
        resume_state=state,
        plan=plan.make_plan(CELLS, STACKS, forks, conditions),
        quick=quick,
    )
    return ForkPlanner(cast("Context", of)), state


def fork_over(state: ResumeState, fork_task: ForkTask, start_s: float, round_s: float, rounds: int) -> None:
    """Write down what a fork took."""
    number, cells = fork_task.number, [cell.id for cell in fork_task.cells]
    begun: Any = {"kind": "fork", "fork": number, "idle": fork_task.condition, "rounds": 1, "watch": False}
    state.add_line(begun | {"cells": cells})
    seconds = start_s + rounds * round_s
    state.add_line(
        {"kind": "fork over", "fork": number, "seconds": seconds, "start_s": start_s, "round_s": round_s},
    )


def simulate(
    clock: Clock, planner: ForkPlanner, state: ResumeState, start_s: float, round_s: float
) -> list[tuple[int, int]]:
    """Make all forks of a run in virtual time, given what they take with all cells. Return cells and rounds of each."""
    made: list[tuple[int, int]] = []
    while (fork_task := planner.next_fork(len(made))) is not None:
        share = len(fork_task.cells) / len(CELLS)
        clock.now += start_s * share
        pace = RoundPace(fork_task, exact=False, warm_up_s=start_s * share, start_s=start_s * share, share=1.0)
        number = 0
        while pace.another(number):
            clock.now += round_s * share
            pace.round_over(round_s * share)
            number += 1
        fork_over(state, fork_task, start_s * share, round_s * share, number)
        # Forks count what their own session spent; the clock has that already.
        state.fork_seconds = 0.0
        made.append((len(fork_task.cells), number))
    return made


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
    assert [fork_task.time is None for fork_task in found] == [True] * len(conditions) + [False] * len(conditions)


@pytest.mark.usefixtures("undecided_cells")
def test_no_fork_is_begun_for_which_there_is_no_time() -> None:
    one, state = paced(limit_s=1000.0)
    first = one.next_fork(0)
    assert first is not None
    # All cells: 800 s and two rounds of 200 s. The undecided two of three: 800 s of 1,100 that there are at most.
    fork_over(state, first, 800.0, 200.0, 0)
    assert cells_of(one, 1) is None, "nothing is known to be decided"
    assert cells_of(one, 3) == ["c0", "c2"]
    fork_over(state, first, 1000.0, 500.0, 0)
    assert one.next_fork(3) is None
    # What earlier sessions of the run spent counts.
    state.fork_seconds = 999.0
    later = ForkPlanner(one._context)
    assert later.spent_s >= 999.0
    fork_over(state, first, 120.0, 60.0, 0)
    assert later.next_fork(3) is None
    fork_over(state, first, 12.0, 6.0, 0)
    assert later.next_fork(3) is not None


@pytest.mark.usefixtures("undecided_cells")
@pytest.mark.parametrize("start_s", [5.0, 60.0, 130.0, 180.0, 250.0, 318.0, 400.0, 700.0])
@pytest.mark.parametrize(("round_s", "forks"), [(2.0, 5), (22.0, 2), (22.0, 5), (60.0, 5)])
def test_a_budget_is_kept(clock: Clock, start_s: float, round_s: float, forks: int) -> None:
    """Two forks at least are made wherever two of the least rounds fit, whatever a start and a round take."""
    one, state = paced(limit_s=900.0, forks=forks)
    began = clock.now
    made = simulate(clock, one, state, start_s, round_s)
    assert clock.now - began <= 1.1 * 900 or len(made) == 1
    assert len(made) >= 2 or 2 * (start_s + 2 * round_s) > 1.1 * 900
    assert all(rounds >= 2 for _, rounds in made)
    assert len(made) > 1 or made[0][1] == min(
        max(2, int((900 - start_s) / round_s)), worthwhile_rounds(10, start_s, round_s)
    )
    # And it is used: what is left has no room for another fork of what is undecided.
    assert clock.now - began + (2 / 3 if len(made) > 1 else 1) * (start_s + 2 * round_s) > 900


@pytest.mark.usefixtures("undecided_cells")
def test_what_is_decided_is_left_out_where_the_planned_forks_have_no_time_for_all(clock: Clock) -> None:
    one, state = paced(limit_s=900.0, forks=5)
    made = simulate(clock, one, state, 180.0, 22.0)
    cells, rounds = zip(*made, strict=True)
    assert cells[:2] == (3, 3)
    assert set(cells[2:]) == {2}
    assert max(rounds[:2]) < 10, "fewer rounds, so that more forks fit"
    whole, state = paced(limit_s=3600.0, forks=5)
    assert simulate(clock, whole, state, 60.0, 22.0)[:5] == [(3, 10)] * 5


@pytest.mark.usefixtures("undecided_cells")
def test_nothing_changes_for_a_run_whose_planned_forks_fit(clock: Clock) -> None:
    one, state = paced(limit_s=360.0, forks=8, rounds=3, quick=True)
    planner_forks = simulate(clock, one, state, 1.0, 5.0)
    assert planner_forks[:8] == [(3, 3)] * 8


def test_a_fork_that_was_begun_continues_as_it_began_and_ends_with_the_time(clock: Clock) -> None:
    one, state = paced(limit_s=50.0)
    line: Any = {"kind": "fork", "fork": 7, "idle": AS_IS, "rounds": 4, "watch": True, "cells": ["c2", "c1", "gone"]}
    state.add_line(line)
    fork_task = one.next_fork(7)
    assert fork_task is not None
    assert ([cell.id for cell in fork_task.cells], fork_task.rounds, fork_task.watch) == (["c2", "c1"], 4, True)
    assert fork_task.time is not None
    assert fork_task.time.ends == clock.now + 50.0


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


def test_what_is_left_is_learned_from_the_forks_that_are_over() -> None:
    planner, state = paced(limit_s=None, exact=True)
    first = planner.next_fork(0)
    assert first is not None
    fork_over(state, first, 50.0, 5.0, 10)
    assert planner.left_s(0) == pytest.approx(200.0)
    assert planner.left_s(2) == 0.0
    limited, state = paced(limit_s=60.0)
    fork_over(state, first, 50.0, 5.0, 10)
    assert limited.left_s(0) <= 60.0
