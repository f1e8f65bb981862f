"""Drive a cell in one piece on a start of its own, to see its effect on the processes."""

from contextlib import ExitStack

from callbench.analysis.judge.neighbours import disturbed_by
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.running_stack import BASIC_CHECKS, WrongAnswer
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.measure import measure_trial
from callbench.runner.measure.steadiness import compiler_report
from callbench.runner.run.context import Context
from callbench.runner.run.failures import Failures
from callbench.runner.run.links import enter_link
from callbench.store.head import now
from callbench.store.lines.rounds import RoundLine, SliceRecord
from callbench.store.lines.starts import WarmedLine


def drive_single(context: Context, fork: int, cell: Cell, failures: Failures) -> None:
    """Start a cell's stack for this cell alone, drive its whole load, and end it. Restart the stack if it dies.

    Raises:
        CallbenchError: the journal cannot be written.
    """
    stack = context.stacks[cell.stack]
    request = UnitRequest(
        cell.id, stack, context.catalogue.programs(stack), (cell,), cell.link, cold=True, checks=BASIC_CHECKS
    )
    context.progress.show_start(stack.id)
    while failures.allows(cell):
        try:
            with ExitStack() as alive:
                hosts = enter_link(cell.link, context.plan.wires, alive)
                unit = alive.enter_context(Unit(request, context.placement, hosts))
                context.write_start(fork, unit)
                failures.exclude_unsupported(unit, fork)
                if failures.allows(cell) and _drive(context, fork, cell, unit, failures):
                    return
        except WrongAnswer as wrong:
            failures.exclude_wrong_answer(request, fork, str(wrong))
        except AdapterFailure as failure:
            failures.should_restart(request, fork, failure)


def _drive(context: Context, fork: int, cell: Cell, unit: Unit, failures: Failures) -> bool:
    """Drive the load and write the result. Return whether it is done."""
    try:
        unit.connect(cell)
        warmed, seen = measure_trial(unit.running.sides, cell, context.probes, context.schedules.of(cell, fork))
    except AdapterFailure as failure:
        failures.slice(unit, cell, fork, failure)
        if unit.broken:
            unit.close(at_once=True)
        return False
    trial = context.plan.number(fork, cell)
    context.write(WarmedLine(kind="warmed", fork=fork, start=unit.start, trial=trial, cell=cell.id, **warmed))
    disturbed = disturbed_by(seen) or compiler_report(seen)
    whole = SliceRecord(trial=trial, cell=cell.id, watched=False, **seen, disturbed=disturbed)
    context.write(
        RoundLine(
            kind="round",
            fork=fork,
            batch=None,
            round=0,
            idle=cell.idle,
            started=now(),
            whole=True,
            slices=[whole],
            echoes=[],
            references=[],
        )
    )
    context.progress.show_round(fork, 0, [whole])
    return True
