"""A cell that is driven in one piece, on a start of its own: what it does to its processes is looked for."""

from callbench.adapter.network import made
from callbench.adapter.network.pair import LinkFailure
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.context import Context
from callbench.runner.failures import Failures
from callbench.runner.measure import measured
from callbench.runner.measure.neighbours import spoiled_by
from callbench.runner.measure.steadiness import compiled
from callbench.runner.slices import lean
from callbench.runner.unit import Unit, Wanted
from callbench.runner.visit import ALWAYS, AnsweredWrongly
from callbench.store.head import now


def drive_whole(of: Context, fork: int, cell: Cell, failures: Failures) -> None:
    """Start a cell's stack for it alone, drive all of its load, and end it; started again where it dies.

    Raises:
        CallbenchError: the journal cannot be written.
    """
    stack = of.stacks[cell.stack]
    wanted = Wanted(cell.id, stack, of.catalogue.programs(stack), (cell,), cell.link, cold=True, checks=ALWAYS)
    of.progress.starts(stack.id)
    while failures.allows(cell):
        try:
            with made.made(cell.link, of.plan.wires) as hosts, Unit(wanted, of.placement, hosts) as unit:
                unit.visit = of.next_visit()
                place = {"block": fork, "visit": unit.visit, "stack": stack.id, "link": cell.link}
                of.write({"kind": "visit", **place, **unit.opened.record})
                failures.cannot(unit, fork)
                if failures.allows(cell) and _driven(of, fork, cell, unit, failures):
                    return
        except LinkFailure as failure:
            failures.link(wanted, fork, str(failure))
        except AnsweredWrongly as wrong:
            failures.wrong(wanted, fork, str(wrong))
        except AdapterFailure as failure:
            failures.may_start_again(wanted, fork, failure)


def _driven(of: Context, fork: int, cell: Cell, unit: Unit, failures: Failures) -> bool:
    """Drive the load and write it down. Gives whether it is done."""
    try:
        unit.connect(cell)
        found = measured(unit.opened.sides, cell, of.probes, of.schedules.of(cell, fork))
    except AdapterFailure as failure:
        failures.slice(unit, cell, fork, failure)
        if unit.broken:
            unit.close(at_once=True)
        return False
    trial = of.plan.number(fork, cell)
    warm = {name: found.pop(name) for name in ("warm_up", "warmed", "unsteady")}
    of.write({"kind": "warmed", "block": fork, "visit": unit.visit, "trial": trial, "cell": cell.id, **warm})
    spoiled = spoiled_by(found) or compiled(found)
    made = {"trial": trial, "cell": cell.id, "watched": False, **found, "done": lean(found["done"]), "spoiled": spoiled}
    place = {"fork": fork, "batch": None, "round": 0, "idle": cell.idle, "started": now()}
    of.write({"kind": "round", **place, "whole": True, "slices": [made], "echoes": [], "references": []})
    of.progress.round_ends(fork, 0, [made])
    return True
