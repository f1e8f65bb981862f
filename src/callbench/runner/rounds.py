"""A round: every task once, in random order, each for one slice; whoever is not driven keeps still."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.runner.away import undisturbed
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.witness import GapDetector
from callbench.runner.slices import driven
from callbench.runner.tasks import Task, Turn
from callbench.runner.unit import Unit

# Before a slice that counts, what was stopped or has slept makes so many calls for so long: caches and wakes again.
LEAD_SECONDS = 0.001
# Told what failed; says whether the unit was brought back, so that others can go on with it.
Failed = Callable[[Task, Turn, AdapterFailure], None]
Over = Callable[[Task, Mapping[str, Any]], None]


def one_round(  # noqa: PLR0913, PLR0917 - who, in which order, and who is told
    tasks: Sequence[Task],
    units: Mapping[str, Unit],
    number: int,
    dice: random.Random,
    traffic: Traffic | None,
    failed: Failed,
    over: Over | None = None,
    *,
    gaps: GapDetector | None = None,
) -> int:
    """Drive every task once. Gives how many slices were made.

    Args:
        tasks: in any order.
        units: alive, by name; a task whose unit is gone is passed over.
        number: of the round, from 0.
        dice: decide the order.
        traffic: reads what links carry.
        failed: told of each slice that could not be made.
        over: told of each that was.
        gaps: watches the machine beside each slice.
    """
    made = 0
    for task in dice.sample(tasks, len(tasks)):
        turn = task.turn(number) if task.unit in units else None
        if turn is None:
            continue
        try:
            found = one_slice(units[task.unit], turn, traffic, gaps)
        except AdapterFailure as failure:
            failed(task, turn, failure)
            continue
        task.took(turn, found)
        if over is not None:
            over(task, found)
        made += 1
    return made


def one_slice(unit: Unit, turn: Turn, traffic: Traffic | None, gaps: GapDetector | None = None) -> dict[str, Any]:
    """Drive one slice on a unit that is awake for it alone; again where the machine was away meanwhile.

    Raises:
        AdapterFailure: a side failed.
    """
    thawed_ns = unit.wakes()
    try:
        clients = unit.connect(turn.cell)
        if turn.lead:
            unit.lead_in(turn.cell, clients, LEAD_SECONDS)

        def drive() -> dict[str, Any]:
            return driven(
                unit.opened.sides,
                turn.cell,
                turn.length,
                clients=clients,
                schedule=turn.schedule,
                burn_ns=turn.burn_ns,
                probes=turn.probes,
                traffic=traffic,
            )

        # Probes watch the machine themselves, and what they watch counts for no rate.
        found = undisturbed(drive, None if turn.probes else gaps)
    except CallbenchError as failure:
        # A wrong answer of a stack that is held against its own first one is a failure of the cell.
        if isinstance(failure, AdapterFailure):
            raise
        raise AdapterFailure("wrong-answer", str(failure)) from failure
    finally:
        unit.rests()
    unit.drove(found["done"]["elapsed_ns"])
    beside = {"thawed_ns": thawed_ns, "compiler_ns": unit.compiler_ns if unit.compiles else 0}
    return found | {name: value for name, value in beside.items() if value}
