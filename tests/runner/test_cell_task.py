"""A cell is driven until it has enough: of a round that is driven again, nothing counts."""

from pathlib import Path
from typing import Any, cast

from callbench.model.cell import Cell, Load
from callbench.runner.drive.cell_task import CellTask
from callbench.runner.drive.slices import ENOUGH_SECONDS, Length


def no_schedule(_cell: Cell, _number: int) -> Path | None:
    return None


def drive_round(task: CellTask, number: int, seconds: float) -> bool:
    """Whether the task had a slice."""
    task.begin_round()
    plan = task.next_slice(number)
    if plan is None:
        return False
    task.add_slice(plan, cast("Any", {"done": {"calls": 3, "elapsed_ns": seconds * 1e9}}))
    return True


def test_a_round_that_is_driven_again_takes_nothing_from_a_cell() -> None:
    """Its slice made the cell's seconds full, so that the cell had none in the round that counted."""
    task = CellTask(Cell("c", "g", "s", "Sum", {}, Load(1, 1, 1.0)), "s", 1, Length(0.02, 4), no_schedule)
    assert drive_round(task, 0, ENOUGH_SECONDS / 2)
    assert drive_round(task, 1, ENOUGH_SECONDS / 2)
    task.void_round()
    assert task.compiled_slices == (0, 1)
    assert drive_round(task, 1, ENOUGH_SECONDS / 2)
    assert not drive_round(task, 2, ENOUGH_SECONDS / 2)
