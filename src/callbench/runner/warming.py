"""Stacks whose runtimes compile are warmed up side by side: one after another, that would be most of a run.

While a client waits for its answer its processor is idle, and the calls of one stack keep about one processor busy. So
as many stacks are warmed up at the same time as there are processors, and all of those that mostly wait for a link
beside them. Nothing is measured meanwhile. What is steady so is driven in turn once more before its slices count.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from threading import Semaphore
from typing import Any

from callbench.catalog.links.wire import round_trip_ns
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.warm_up import WarmUp
from callbench.runner.unit import Unit

# A stack whose calls wait so long for their link leaves its processors to others.
WAITS_NS = 5_000_000
# Threads of the core, which wait: more than a batch has stacks.
_MOST = 64

Outcome = WarmUp | AdapterFailure | None
# How each cell's warm-up went, or what failed; by unit and cell.
Outcomes = Mapping[tuple[str, str], Outcome]
Warms = Callable[[Unit, Cell], WarmUp | None]
GoesOn = Callable[[], bool]
Work = Callable[[Unit, GoesOn], None]
Wires = Mapping[str, Mapping[str, Any]]


def warmed_side_by_side(units: Sequence[Unit], wires: Wires, warms: Warms) -> Outcomes:
    """Warm up the cells of each unit in their order, several units at once.

    A unit ends with its first failure: whoever reads the outcomes decides how it goes on.

    Args:
        units: those that compile, alive, none stopped.
        wires: what the network lab makes for each link.
        warms: warms up one cell of a unit.
    """
    outcomes: dict[tuple[str, str], Outcome] = {}

    def warm(unit: Unit, goes_on: GoesOn) -> None:
        for cell in unit.wanted.cells:
            if not goes_on():
                return
            try:
                outcomes[unit.name, cell.id] = warms(unit, cell)
            except AdapterFailure as failure:
                outcomes[unit.name, cell.id] = failure
                return

    side_by_side(units, wires, warm)
    return outcomes


def side_by_side(units: Sequence[Unit], wires: Wires, work: Work) -> None:
    """Let each unit work in a thread of its own, as many near ones at once as there are processors.

    Args:
        units: alive.
        wires: what the network lab makes for each link.
        work: what a unit does; it asks now and then whether it is to go on.

    Raises:
        Whatever `work` raises; then, and where a person breaks off, none goes on.
    """
    processors = Semaphore(len(os.sched_getaffinity(0)))
    broken_off = False

    def in_its_place(unit: Unit) -> None:
        wire = wires.get(unit.wanted.link, {})
        place: AbstractContextManager[Any] = nullcontext() if round_trip_ns(wire) >= WAITS_NS else processors
        with place:
            work(unit, lambda: not broken_off)

    pool = ThreadPoolExecutor(_MOST)
    try:
        for made in [pool.submit(in_its_place, unit) for unit in units]:
            made.result()
    except BaseException:
        broken_off = True
        # What is under way may take a minute: a thread that waits for an answer ends with the process that owes it.
        for unit in units:
            unit.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def said(outcome: Outcome) -> WarmUp | None:
    """Give how a warm-up went.

    Raises:
        AdapterFailure: the one that ended it.
    """
    if isinstance(outcome, AdapterFailure):
        raise outcome
    return outcome
