"""A fork of a comparison: start both candidates and the raw echo, and drive them in rounds of slices."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic

from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.placement import Placement
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.compare.operands import Candidate
from callbench.runner.drive.rounds import run_round, run_slice
from callbench.runner.drive.running_stack import BASIC_CHECKS, WrongAnswer
from callbench.runner.drive.slices import SLICE_SECONDS, Length, length_of
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.drive.unit import Unit, UnitRequest
from callbench.runner.measure.host_monitor import GapDetector
from callbench.runner.reference.echoes import REFERENCE_BYTES, Echo, EchoTask, MachineState
from callbench.stats.estimate.histogram import merged
from callbench.stats.load.rate import window_of
from callbench.store.lines.comparison import DrivenSlice, MetCell, MetRecord, Side
from callbench.store.lines.rounds import SliceSeen

SIDES: tuple[Side, Side] = (0, 1)
_UNIT_NAMES = ("A", "B")
Pair = tuple[Candidate, Candidate]
Cells = tuple[Cell, Cell]
# A cell whose calls are too few for its p99 is driven for so many times its seconds at most.
MOST_TIMES = 4


@dataclass(frozen=True)
class Amount:
    """How much of each cell a fork drives.

    Attributes:
        seconds: both sides together.
        calls: of each side, as far as they fit into `MOST_TIMES` the seconds.
    """

    seconds: float
    calls: int = 0


# Returns it from the seconds of the fork's start.
AmountOf = Callable[[float], Amount]


class SideFailure(AdapterFailure):
    """A part of a comparison failed; the sentence names it.

    Attributes:
        whys: what happened to A, to B or to both, by side; empty if the raw echo failed, which is no candidate.
    """

    def __init__(self, kind: str, whys: Mapping[str, str]) -> None:
        """Keep what happened, by unit."""
        super().__init__(kind, said_of_sides(whys))
        self.whys = {unit: why for unit, why in whys.items() if unit in _UNIT_NAMES}


def said_of_sides(whys: Mapping[str, str]) -> str:
    """Say what happened, of each side by its letter: both may be the same stack."""
    return "; ".join(f"{side}: {why}" for side, why in sorted(whys.items()))


@dataclass(frozen=True)
class ReferenceEcho:
    """The raw echo of every round."""

    stack: Stack
    programs: Programs

    @property
    def echo(self) -> Echo:
        """The echo to drive."""
        return Echo(self.stack.id, {}, REFERENCE_BYTES, REFERENCE_BYTES, ())


@dataclass(frozen=True)
class ComparisonTask:
    """What a fork compares.

    Attributes:
        cells: the same on both sides, except for the stack.
        reference_echo: None if it cannot run.
        first: whether to verify everything; later forks verify less.
        sustained_s: for how long each side is called without a pause besides; 0: it is not.
    """

    pair: Pair
    cells: Sequence[Cells]
    reference_echo: ReferenceEcho | None
    first: bool
    sustained_s: float = 0.0


class _Side(Task):
    """The task of a cell on one side; it adds up the slices that count."""

    def __init__(self, side: Side, cell: Cell, length: Length) -> None:
        """Prepare the task."""
        self.unit = _unit_name(side)
        self.side = side
        self.spent_ns = 0
        self.agree = True
        self.latency: dict[int, int] | None = {}
        self._cell = cell
        self._length = length
        self._result: SliceSeen

    def next_slice(self, number: int) -> SlicePlan | None:  # noqa: ARG002 - in every round
        """Return one slice."""
        return SlicePlan(self._cell, self._length)

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:  # noqa: ARG002 - the interface
        """Store the slice until it is known whether its round counts."""
        self._result = result

    def add_slice_counts(self) -> DrivenSlice:
        """Count the last slice. Return its line."""
        done = self._result["done"]
        window = window_of(done)
        self.spent_ns += max(1, done["elapsed_ns"])
        self.agree &= self._result["agree"] is not False
        if done["timed"] != "each" or self.latency is None or done["latency"] is None:
            self.latency = None
        else:
            self.latency = merged([self.latency, dict(done["latency"]["buckets"])])
        return self.side, done["calls"], sum(done["errors"].values()), window.ns, window.calls


class _PairDrive:
    """A cell on both sides.

    Attributes:
        unsupported: why it cannot be driven, or "".
        lacks: whether that is because a stack does not have the call, which is no failure.
        unsupported_side: the side that it is about.
    """

    def __init__(self, cells: Cells, stacks: Sequence[Stack]) -> None:
        """Prepare both tasks, with slices of the same length."""
        cards = [stack.card for stack in stacks]
        least_s = max(SLICE_SECONDS, *(float(card.get("slice_ms", 0)) / 1e3 for card in cards))
        self.length = length_of(cells[0].load, least_s, slow=any(bool(card.get("slow")) for card in cards))
        self.cells = cells
        self.tasks = [_Side(side, cells[side], self.length) for side in SIDES]
        self.slices: list[DrivenSlice] = []
        self.unsupported, self.lacks, self.unsupported_side = "", False, ""
        self.sustained: tuple[float, float] | None = None

    @property
    def spent_s(self) -> float:
        """Seconds of driving, both sides together."""
        return sum(task.spent_ns for task in self.tasks) / 1e9

    def has_enough(self, amount: Amount) -> bool:
        """Whether it needs no further round, or its calls are too slow to reach their number.

        Calls that are timed in batches have no p99, so any number is enough.
        """
        if self.spent_s < amount.seconds:
            return False
        timed = [sum(task.latency.values()) for task in self.tasks if task.latency is not None]
        made, most_s = min(timed, default=amount.calls), MOST_TIMES * amount.seconds
        return made >= amount.calls or made * most_s < amount.calls * self.spent_s

    def add_slice_counts(self) -> None:
        """Count the last round."""
        self.slices += [task.add_slice_counts() for task in self.tasks]

    def record(self) -> MetCell:
        """Return the journal record."""
        id_ = self.cells[0].id
        if self.unsupported:
            return MetCell(cell=id_, cannot=self.unsupported, lacks=self.lacks, side=self.unsupported_side)
        a, b = (None if task.latency is None else list(task.latency.items()) for task in self.tasks)
        agree = all(task.agree for task in self.tasks)
        met = MetCell(cell=id_, agree=agree, slices=self.slices, latency=(a, b))
        if self.sustained is not None:
            met["sustained"] = self.sustained
        return met


class ComparedFork:
    """A fork in progress."""

    def __init__(
        self,
        task: ComparisonTask,
        placement: Placement,
        rng: random.Random,
        machine: MachineState,
        gaps: GapDetector | None,
    ) -> None:
        """Prepare the fork; nothing is started. `gaps` detects lost processors during slices."""
        self._gaps = gaps
        self._task = task
        self._placement = placement
        self._rng = rng
        self._machine = machine
        stacks = [candidate.stack for candidate in task.pair]
        self._cells = [_PairDrive(cells, stacks) for cells in task.cells]
        self._units: dict[str, Unit] = {}
        self._echo = EchoTask(task.reference_echo.echo) if task.reference_echo is not None else None
        self._echoes: list[tuple[int, int]] = []
        self._repeated = 0

    def run(self, amount_of: AmountOf) -> MetRecord:
        """Run the fork. Return its journal record.

        Raises:
            SideFailure: a candidate failed or answered wrongly.
        """
        began = monotonic()
        with ExitStack() as alive:
            self._start(alive)
            self._warm_up()
            started_s = monotonic() - began
            self._drive(amount_of(started_s))
            if self._task.sustained_s:
                self._drive_without_a_pause(self._task.sustained_s)
            return self._record(started_s)

    def _start(self, alive: ExitStack) -> None:
        """Start everything in random order, because being first may be an advantage.

        One that cannot be started does not hide that the other cannot either.
        """
        kinds, whys = [], {}
        waiting = list(self._unit_requests())
        for request in self._rng.sample(waiting, len(waiting)):
            try:
                unit = alive.enter_context(Unit(request, self._placement, LOOPBACK_HOSTS))
            except AdapterFailure as failure:
                kinds.append(failure.kind)
                whys[request.name] = f"{request.stack.id} cannot be started: {failure}"
            except WrongAnswer as wrong:
                kinds.append("wrong-answer")
                whys[request.name] = f"{request.stack.id} {wrong}"
            else:
                self._units[request.name] = unit
                unit.start_idle_watch()
        if kinds:
            raise SideFailure(kinds[0], whys)

    def _unit_requests(self) -> Iterator[UnitRequest]:
        checks = BASIC_CHECKS if self._task.first else BASIC_CHECKS[:1]
        for side in SIDES:
            candidate = self._task.pair[side]
            cells = tuple(pair_drive[side] for pair_drive in self._task.cells)
            yield UnitRequest(
                _unit_name(side), candidate.stack, candidate.programs, cells, LOOPBACK, candidate.options, checks=checks
            )
        if self._task.reference_echo is not None and self._echo is not None:
            echo = self._task.reference_echo
            yield UnitRequest(self._echo.unit, echo.stack, echo.programs, (echo.echo.cell,), LOOPBACK, checks=())

    def _warm_up(self) -> None:
        """Warm up everything, and exclude the cells that one side cannot drive."""
        for pair_drive in self._rng.sample(self._cells, len(self._cells)):
            for side in self._rng.sample(SIDES, 2):
                if not pair_drive.unsupported:
                    self._warm_side(pair_drive, side)
        if self._echo is not None:
            self._units[self._echo.unit].warm(self._echo.echo.cell, Length(SLICE_SECONDS / 2, 1))
        for unit in self._units.values():
            unit.reset_counts()

    def _warm_side(self, pair_drive: _PairDrive, side: int) -> None:
        unit, cell = self._units[_unit_name(side)], pair_drive.cells[side]
        name, why = unit.request.stack.id, unit.running.unsupported.get(cell.id)
        if why:
            pair_drive.unsupported, pair_drive.lacks = f"{name}: {why}", cell.id in unit.running.lacks
            pair_drive.unsupported_side = _unit_name(side)
            return
        try:
            warm = unit.warm(cell, pair_drive.length)
        except AdapterFailure as failure:
            raise SideFailure(failure.kind, {_unit_name(side): f"{name}: {failure}"}) from failure
        if warm is not None and warm.not_steady:
            pair_drive.unsupported, pair_drive.unsupported_side = f"{name}: {warm.not_steady}", _unit_name(side)

    def _drive(self, amount: Amount) -> None:
        """Drive rounds until every cell has been driven for so long, and has so many calls."""
        number = 0
        while left := [cell for cell in self._cells if not cell.unsupported and not cell.has_enough(amount)]:
            rates = self._round(number, left)
            if self._machine.is_outlier(rates):
                self._machine.add_repeat()
                self._repeated += 1
                rates = self._round(number, left)
            self._machine.add_round(rates)
            for pair_drive in left:
                pair_drive.add_slice_counts()
            if self._echo is not None and self._echo.result is not None:
                done = self._echo.result["done"]
                self._echoes.append((done["calls"], done["elapsed_ns"]))
            number += 1

    def _drive_without_a_pause(self, seconds: float) -> None:
        """Call each side for twice the time, and keep the rate of the second half.

        What a server saves up while the other side is called, such as the tokens of a limit, is spent in the first.
        """
        for pair_drive in self._cells:
            if pair_drive.unsupported:
                continue
            rates = {side: self._rate_without_a_pause(pair_drive, side, seconds) for side in self._rng.sample(SIDES, 2)}
            pair_drive.sustained = rates[0], rates[1]

    def _rate_without_a_pause(self, pair_drive: _PairDrive, side: int, seconds: float) -> float:
        unit, cell = self._units[_unit_name(side)], pair_drive.cells[side]
        plan = SlicePlan(cell, Length(seconds, pair_drive.length.calls))
        try:
            run_slice(unit, plan, None)
            return window_of(run_slice(unit, plan, None)["done"]).per_s
        except AdapterFailure as failure:
            whys = {_unit_name(side): f"{unit.request.stack.id}: {failure}"}
            raise SideFailure(failure.kind, whys) from failure

    def _round(self, number: int, cells: Sequence[_PairDrive]) -> dict[str, float]:
        """Drive all cells in random order, both sides of a cell directly after each other. Return the echo's rate."""
        turns: list[Sequence[Task]] = [pair_drive.tasks for pair_drive in cells]
        turns += [[self._echo]] if self._echo is not None else []
        for tasks in self._rng.sample(turns, len(turns)):
            run_round(tasks, self._units, number, self._rng, None, _failed, gaps=self._gaps)
        rate = self._echo.rate if self._echo is not None else None
        return {self._echo.echo.key: rate} if self._echo is not None and rate else {}

    def _record(self, started_s: float) -> MetRecord:
        sides = [self._units[_unit_name(side)] for side in SIDES]
        busy = [f"{unit.request.stack.id}: {why}" for unit in sides if (why := unit.compiler_report())]
        return MetRecord(
            cells=[pair_drive.record() for pair_drive in self._cells],
            echoes=self._echoes,
            repeated=self._repeated,
            started_s=round(started_s, 3),
            units=[unit.record() for unit in sides],
            unsteady="; ".join(busy),
        )


def _unit_name(side: int) -> str:
    return _UNIT_NAMES[side]


def _failed(task: Task, plan: SlicePlan, failure: AdapterFailure) -> None:
    """End the fork, because a comparison needs both candidates."""
    raise SideFailure(failure.kind, {task.unit: f"{plan.cell.stack}: {failure}"}) from failure
