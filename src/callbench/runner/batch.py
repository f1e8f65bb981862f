"""What is alive together in a fork: started, warmed up, driven in rounds, ended."""

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from callbench.adapter.network import made
from callbench.adapter.network.host import LOOPBACK_HOSTS, Hosts
from callbench.adapter.network.pair import LinkFailure
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner import batches
from callbench.runner.ahead import AHEAD, Ahead
from callbench.runner.cell_task import CellTask
from callbench.runner.context import Asked, Context
from callbench.runner.echoes import Echo, EchoTask, echoes
from callbench.runner.failures import Failures
from callbench.runner.knees import SearchTask
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.warm_up import WarmUp
from callbench.runner.references import Reference, references
from callbench.runner.rehearsal import rehearsed
from callbench.runner.rounds import one_round
from callbench.runner.scatter import PASSES
from callbench.runner.slices import SLICE_SECONDS, Length, length_of, shortened
from callbench.runner.tasks import Task, Turn
from callbench.runner.unit import Unit, Wanted
from callbench.runner.visit import AnsweredWrongly
from callbench.runner.warming import Outcomes, said, warmed_side_by_side
from callbench.stats.rate import window_of

# A search halves what it does not know in every step: it has ended long before.
MOST_STEPS = 60
# Processes end side by side: each waits for its own libraries, and for the kernel.
_ENDING_TOGETHER = 64


class Batch:
    """What is alive together."""

    def __init__(self, of: Context, asked: Asked, failures: Failures, owned: ExitStack) -> None:
        """Nothing is started."""
        self._of = of
        self._asked = asked
        self._failures = failures
        self._hosts: dict[str, Hosts] = {}
        self._owned = owned
        # Those whose turn it was: in the journal the units of the batch.
        self.tried: list[str] = []
        self.units: dict[str, Unit] = {}
        # Of the instrument's own: those that could not be started.
        self._cannot: set[str] = set()
        # Of which adapter and channel no more can be alive beside those that are: the next one would wait for nothing.
        self._short: set[tuple[str, str]] = set()
        self._ahead = Ahead(of.placement, self._hosts_of)
        self._cells: list[CellTask] = []
        self._echoes: list[EchoTask] = []
        self._references: list[Reference] = []
        self._searches: list[SearchTask] = []
        owned.callback(self._close)

    def fill(self, waiting: Sequence[Wanted], *, alone: bool) -> None:
        """Starts what there is room for.

        Args:
            waiting: in the order in which they are started.
            alone: whether the room decides; else all are started: they were together before.
        """
        room, taken = batches.room(), batches.Taken()
        with closing(self._ahead):
            for place, wanted in enumerate(waiting):
                if alone and taken.units and not room.holds(taken):
                    return
                if self._is_short(wanted):
                    continue
                # Cold starts are measured: nobody starts beside them.
                if taken.units and not wanted.cold and room.holds(taken.beside(AHEAD)):
                    coming = waiting[place : place + AHEAD]
                    self._ahead.start(one for one in coming if not self._is_short(one))
                taken += self._one_more(wanted)

    def _one_more(self, wanted: Wanted) -> batches.Taken:
        """Starts one unit, and warms it up where that needs no quiet. Gives what it takes."""
        self.tried.append(wanted.name)
        # Its echo first: where a resource is short, what a stack is told in comes before one stack more.
        for echo in self._echoes_of(wanted.cells):
            self._has_instrument(echo.stack, echo.cell)
        unit = self._started(wanted)
        if unit is None:
            return batches.Taken()
        self.units[wanted.name] = unit
        unit.settles()
        took = batches.taken_by(unit.pids)
        if not unit.compiles:
            self._cells += self._warmed(unit, {})
        return took

    def _is_short(self, wanted: Wanted) -> bool:
        return (wanted.stack.adapter, wanted.stack.channel) in self._short

    def prepare(self, dice: random.Random, *, chained: bool) -> None:
        """Starts the echoes and, where batches are chained, the references; warms everything up."""
        asked_for = self._asked_for()
        cells = [cell for unit in asked_for for cell in unit.wanted.cells]
        compiling = [unit for unit in asked_for if unit.compiles]
        for unit in compiling:
            self._of.progress.warms(unit.wanted.stack.id)
        outcomes = warmed_side_by_side(compiling, self._of.plan.wires, self._warm_up)
        for unit in asked_for:
            if unit.compiles:
                self._cells += self._warmed(unit, outcomes)
            self._searches += self._searched(unit)
        for echo in self._echoes_of(cells):
            if self._has_instrument(echo.stack, echo.cell):
                self._echoes.append(EchoTask(echo))
        if chained:
            self._references = [
                one for one in references(self._of.catalogue) if self._has_instrument(one.unit, one.cell)
            ]
        self._rehearse(dice)
        for task in self._cells:
            task.counts_anew()
        for unit in self.units.values():
            unit.counts_anew()

    def _rehearse(self, dice: random.Random) -> None:
        """Lets what compiles rehearse; what fails starts again, or is left out, and its unit begins anew."""
        names = {name for name, unit in self.units.items() if unit.compiles}
        while names:
            failures = rehearsed({name: self.units[name] for name in names}, self._cells, self._of.plan.wires, dice)
            for first in failures.values():
                self._failed(*first)
            names = failures.keys() & self.units.keys()

    def _asked_for(self) -> list[Unit]:
        """The units that are alive, without the instrument's own."""
        return [unit for name, unit in self.units.items() if name in self.tried]

    def _echoes_of(self, cells: Sequence[Cell]) -> list[Echo]:
        of = self._of
        return echoes(cells, of.stacks, of.sizes, of.floors, quick=of.quick)

    def _has_instrument(self, name: str, cell: Cell) -> bool:
        """Whether a unit that the instrument itself drives is alive, started where it was not."""
        if name in self.units or name in self._cannot:
            return name in self.units
        one = self._of.known[cell.stack]
        wanted = Wanted(name, one, self._of.catalogue.programs(one), (cell,), LOOPBACK, checks=())
        try:
            self.units[name] = unit = Unit(wanted, self._of.placement, LOOPBACK_HOSTS)
            unit.settles()
        except (AdapterFailure, AnsweredWrongly) as failure:
            self._cannot.add(name)
            self._of.note(f"{cell.stack} was not measured in fork {self._asked.number}: {failure}")
            return False
        return True

    def _started(self, wanted: Wanted) -> Unit | None:
        """Starts a unit, twice where the first start fails."""
        self._of.progress.starts(wanted.stack.id)
        while True:
            try:
                hosts = self._hosts_of(wanted.link)
                unit = Unit(wanted, self._of.placement, hosts, self._ahead.take(wanted))
            except LinkFailure as failure:
                self._failures.link(wanted, self._asked.number, str(failure))
                return None
            except AnsweredWrongly as wrong:
                self._failures.wrong(wanted, self._asked.number, str(wrong))
                return None
            except AdapterFailure as failure:
                if failure.kind == "out-of-resources" and self._asked_for():
                    # Others that are alive have them: it has its turn in a batch to come.
                    self.tried.remove(wanted.name)
                    self._short.add((wanted.stack.adapter, wanted.stack.channel))
                    return None
                if not self._failures.may_start_again(wanted, self._asked.number, failure):
                    return None
                continue
            unit.visit = self._of.next_visit()
            place = {"block": self._asked.number, "visit": unit.visit, "stack": wanted.stack.id}
            self._of.write({"kind": "visit", **place, "link": wanted.link, **unit.opened.record})
            self._failures.cannot(unit, self._asked.number)
            return unit

    def _hosts_of(self, link: str) -> Hosts:
        """The hosts of a link: all stacks of a batch share them, and one of them is driven at a time."""
        if link not in self._hosts:
            self._hosts[link] = self._owned.enter_context(made.made(link, self._of.plan.wires))
        return self._hosts[link]

    def _warm_up(self, unit: Unit, cell: Cell) -> WarmUp | None:
        return unit.warm(cell, self._length(unit, cell)) if self._failures.allows(cell) else None

    def _length(self, unit: Unit, cell: Cell) -> Length:
        slow = bool(unit.wanted.stack.card.get("slow"))
        return length_of(cell.load, self._least_s(unit.wanted.stack), slow=slow)

    def _warmed(self, unit: Unit, outcomes: Outcomes) -> list[CellTask]:
        """Warms up every cell of a unit that is not warm yet, and gives those that can be driven."""
        found: list[CellTask] = []
        self._of.progress.warms(unit.wanted.stack.id)
        for cell in unit.wanted.cells:
            if not self._failures.allows(cell):
                continue
            length = self._length(unit, cell)
            try:
                if (unit.name, cell.id) in outcomes:
                    warm = said(outcomes[unit.name, cell.id])
                else:
                    warm = unit.warm(cell, length)
            except AdapterFailure as failure:
                self._failures.slice(unit, cell, self._asked.number, failure)
                if unit.broken and not self._again(unit):
                    return found
                unit = self.units.get(unit.name, unit)
                continue
            trial = self._of.plan.number(self._asked.number, cell)
            if warm is not None:
                how = {"warm_up": warm.pieces, "warmed": warm.record(), "unsteady": warm.not_steady}
                place = {"block": self._asked.number, "visit": unit.visit, "trial": trial, "cell": cell.id}
                self._of.write({"kind": "warmed", **place, **how})
            if not cell.whole:
                lead = unit.needs_lead(cell)
                length = shortened(length, cell.load, unit.call_s(cell))
                found.append(CellTask(cell, unit.name, trial, length, self._schedule, lead=lead))
        return found

    def _searched(self, unit: Unit) -> list[SearchTask]:
        """The searches that a unit is alive for."""
        features = unit.opened.sides.client.hello["features"]
        cells = {cell.id: cell for cell in unit.wanted.cells if self._failures.allows(cell)}
        every = self._of.searches.tasks(unit.name, cells, self._asked.number, self._of.schedules)
        return [task for task in every if task.can(features)]

    def search(self, dice: random.Random) -> None:
        """Goes on with the searches, a step a round, until each has found its level."""
        for number in range(MOST_STEPS):
            self._searches = [task for task in self._searches if not task.over and task.unit in self.units]
            if not self._searches:
                return
            one_round(self._searches, self.units, number, dice, None, self._failed, gaps=self._of.gaps)
            for task in self._searches:
                if task.made is not None:
                    self._of.write(task.made)

    def _least_s(self, stack: Stack) -> float:
        """The least length of a slice: the card's, where the stack was found to need longer ones."""
        return max(SLICE_SECONDS, float(stack.card.get("slice_ms", 0)) / 1e3)

    def _schedule(self, cell: Cell, number: int) -> Path | None:
        return self._of.schedules.of(cell, self._asked.number * 1000 + number)

    def watched_round(self, dice: random.Random, traffic: Traffic, line: Mapping[str, Any]) -> None:
        """A round in which the probes watch: it tells what sides took, and counts for no rate."""
        every, self._cells = self._cells, worth_watching(self._cells)
        for task in self._cells:
            task.watched_by(self._of.probes)
        made = self.round(0, dice, traffic, watched=True)
        for task in every:
            task.watched_by(())
        # Who failed meanwhile has left the shorter list, and is left out of the longer one by its failure.
        self._cells = [task for task in every if self._failures.allows(task.cell) and task.unit in self.units]
        self._of.write({**line, **made})

    def round(self, at: int, dice: random.Random, traffic: Traffic, *, watched: bool = False) -> dict[str, Any]:
        """Drives a round: all once, and those that scatter most again. Gives what the journal has of it."""
        beside: list[Task] = [*(() if watched else self._echoes), *self._references]
        slices = self._pass(at, self._cells, beside, dice, traffic)
        if not watched:
            scatter = self._of.scatter[self._asked.condition]
            most = scatter.most([task.cell.id for task in self._cells])
            for _ in range(PASSES):
                slices += self._pass(at, [task for task in self._cells if task.cell.id in most], (), dice, traffic)
            for task, made in slices:
                done = made["done"]
                scatter.takes(task.cell, self._asked.number, window_of(done).per_s, done["elapsed_ns"] / 1e9)
        return {
            "slices": [made for _, made in slices],
            "echoes": [task.made for task in self._echoes if not watched and task.made is not None],
            "references": [task.made for task in self._references if task.made is not None],
        }

    def _pass(
        self, at: int, cells: Sequence[CellTask], beside: Sequence[Task], dice: random.Random, traffic: Traffic
    ) -> list[tuple[CellTask, dict[str, Any]]]:
        """Drives tasks once each. Gives the slices of cells."""
        one_round([*cells, *beside], self.units, at, dice, traffic, self._failed, self._made, gaps=self._of.gaps)
        found = [(task, task.made) for task in cells if task.made is not None]
        self._of.slices += len(found)
        self._of.aside += sum(len(made.get("aside", ())) for _, made in found)
        return found

    def _made(self, task: Task, made: Mapping[str, Any]) -> None:
        """A slice is over: whoever watches the run sees it."""
        if isinstance(task, CellTask):
            self._of.progress.slice_ends(task.cell.id, made["done"])

    def echo_rates(self) -> dict[str, float]:
        """Echoes a second of the last round, by echo."""
        return {task.echo.key: rate for task in self._echoes if (rate := task.rate) is not None}

    def _failed(self, task: Task, turn: Turn, failure: AdapterFailure) -> None:
        """A slice could not be made: its cell is left out where it fails again, and a stack that died starts anew."""
        unit = self.units[task.unit]
        if isinstance(task, CellTask):
            self._failures.slice(unit, task.cell, self._asked.number, failure)
            if not self._failures.allows(task.cell):
                self._cells.remove(task)
        elif isinstance(task, SearchTask):
            self._searches.remove(task)
            self._of.note(f"the search on {turn.cell.stack} in fork {self._asked.number} broke off: {failure}")
        else:
            self._of.note(f"{turn.cell.stack} was not measured in a round of fork {self._asked.number}: {failure}")
        if unit.broken:
            self._again(unit)

    def _again(self, unit: Unit) -> bool:
        """Starts a unit again whose processes died. Gives whether it is alive."""
        unit.close(at_once=True)
        del self.units[unit.name]
        self.tried.append(unit.name)
        again = self._started(unit.wanted)
        if again is None:
            self._cells = [task for task in self._cells if task.unit != unit.name]
            return False
        again.settles()
        again.counts_anew()
        self.units[unit.name] = again
        return True

    def ends(self, number: int) -> None:
        """Its rounds are over: what its units did while they were not driven, and which were not steady after all."""
        place = {"fork": self._asked.number, "batch": number}
        self._of.write({"kind": "batch over", **place, "units": [unit.record() for unit in self.units.values()]})
        for task in self._cells:
            if task.unsteady:
                why = {"stack": task.cell.stack, "trials": [task.trial], "why": task.unsteady}
                self._of.write({"kind": "unsteady", **place, **why})

    def _close(self) -> None:
        # What spins goes on before it can end, and would keep all others from ending meanwhile.
        for unit in self.units.values():
            if unit.spins:
                unit.close()
        with ThreadPoolExecutor(_ENDING_TOGETHER) as pool:
            list(pool.map(Unit.close, (unit for unit in self.units.values() if not unit.spins)))


def worth_watching(tasks: Sequence[CellTask]) -> list[CellTask]:
    """The cells whose sides are looked at while they are driven.

    Where one client calls, and calls again when it is answered, sides take turns, and nothing limits them but each
    other: of these cells one a unit is looked at, for its memory and its threads.
    """
    found: dict[str, CellTask] = {}
    for task in tasks:
        load = task.cell.load
        serial = load.clients == 1 and not load.open and task.cell.link == LOOPBACK
        found.setdefault(task.unit if serial else task.cell.id, task)
    return list(found.values())
