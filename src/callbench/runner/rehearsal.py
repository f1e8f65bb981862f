"""Rounds that do not count, of each stack that compiles for itself, until its compiler is at work in few slices.

Cell after cell was driven until it was steady; driven in turn they are something else again for a compiler.
"""

import random
from collections.abc import Mapping, Sequence

from callbench.model.errors import AdapterFailure
from callbench.runner.cell_task import CellTask
from callbench.runner.rounds import one_round
from callbench.runner.tasks import Task, Turn
from callbench.runner.unit import Unit
from callbench.runner.warming import GoesOn, Wires, side_by_side

# A minute of rounds is enough for any compiler.
MOST_REHEARSALS = 30
# It is quiet after so many rounds in a row with no more than this share of slices in which it was at work.
QUIET_ROUNDS = 2
QUIET_SHARE = 0.25

# The task, its turn, and what failed; by unit.
Failures = dict[str, tuple[Task, Turn, AdapterFailure]]


def rehearsed(units: Mapping[str, Unit], cells: Sequence[CellTask], wires: Wires, dice: random.Random) -> Failures:
    """Rehearse several stacks at once.

    Args:
        units: those that compile, alive, by name.
        cells: of these units, and of others, which are passed over.
        wires: what the network lab makes for each link.
        dice: decide the orders.

    Returns:
        The first failure of each unit that had one; with it its rehearsal ended. To start a unit again is the caller's,
        and not for the thread that rehearses: what a thread starts ends with it.
    """
    own = {name: random.Random(dice.random()) for name in sorted(units)}  # noqa: S311 - an order, no secret
    failures: Failures = {}

    def failed(task: Task, turn: Turn, failure: AdapterFailure) -> None:
        failures.setdefault(task.unit, (task, turn, failure))

    def rehearse(unit: Unit, goes_on: GoesOn) -> None:
        tasks = [task for task in cells if task.unit == unit.name]
        quiet = number = 0
        while tasks and number < MOST_REHEARSALS and quiet < QUIET_ROUNDS and unit.name not in failures and goes_on():
            for task in tasks:
                task.counts_anew()
            one_round(tasks, {unit.name: unit}, number, own[unit.name], None, failed)
            compiled, slices = map(sum, zip(*(task.counted for task in tasks), strict=True))
            quiet = quiet + 1 if compiled <= QUIET_SHARE * slices else 0
            number += 1

    for unit in units.values():
        unit.counts_anew(warm=False)
    side_by_side(list(units.values()), wires, rehearse)
    return failures
