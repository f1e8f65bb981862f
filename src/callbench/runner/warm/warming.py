"""Warm up stacks with compiling runtimes in parallel. One after another, this would be most of a run.

While a client waits for its answer, its processor is idle; the calls of one stack use about one processor. So as many
stacks are warmed up at once as there are processors, each on its own, plus all stacks that mostly wait for a link.
Nothing is measured meanwhile. Afterwards a rehearsal drives the stacks in turn before their slices count.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import SimpleQueue

from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.unit import Unit
from callbench.runner.measure.processor_time import threads_of
from callbench.runner.measure.warm_up import WarmUp
from callbench.stats.wire.link import Wires, round_trip_ns

# A stack with this round trip time leaves its processors to others.
WAITS_NS = 5_000_000
# Threads of the core that only wait: more than a batch has stacks.
_MOST = 64

Outcome = WarmUp | AdapterFailure | None
# The result or failure of each warm-up, by unit and cell.
Outcomes = Mapping[tuple[str, str], Outcome]
WarmUpCell = Callable[[Unit, Cell], WarmUp | None]
ShouldContinue = Callable[[], bool]
Work = Callable[[Unit, ShouldContinue], None]


def warm_up_in_parallel(units: Sequence[Unit], wires: Wires, warm_up_cell: WarmUpCell) -> Outcomes:
    """Warm up the cells of each unit in order, several units at once.

    A unit ends at its first failure; the caller decides how it continues.

    Args:
        units: living units that compile, none of them paused.
        wires: the definition of each link.
        warm_up_cell: warms up one cell of a unit.
    """
    outcomes: dict[tuple[str, str], Outcome] = {}

    def warm(unit: Unit, should_continue: ShouldContinue) -> None:
        for cell in unit.request.cells:
            if not should_continue():
                return
            try:
                outcomes[unit.name, cell.id] = warm_up_cell(unit, cell)
            except AdapterFailure as failure:
                outcomes[unit.name, cell.id] = failure
                return

    run_in_parallel(units, wires, warm)
    return outcomes


def run_in_parallel(units: Sequence[Unit], wires: Wires, work: Work) -> None:
    """Run the work of each unit in its own thread. Local units run at most one per processor.

    Args:
        units: living units.
        wires: the definition of each link.
        work: the work of a unit. It regularly asks whether to continue.

    Raises:
        Whatever `work` raises. All units then stop, and after Ctrl-C too.
    """
    free: SimpleQueue[int] = SimpleQueue()
    for processor in os.sched_getaffinity(0):
        free.put(processor)
    stopped = False

    def run_unit(unit: Unit) -> None:
        if round_trip_ns(wires.get(unit.request.link, {})) >= WAITS_NS:
            work(unit, lambda: not stopped)
            return
        processor = free.get()
        try:
            with on_one_processor(unit.pids, processor):
                work(unit, lambda: not stopped)
        finally:
            free.put(processor)

    pool = ThreadPoolExecutor(_MOST)
    try:
        for made in [pool.submit(run_unit, unit) for unit in units]:
            made.result()
    except BaseException:
        stopped = True
        # A call in progress may take a minute. Killing the process ends the thread that waits for it.
        for unit in units:
            unit.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def warm_up_of(outcome: Outcome) -> WarmUp | None:
    """Return the result of a warm-up.

    Raises:
        AdapterFailure: the failure that ended it.
    """
    if isinstance(outcome, AdapterFailure):
        raise outcome
    return outcome


# Client and server have a processor each and take turns. Of two such stacks that are warmed up at once, both often want
# the same one, and the other is idle: a third of the time, if turns are of random length. With a processor for each
# stack, none is ever idle. Nothing is measured meanwhile.
@contextmanager
def on_one_processor(pids: Collection[int], processor: int) -> Iterator[None]:
    """Keep all threads of processes on a processor, and put them back at the end.

    Processes that have several processors each stay where they are: their threads work at the same time.

    Args:
        pids: of all sides.
        processor: its number.
    """
    own: dict[int, set[int]] = {}
    for pid in pids:
        with suppress(OSError):
            own[pid] = os.sched_getaffinity(pid)
    if any(len(processors) > 1 for processors in own.values()):
        own = {}
    try:
        for pid in own:
            _place(pid, {processor})
        yield
    finally:
        for pid, processors in own.items():
            _place(pid, processors)


def _place(pid: int, processors: set[int]) -> None:
    """Place all threads of a process; those too that others of its threads start meanwhile."""
    placed: set[int] = set()
    while new := set(threads_of(pid)) - placed:
        for thread in new:
            # A thread or its process may have ended.
            with suppress(OSError):
                os.sched_setaffinity(thread, processors)
        placed |= new
