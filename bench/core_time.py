"""The processor time of the core while a slice runs. Goal: less than 1 % of a processor.

Native stacks alive together are driven in rounds as in a run, with the moving table where there is a terminal; the
core's own processor time is read whenever it begins and ends to wait for the answer of a drive. What it does between
two slices is no part of a slice.
"""

import random
import select
import time
from contextlib import ExitStack
from typing import Any

from callbench.adapter import placement
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.catalog import catalogue
from callbench.model.cell import Cell, Load
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.cell_task import CellTask
from callbench.runner.drive.rounds import run_round
from callbench.runner.drive.slices import length_of
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.live.progress import Progress
from callbench.runner.plan.plan import make_plan

MESSAGES, CHANNELS = ("soap", "json", "bin"), ("tcp", "unix", "shm", "http-keepalive")
ROUNDS = 40
ASKED = 0.01


class _Waits:
    """Stands where the core waits: counts its processor time while it does."""

    def __init__(self) -> None:
        self.waited_ns = self.own_ns = 0
        self._select = select.select

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 - whatever select takes and gives
        began, own = time.monotonic_ns(), time.process_time_ns()
        try:
            return self._select(*arguments)
        finally:
            self.waited_ns += time.monotonic_ns() - began
            self.own_ns += time.process_time_ns() - own


def main() -> None:
    """Print the share."""
    known = catalogue.load()
    names = [f"native/{message}+{channel}" for message in MESSAGES for channel in CHANNELS]
    stacks = [stack for stack in known.stacks if stack.id in names]
    cells = [
        Cell(f"c{number:03d}", "GetPersons", stack.id, "GetPersons", {"n": 10}, Load(1, 1, 1.0))
        for number, stack in enumerate(stacks)
    ]
    plan, progress = make_plan(cells, stacks, 1), Progress()
    waits = _Waits()
    with ExitStack() as owned:
        units: dict[str, Unit] = {}
        tasks: list[Task] = []
        for cell, stack in zip(plan.cells, stacks, strict=True):
            wanted = UnitRequest(stack.id, stack, known.programs(stack), (cell,), cell.link)
            units[stack.id] = owned.enter_context(Unit(wanted, placement.choose_placement(), LOOPBACK_HOSTS))
            units[stack.id].start_idle_watch()
            tasks.append(CellTask(cell, stack.id, 0, length_of(cell.load), lambda *_: None))
        owned.enter_context(progress)
        progress.show_plan(plan)

        def over(task: Task, found: Any) -> None:  # noqa: ANN401 - a slice
            progress.show_slice(task.cell.id, found["done"])  # type: ignore[attr-defined]

        select.select = waits
        for number in range(ROUNDS):
            dice = random.Random(number)  # noqa: S311 - an order to be repeated
            run_round(tasks, units, number, dice, None, _failed, over)
    share = waits.own_ns / waits.waited_ns
    asked = f"asked: under {100 * ASKED:.0f} %"
    print(f"{ROUNDS * len(tasks)} slices: the core takes {100 * share:.2f} % of a processor meanwhile ({asked})")


def _failed(task: Task, turn: SlicePlan, failure: AdapterFailure) -> None:  # noqa: ARG001 - the interface
    raise failure


if __name__ == "__main__":
    main()
