"""A fork of a comparison: both started afresh with the raw echo beside them, and driven in turn in rounds of slices."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic
from typing import Any

from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.placement import Placement
from callbench.catalog.manifest import Programs
from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell, Stack
from callbench.model.errors import AdapterFailure
from callbench.runner.compare.operands import Contender
from callbench.runner.echoes import YARDSTICK_OCTETS, Echo, EchoTask, Machine
from callbench.runner.measure.witness import GapDetector
from callbench.runner.rounds import one_round
from callbench.runner.slices import SLICE_SECONDS, Length, length_of
from callbench.runner.tasks import Task, Turn
from callbench.runner.unit import Unit, Wanted
from callbench.runner.visit import ALWAYS, AnsweredWrongly
from callbench.stats.histogram import merged
from callbench.stats.rate import window_of

SIDES = (0, 1)
Pair = tuple[Contender, Contender]
Cells = tuple[Cell, Cell]
# How many seconds of calls a fork drives each cell for, told how long it took to start.
ShareOf = Callable[[float], float]


class SideFailure(AdapterFailure):
    """One of the two failed; the sentence names it."""


@dataclass(frozen=True)
class Yardstick:
    """The raw echo that is driven in every round."""

    stack: Stack
    programs: Programs

    @property
    def echo(self) -> Echo:
        """What is driven of it."""
        return Echo(self.stack.id, {}, YARDSTICK_OCTETS, YARDSTICK_OCTETS, ())


@dataclass(frozen=True)
class Asked:
    """What is to be compared.

    Attributes:
        cells: the same on both sides, but for the stack.
        yardstick: None where it cannot run.
        first: whether everything is checked, not only what is needed to go on.
    """

    pair: Pair
    cells: Sequence[Cells]
    yardstick: Yardstick | None
    first: bool


class _Side(Task):
    """A cell of one side in its turn; it adds up the slices that count."""

    def __init__(self, side: int, cell: Cell, length: Length) -> None:
        """Prepares."""
        self.unit = _unit(side)
        self.side = side
        self.spent_ns = 0
        self.agree = True
        self.latency: dict[int, int] | None = {}
        self._cell = cell
        self._length = length
        self._made: Any = None

    def turn(self, number: int) -> Turn | None:  # noqa: ARG002 - in every round
        """One slice."""
        return Turn(self._cell, self._length)

    def took(self, turn: Turn, made: Any) -> None:  # noqa: ANN401, ARG002 - the interface
        """Keeps it until it is known whether its round counts."""
        self._made = made

    def counts(self) -> list[float]:
        """The last slice counts. Gives side, calls, errors and nanoseconds, and the calls of the window."""
        done = self._made["done"]
        window = window_of(done)
        self.spent_ns += max(1, done["elapsed_ns"])
        self.agree &= self._made["agree"] is not False
        if done["timed"] != "each" or self.latency is None or done["latency"] is None:
            self.latency = None
        else:
            self.latency = merged([self.latency, dict(done["latency"]["buckets"])])
        return [self.side, done["calls"], sum(done["errors"].values()), window.ns, window.calls]


class _Both:
    """A cell on both sides.

    Attributes:
        cannot: why it cannot be driven, or "".
        lacks: whether that is because a stack does not have the call, which is no failure.
    """

    def __init__(self, cells: Cells, stacks: Sequence[Stack]) -> None:
        """Prepares: both sides' slices have the same length."""
        cards = [one.card for one in stacks]
        least_s = max(SLICE_SECONDS, *(float(card.get("slice_ms", 0)) / 1e3 for card in cards))
        self.length = length_of(cells[0].load, least_s, slow=any(bool(card.get("slow")) for card in cards))
        self.cells = cells
        self.tasks = [_Side(side, cells[side], self.length) for side in SIDES]
        self.slices: list[list[float]] = []
        self.cannot, self.lacks = "", False

    @property
    def spent_s(self) -> float:
        """How long it was driven, both sides together."""
        return sum(task.spent_ns for task in self.tasks) / 1e9

    def counts(self) -> None:
        """The last round counts."""
        self.slices += [task.counts() for task in self.tasks]

    def record(self) -> dict[str, Any]:
        """What the journal has of it."""
        if self.cannot:
            return {"cell": self.cells[0].id, "cannot": self.cannot, "lacks": self.lacks}
        latency = [None if task.latency is None else list(task.latency.items()) for task in self.tasks]
        agree = all(task.agree for task in self.tasks)
        return {"cell": self.cells[0].id, "agree": agree, "slices": self.slices, "latency": latency}


class Fork:
    """One fork under way."""

    def __init__(
        self, asked: Asked, placement: Placement, dice: random.Random, machine: Machine, gaps: GapDetector | None
    ) -> None:
        """Prepares; nothing is started. `gaps` watches the machine beside each slice."""
        self._gaps = gaps
        self._asked = asked
        self._placement = placement
        self._dice = dice
        self._machine = machine
        stacks = [one.stack for one in asked.pair]
        self._cells = [_Both(cells, stacks) for cells in asked.cells]
        self._units: dict[str, Unit] = {}
        self._echo = EchoTask(asked.yardstick.echo) if asked.yardstick is not None else None
        self._echoes: list[list[int]] = []
        self._aside = 0

    def go(self, share_of: ShareOf) -> dict[str, Any]:
        """Does all of it. Gives what the journal has of it.

        Raises:
            SideFailure: one of the two failed, or answered wrongly.
        """
        began = monotonic()
        with ExitStack() as alive:
            self._start(alive)
            self._warm()
            started_s = monotonic() - began
            self._drive(share_of(started_s))
            return self._record(started_s)

    def _start(self, alive: ExitStack) -> None:
        """Starts all: who is first may have an advantage, so the dice give it to either."""
        waiting = list(self._wanted())
        for wanted in self._dice.sample(waiting, len(waiting)):
            try:
                unit = alive.enter_context(Unit(wanted, self._placement, LOOPBACK_HOSTS))
            except AdapterFailure as failure:
                raise SideFailure(failure.kind, f"{wanted.stack.id} cannot be started: {failure}") from failure
            except AnsweredWrongly as wrong:
                raise SideFailure("wrong-answer", f"{wanted.stack.id} {wrong}") from wrong
            self._units[wanted.name] = unit
            unit.settles()

    def _wanted(self) -> Iterator[Wanted]:
        checks = ALWAYS if self._asked.first else ALWAYS[:1]
        for side in SIDES:
            one = self._asked.pair[side]
            cells = tuple(both[side] for both in self._asked.cells)
            yield Wanted(_unit(side), one.stack, one.programs, cells, LOOPBACK, one.options, checks=checks)
        if self._asked.yardstick is not None and self._echo is not None:
            echo = self._asked.yardstick
            yield Wanted(self._echo.unit, echo.stack, echo.programs, (echo.echo.cell,), LOOPBACK, checks=())

    def _warm(self) -> None:
        """Warms all up, and leaves out the cells that one side cannot drive."""
        for both in self._dice.sample(self._cells, len(self._cells)):
            for side in self._dice.sample(SIDES, 2):
                if not both.cannot:
                    self._warm_side(both, side)
        if self._echo is not None:
            self._units[self._echo.unit].warm(self._echo.echo.cell, Length(SLICE_SECONDS / 2, 1))
        for unit in self._units.values():
            unit.counts_anew()

    def _warm_side(self, both: _Both, side: int) -> None:
        unit, cell = self._units[_unit(side)], both.cells[side]
        name, why = unit.wanted.stack.id, unit.opened.cannot.get(cell.id)
        if why:
            both.cannot, both.lacks = f"{name}: {why}", cell.id in unit.opened.lacks
            return
        try:
            warm = unit.warm(cell, both.length)
        except AdapterFailure as failure:
            raise SideFailure(failure.kind, f"{name}: {failure}") from failure
        if warm is not None and warm.not_steady:
            both.cannot = f"{name}: {warm.not_steady}"

    def _drive(self, seconds: float) -> None:
        """Rounds, until every cell has been driven so long, both sides together."""
        number = 0
        while left := [both for both in self._cells if not both.cannot and both.spent_s < seconds]:
            rates = self._round(number, left)
            if self._machine.elsewhere(rates):
                self._machine.repeats()
                self._aside += 1
                rates = self._round(number, left)
            self._machine.counts(rates)
            for both in left:
                both.counts()
            if self._echo is not None and self._echo.made is not None:
                done = self._echo.made["done"]
                self._echoes.append([done["calls"], done["elapsed_ns"]])
            number += 1

    def _round(self, number: int, cells: Sequence[_Both]) -> dict[str, float]:
        """Cell after cell in random order, both sides of a cell one right after the other. Gives the echo's rate."""
        turns: list[Sequence[Task]] = [both.tasks for both in cells]
        turns += [[self._echo]] if self._echo is not None else []
        for tasks in self._dice.sample(turns, len(turns)):
            one_round(tasks, self._units, number, self._dice, None, _failed, gaps=self._gaps)
        rate = self._echo.rate if self._echo is not None else None
        return {self._echo.echo.key: rate} if self._echo is not None and rate else {}

    def _record(self, started_s: float) -> dict[str, Any]:
        sides = [self._units[_unit(side)] for side in SIDES]
        return {
            "cells": [both.record() for both in self._cells],
            "echoes": self._echoes,
            "aside": self._aside,
            "started_s": round(started_s, 3),
            "units": [unit.record() for unit in sides],
            "unsteady": "; ".join(f"{unit.wanted.stack.id}: {why}" for unit in sides if (why := unit.compiled())),
        }


def _unit(side: int) -> str:
    return "AB"[side]


def _failed(task: Task, turn: Turn, failure: AdapterFailure) -> None:  # noqa: ARG001 - the interface
    """A comparison goes on only with both."""
    raise SideFailure(failure.kind, f"{turn.cell.stack}: {failure}") from failure
