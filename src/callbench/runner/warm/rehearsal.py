"""Rounds that do not count, for stacks that compile while they run, until their compiler is mostly idle.

Warm-up drives one cell after the other until it is steady. Driving the cells in turn is something new for a compiler.
"""

import random
import time
from collections.abc import Mapping, Sequence

from callbench.model.errors import AdapterFailure
from callbench.runner.drive.cell_task import CellTask
from callbench.runner.drive.rounds import run_round
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit
from callbench.runner.machine.idle_processes import ran_ns
from callbench.runner.warm.warming import ShouldContinue, run_in_parallel
from callbench.stats.wire.link import Wires

# A rehearsal ends after so many seconds, whatever the compiler does. Calls in turn may make it compile anew what it
# compiled for each cell alone: HotSpot was seen to need up to 11 s for that.
MOST_REHEARSAL_S = 20.0
# It ends after so many seconds of processor time of both sides too: compilers count calls, and neither the time between
# slices nor that of other programs. A stack that shared two processors with another used about as many in the 20 s.
MOST_RAN_S = 7.0
# The rehearsal ends after so many rounds in a row in which the compiler was active in at most this share of slices.
QUIET_ROUNDS = 3
QUIET_SHARE = 0.25

# By unit: the task, its slice, and the failure.
Failures = dict[str, tuple[Task, SlicePlan, AdapterFailure]]


def rehearse_units(units: Mapping[str, Unit], cells: Sequence[CellTask], wires: Wires, rng: random.Random) -> Failures:
    """Rehearse several units at once.

    Args:
        units: living units that compile, by name.
        cells: cells of these units; cells of other units are ignored.
        wires: the definition of each link.
        rng: decides the orders.

    Returns:
        The first failure of each unit that failed; it ends the unit's rehearsal. The caller must restart the unit,
        because processes end with the thread that starts them.
    """
    own = {name: random.Random(rng.random()) for name in sorted(units)}  # noqa: S311 - an order, no secret
    failures: Failures = {}

    def failed(task: Task, plan: SlicePlan, failure: AdapterFailure) -> None:
        failures.setdefault(task.unit, (task, plan, failure))

    def rehearse(unit: Unit, should_continue: ShouldContinue) -> None:
        tasks = [task for task in cells if task.unit == unit.name]
        quiet = number = 0
        ran_before_ns = ran_ns(unit.pids)
        began = time.monotonic()
        while (
            tasks
            and time.monotonic() - began < MOST_REHEARSAL_S
            and ran_ns(unit.pids) - ran_before_ns < MOST_RAN_S * 1e9
            and quiet < QUIET_ROUNDS
            and unit.name not in failures
            and should_continue()
        ):
            for task in tasks:
                task.rehearse()
            run_round(tasks, {unit.name: unit}, number, own[unit.name], None, failed)
            compiled, slices = map(sum, zip(*(task.compiled_slices for task in tasks), strict=True))
            quiet = quiet + 1 if compiled <= QUIET_SHARE * slices else 0
            number += 1

    for unit in units.values():
        unit.reset_counts(warm=False)
    run_in_parallel(list(units.values()), wires, rehearse)
    return failures
