"""A round: drive every task once in random order, each for one slice, while the other stacks are idle."""

import random
from collections.abc import Callable, Mapping, Sequence

from callbench.model.errors import AdapterFailure, CallbenchError, HostLost
from callbench.runner.drive.slices import drive_slice
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit
from callbench.runner.machine.host_absence import drive_undisturbed
from callbench.runner.measure.host_monitor import GapDetector
from callbench.runner.measure.traffic import Traffic
from callbench.store.lines.rounds import SliceSeen

# Before a slice that counts, calls are made for so many seconds: they fill caches and wake what slept.
LEAD_SECONDS = 0.001
# Called with each failure; it restarts the unit if possible, so that other tasks can continue.
OnFailure = Callable[[Task, SlicePlan, AdapterFailure], None]
OnSlice = Callable[[Task, SliceSeen], None]


def run_round(  # noqa: PLR0913, PLR0917 - the tasks, their order, and who is notified
    tasks: Sequence[Task],
    units: Mapping[str, Unit],
    number: int,
    rng: random.Random,
    traffic: Traffic | None,
    on_failure: OnFailure,
    on_slice: OnSlice | None = None,
    *,
    gaps: GapDetector | None = None,
) -> int:
    """Drive every task once. Return the number of slices.

    Args:
        tasks: in any order.
        units: living units by name; tasks without a living unit are skipped.
        number: of the round, from 0.
        rng: decides the order.
        traffic: reads what the links carry.
        on_failure: called with each slice that failed.
        on_slice: called with each finished slice.
        gaps: detects whether the host took the processors away during a slice.
    """
    made = 0
    for task in rng.sample(tasks, len(tasks)):
        plan = task.next_slice(number) if task.unit in units else None
        if plan is None:
            continue
        try:
            result = run_slice(units[task.unit], plan, traffic, gaps)
        except AdapterFailure as failure:
            on_failure(task, plan, failure)
            continue
        task.add_slice(plan, result)
        if on_slice is not None:
            on_slice(task, result)
        made += 1
    return made


def run_slice(unit: Unit, plan: SlicePlan, traffic: Traffic | None, gaps: GapDetector | None = None) -> SliceSeen:
    """Resume a unit, drive one slice on it, and pause it. Repeat the slice if the host took the processors away.

    Raises:
        AdapterFailure: a side failed.
    """
    resume_ns = unit.wake()
    try:
        clients = unit.connect(plan.cell)
        if plan.lead:
            unit.lead_in(plan.cell, clients, LEAD_SECONDS)

        def drive() -> SliceSeen:
            return drive_slice(
                unit.running.sides,
                plan.cell,
                plan.length,
                clients=clients,
                schedule=plan.schedule,
                burn_ns=plan.burn_ns,
                probes=plan.probes,
                traffic=traffic,
            )

        # Probes detect lost processors themselves, and watched slices do not count for rates. What happens to the
        # processors of this machine says nothing of those of hosts.
        watched = plan.probes or unit.running.sides.client.host.elsewhere
        result = drive_undisturbed(drive, None if watched else gaps)
    except CallbenchError as failure:
        # Some stacks are compared with their own first answer. A different answer is a failure of the cell.
        if isinstance(failure, (AdapterFailure, HostLost)):
            raise
        raise AdapterFailure("wrong-answer", str(failure)) from failure
    finally:
        unit.pause()
    unit.add_driven_time(result["done"]["elapsed_ns"])
    if resume_ns:
        result["resume_ns"] = resume_ns
    if unit.compiles and unit.compiler_ns:
        result["compiler_ns"] = unit.compiler_ns
    return result
