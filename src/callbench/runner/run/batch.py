"""The stacks that are alive at the same time in a fork: start them, warm them up, drive them in rounds, end them."""

import random
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.drive.cell_task import CellTask
from callbench.runner.drive.knees import SearchTask
from callbench.runner.drive.prestart import PRESTART_COUNT, PrestartedStacks
from callbench.runner.drive.rounds import run_round
from callbench.runner.drive.running_stack import WrongAnswer
from callbench.runner.drive.scatter import PASSES
from callbench.runner.drive.slices import SLICE_SECONDS, Length, length_of, shorten
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.machine import batch_limits
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.warm_up import WarmUp
from callbench.runner.reference.echoes import Echo, EchoTask, echoes
from callbench.runner.reference.references import Reference, references
from callbench.runner.run.context import Context, ForkTask
from callbench.runner.run.failures import Failures
from callbench.runner.run.links import enter_link
from callbench.runner.warm.rehearsal import rehearse_units
from callbench.runner.warm.warming import Outcomes, warm_up_in_parallel, warm_up_of
from callbench.stats.load.rate import window_of
from callbench.store.lines.forks import BatchOverLine, UnsteadyLine
from callbench.store.lines.rounds import RoundSlices, SliceRecord, SliceSeen
from callbench.store.lines.starts import WarmedCell, WarmedLine

# A search halves its range in every step, so it ends long before this limit.
MOST_STEPS = 60
# Processes are closed in parallel, because each one waits for its own libraries and the kernel.
_PARALLEL_CLOSES = 64


class Batch:
    """The stacks that are alive at the same time.

    Attributes:
        tried: names of all units that were tried; the journal lists them as the units of the batch.
        warm_up_s: seconds in which runtimes that compile were warmed up and rehearsed; 0 if there are none.
    """

    def __init__(self, context: Context, fork_task: ForkTask, failures: Failures, exit_stack: ExitStack) -> None:
        """Create an empty batch; nothing is started."""
        self._context = context
        self._task = fork_task
        self._failures = failures
        self._hosts: dict[str, Hosts] = {}
        self._exit_stack = exit_stack
        self.tried: list[str] = []
        self.warm_up_s = 0.0
        self.units: dict[str, Unit] = {}
        # Names of the echoes and references that could not be started.
        self._unavailable: set[str] = set()
        # Pairs of adapter and channel that ran out of a resource. Another stack of such a pair would wait for nothing.
        self._exhausted: set[tuple[str, str]] = set()
        self._prestarted = PrestartedStacks(context.placement, self._hosts_of)
        self._cells: list[CellTask] = []
        self._echoes: list[EchoTask] = []
        self._references: list[Reference] = []
        self._searches: list[SearchTask] = []
        exit_stack.callback(self._close)

    def fill(self, waiting: Sequence[UnitRequest], *, limited: bool) -> None:
        """Start as many units as the machine can hold.

        Args:
            waiting: the units to start, in order.
            limited: whether resource limits apply. They do not if the same units were alive together before.
        """
        available_resources, used = batch_limits.available_resources(), batch_limits.Resources()
        with closing(self._prestarted):
            for place, request in enumerate(waiting):
                if limited and used.units and not available_resources.allows(used):
                    return
                if self._is_exhausted(request):
                    continue
                # Cold starts are measured, so nothing may start beside them.
                if used.units and not request.cold and available_resources.allows(used.with_more(PRESTART_COUNT)):
                    coming = waiting[place : place + PRESTART_COUNT]
                    self._prestarted.start(request for request in coming if not self._is_exhausted(request))
                used += self._start_one(request)

    def _start_one(self, request: UnitRequest) -> batch_limits.Resources:
        """Start one unit and warm it up if its runtime does not compile. Return the resources that it uses."""
        self.tried.append(request.name)
        # Start its echo first: if a resource is short, the echo is more important than one more stack.
        for echo in self._echoes_for(request.cells):
            self._instrument_runs(echo.stack, echo.cell)
        unit = self._start_unit(request)
        if unit is None:
            return batch_limits.Resources()
        self.units[request.name] = unit
        unit.start_idle_watch()
        took = batch_limits.resources_of(unit.pids)
        if not unit.compiles:
            self._cells += self._warm_unit(unit, {})
        return took

    def _is_exhausted(self, request: UnitRequest) -> bool:
        return (request.stack.adapter, request.stack.channel) in self._exhausted

    def prepare(self, rng: random.Random, *, chained: bool) -> None:
        """Start the echoes and warm up everything.

        If batches are compared across a fork, also start the reference stacks.
        """
        planned_units = self._planned_units()
        cells = [cell for unit in planned_units for cell in unit.request.cells]
        compiling = [unit for unit in planned_units if unit.compiles]
        began = time.monotonic()
        for unit in compiling:
            self._context.progress.show_warm_up(unit.request.stack.id)
        outcomes = warm_up_in_parallel(compiling, self._context.plan.wires, self._warm_up)
        for unit in planned_units:
            if unit.compiles:
                self._cells += self._warm_unit(unit, outcomes)
            self._searches += self._searches_for(unit)
        for echo in self._echoes_for(cells):
            if self._instrument_runs(echo.stack, echo.cell):
                self._echoes += [EchoTask(echo) for _ in range(echo.slices)]
        if chained:
            self._references = [
                reference
                for reference in references(self._context.catalogue)
                if self._instrument_runs(reference.unit, reference.cell)
            ]
        self._rehearse_units(rng)
        self.warm_up_s = time.monotonic() - began if compiling else 0.0
        for task in self._cells:
            task.reset_counts()
        for unit in self.units.values():
            unit.reset_counts()

    def _rehearse_units(self, rng: random.Random) -> None:
        """Rehearse the units that compile. A unit that fails is restarted and rehearsed again, or excluded."""
        names = {name for name, unit in self.units.items() if unit.compiles}
        while names:
            failures = rehearse_units(
                {name: self.units[name] for name in names}, self._cells, self._context.plan.wires, rng
            )
            for first in failures.values():
                self._slice_failed(*first)
            names = failures.keys() & self.units.keys()

    def _planned_units(self) -> list[Unit]:
        """Return the living units, without echoes and references."""
        return [unit for name, unit in self.units.items() if name in self.tried]

    def _echoes_for(self, cells: Sequence[Cell]) -> list[Echo]:
        context = self._context
        return echoes(cells, context.stacks, context.sizes, context.baselines, quick=context.quick)

    def _instrument_runs(self, name: str, cell: Cell) -> bool:
        """Return whether the unit of an echo or reference is alive; start it if needed."""
        if name in self.units or name in self._unavailable:
            return name in self.units
        stack = self._context.known[cell.stack]
        request = UnitRequest(name, stack, self._context.catalogue.programs(stack), (cell,), LOOPBACK, checks=())
        try:
            self.units[name] = unit = Unit(request, self._context.placement, LOOPBACK_HOSTS)
            unit.start_idle_watch()
        except (AdapterFailure, WrongAnswer) as failure:
            self._unavailable.add(name)
            self._context.note(f"{cell.stack} was not measured in fork {self._task.number}: {failure}")
            return False
        return True

    def _start_unit(self, request: UnitRequest) -> Unit | None:
        """Start a unit. Try again once if the first start fails."""
        self._context.progress.show_start(request.stack.id)
        while True:
            try:
                hosts = self._hosts_of(request.link)
                unit = Unit(request, self._context.placement, hosts, self._prestarted.take(request))
            except WrongAnswer as wrong:
                self._failures.exclude_wrong_answer(request, self._task.number, str(wrong))
                return None
            except AdapterFailure as failure:
                if failure.kind == "out-of-resources" and self._planned_units():
                    # Other living stacks use the resource; this stack gets its turn in a later batch.
                    self.tried.remove(request.name)
                    self._exhausted.add((request.stack.adapter, request.stack.channel))
                    return None
                if not self._failures.should_restart(request, self._task.number, failure):
                    return None
                continue
            self._context.write_start(self._task.number, unit)
            self._failures.exclude_unsupported(unit, self._task.number)
            return unit

    def _hosts_of(self, link: str) -> Hosts:
        """Return the hosts of a link. All stacks of a batch share them, because only one is driven at a time."""
        if link not in self._hosts:
            self._hosts[link] = enter_link(link, self._context.plan.wires, self._exit_stack)
        return self._hosts[link]

    def _warm_up(self, unit: Unit, cell: Cell) -> WarmUp | None:
        return unit.warm(cell, self._length(unit, cell)) if self._failures.allows(cell) else None

    def _length(self, unit: Unit, cell: Cell) -> Length:
        slow = bool(unit.request.stack.card.get("slow"))
        return length_of(cell.load, self._least_seconds(unit.request.stack), slow=slow)

    def _warm_unit(self, unit: Unit, outcomes: Outcomes) -> list[CellTask]:
        """Warm up every cell of a unit, and return the tasks of those that can be driven."""
        found: list[CellTask] = []
        self._context.progress.show_warm_up(unit.request.stack.id)
        for cell in unit.request.cells:
            if not self._failures.allows(cell):
                continue
            length = self._length(unit, cell)
            try:
                if (unit.name, cell.id) in outcomes:
                    warm = warm_up_of(outcomes[unit.name, cell.id])
                else:
                    warm = unit.warm(cell, length)
            except AdapterFailure as failure:
                self._failures.slice(unit, cell, self._task.number, failure)
                if unit.broken and not self._restart(unit):
                    return found
                unit = self.units.get(unit.name, unit)
                continue
            trial = self._context.plan.number(self._task.number, cell)
            if warm is not None:
                warmed = WarmedCell(warm_up=warm.pieces, warmed=warm.record(), unsteady=warm.not_steady)
                fork = self._task.number
                self._context.write(
                    WarmedLine(kind="warmed", fork=fork, start=unit.start, trial=trial, cell=cell.id, **warmed)
                )
            if not cell.whole:
                lead = unit.needs_lead(cell)
                length = shorten(length, cell.load, unit.call_s(cell))
                long_calls = self._context.long_calls
                task = CellTask(cell, unit.name, trial, length, self._schedule, lead=lead, long_calls=long_calls)
                found.append(task)
        return found

    def _searches_for(self, unit: Unit) -> list[SearchTask]:
        """Return the knee searches that this unit can run."""
        features = unit.running.sides.client.hello["features"]
        cells = {cell.id: cell for cell in unit.request.cells if self._failures.allows(cell)}
        every = self._context.searches.tasks(unit.name, cells, self._task.number, self._context.schedules)
        return [task for task in every if task.is_supported(features)]

    def search(self, rng: random.Random) -> None:
        """Run the searches, one step per round, until each has found its level."""
        for number in range(MOST_STEPS):
            self._searches = [task for task in self._searches if not task.over and task.unit in self.units]
            if not self._searches:
                return
            run_round(self._searches, self.units, number, rng, None, self._slice_failed, gaps=self._context.gaps)
            for task in self._searches:
                if task.result is not None:
                    self._context.write(task.result)

    def _least_seconds(self, stack: Stack) -> float:
        """Return the shortest slice for a stack, in seconds. Its card can ask for longer slices."""
        return max(SLICE_SECONDS, float(stack.card.get("slice_ms", 0)) / 1e3)

    def _schedule(self, cell: Cell, number: int) -> Path | None:
        return self._context.schedules.of(cell, self._task.number * 1000 + number)

    def watched_round(self, rng: random.Random, traffic: Traffic) -> RoundSlices:
        """Drive one round while the probes read the processes. It does not count for rates."""
        every, self._cells = self._cells, cells_to_watch(self._cells)
        for task in self._cells:
            task.set_probes(self._context.probes)
        result = self.round(0, rng, traffic, watched=True)
        for task in every:
            task.set_probes(())
        # A task that failed meanwhile is in neither list, because its cell is excluded.
        self._cells = [task for task in every if self._failures.allows(task.cell) and task.unit in self.units]
        return result

    def round(self, at: int, rng: random.Random, traffic: Traffic, *, watched: bool = False) -> RoundSlices:
        """Drive each task once, and the most scattered cells more often. Return what was driven."""
        for task in self._cells:
            task.begin_round()
        others: list[Task] = [*(() if watched else self._echoes), *self._references]
        slices = self._drive_once(at, self._cells, others, rng, traffic)
        if not watched:
            scatter = self._context.scatter[self._task.condition]
            most = scatter.most_scattered([task.cell.id for task in self._cells])
            for _ in range(PASSES):
                slices += self._drive_once(at, [task for task in self._cells if task.cell.id in most], (), rng, traffic)
            for task, result in slices:
                done = result["done"]
                scatter.add_slice(task.cell, self._task.number, window_of(done).per_s, done["elapsed_ns"] / 1e9)
        return RoundSlices(
            slices=[result for _, result in slices],
            echoes=[task.result for task in self._echoes if not watched and task.result is not None],
            references=[task.result for task in self._references if task.result is not None],
        )

    def void_round(self) -> None:
        """Forget the round that was driven last: it is driven again."""
        for task in self._cells:
            task.void_round()

    def _drive_once(
        self, at: int, cells: Sequence[CellTask], others: Sequence[Task], rng: random.Random, traffic: Traffic
    ) -> list[tuple[CellTask, SliceRecord]]:
        """Drive each task once. Return the results of the cells."""
        run_round(
            tasks=[*cells, *others],
            units=self.units,
            number=at,
            rng=rng,
            traffic=traffic,
            on_failure=self._slice_failed,
            on_slice=self._slice_done,
            gaps=self._context.gaps,
        )
        found = [(task, task.result) for task in cells if task.result is not None]
        self._context.slices += len(found)
        self._context.repeated += sum(len(result.get("repeated", ())) for _, result in found)
        return found

    def _slice_done(self, task: Task, result: SliceSeen) -> None:
        """Show a finished slice in the progress display."""
        if isinstance(task, CellTask):
            self._context.progress.show_slice(task.cell.id, result["done"])

    def echo_rates(self) -> dict[str, float]:
        """Return the echoes per second of the last round, by echo."""
        rates: dict[str, list[float]] = {}
        for task in self._echoes:
            if task.rate is not None:
                rates.setdefault(task.echo.key, []).append(task.rate)
        return {key: statistics.fmean(each) for key, each in rates.items()}

    def _slice_failed(self, task: Task, plan: SlicePlan, failure: AdapterFailure) -> None:
        """Handle a failed slice: exclude its cell after repeated failures, and restart a stack that died."""
        unit = self.units[task.unit]
        if isinstance(task, CellTask):
            self._failures.slice(unit, task.cell, self._task.number, failure)
            if not self._failures.allows(task.cell):
                self._cells.remove(task)
        elif isinstance(task, SearchTask):
            self._searches.remove(task)
            self._context.note(f"the search on {plan.cell.stack} in fork {self._task.number} ended early: {failure}")
        else:
            self._context.note(f"{plan.cell.stack} was not measured in a round of fork {self._task.number}: {failure}")
        if unit.broken:
            self._restart(unit)

    def _restart(self, unit: Unit) -> bool:
        """Restart a unit whose processes died. Return whether it is alive."""
        unit.close(at_once=True)
        del self.units[unit.name]
        self.tried.append(unit.name)
        restarted = self._start_unit(unit.request)
        if restarted is None:
            self._cells = [task for task in self._cells if task.unit != unit.name]
            return False
        restarted.start_idle_watch()
        restarted.reset_counts()
        self.units[unit.name] = restarted
        return True

    def write_end(self, number: int) -> None:
        """Write what the units used while idle, and which cells were not steady."""
        fork, units = self._task.number, [unit.record() for unit in self.units.values()]
        self._context.write(BatchOverLine(kind="batch over", fork=fork, batch=number, units=units))
        for task in self._cells:
            if task.unsteady:
                self._context.write(
                    UnsteadyLine(
                        kind="unsteady",
                        fork=fork,
                        batch=number,
                        stack=task.cell.stack,
                        trials=[task.trial],
                        why=task.unsteady,
                    )
                )

    def _close(self) -> None:
        # Close the spinning units first: they must be resumed, and then they would slow down the end of the others.
        for unit in self.units.values():
            if unit.spins:
                unit.close()
        with ThreadPoolExecutor(_PARALLEL_CLOSES) as pool:
            list(pool.map(Unit.close, (unit for unit in self.units.values() if not unit.spins)))


def cells_to_watch(tasks: Sequence[CellTask]) -> list[CellTask]:
    """Return the cells whose processes the probes read.

    With a single client in a closed loop on loopback, both sides take turns and nothing else limits them. Of such
    cells, one per unit is enough, for memory and threads.
    """
    found: dict[str, CellTask] = {}
    for task in tasks:
        load = task.cell.load
        serial = load.clients == 1 and not load.open and task.cell.link == LOOPBACK
        found.setdefault(task.unit if serial else task.cell.id, task)
    return list(found.values())
