"""A plan that grows: blocks of the cells that are not precise yet, then a play-off with the time that is left."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence

from callbench import plan as plans
from callbench.catalogue import Catalogue
from callbench.cell import Cell, Load
from callbench.compare.meeting import SideFailure, met
from callbench.compare.operands import Contender
from callbench.links import LOOPBACK
from callbench.placement import Placement
from callbench.plan import Plan, Visit
from callbench.precision import stopping
from callbench.precision.playoff import Contest, Pair, Rule, contest, next_pair
from callbench.precision.seen import Seen, added
from callbench.precision.stopping import Aim, Ending, Why
from callbench.progress import Progress
from callbench.run_writer import RunWriter, now
from callbench.stats.interval import geometric_mean
from callbench.stats.ranking import faster

_MEETING_SECONDS = 1.0
_QUICK_MEETING_SECONDS = 0.2
# What tells a cell of a ranking from those of another.
_Table = tuple[str, int, str]


def grown(planned: Plan, run: RunWriter) -> Plan:
    """Give the plan with the blocks that its run has added to it.

    Raises:
        BadInput: the journal is damaged.
    """
    if run.info.get("until") is None:
        return planned
    for visits in added(iter(run.lines())):
        planned = plans.extended(planned, visits)
    return planned


class Growth:
    """Decides how a run goes on after its planned blocks. Nothing is added where nothing was asked for."""

    def __init__(self, run: RunWriter, plan: Plan, progress: Progress) -> None:
        """Takes up what the journal has.

        Raises:
            BadInput: the journal is damaged.
        """
        info = run.info
        self._run = run
        self._plan = plan
        self._progress = progress
        self._aim = Aim(info.get("until"), info.get("budget_s"), max(50, 10 * int(info["blocks"])))
        self._seen = Seen(run.journal_file, {cell.id for cell in plan.cells if cell.load.open})
        self._cell_s = 0.0
        if self._asked:
            self._seen.go_on()
        self._before_s = self._seen.spent_s
        self._began = time.monotonic()

    @property
    def _asked(self) -> bool:
        return self._aim.until is not None or self._aim.budget_s is not None

    @property
    def _spent_s(self) -> float:
        return round(self._before_s + time.monotonic() - self._began, 3)

    @property
    def _left_s(self) -> float | None:
        return None if self._aim.budget_s is None else self._aim.budget_s - self._spent_s

    def blocks(self) -> Iterator[tuple[Visit, ...]]:
        """Gives the planned blocks, then those that precision asks for. Each is on disk before it is given.

        Raises:
            CallbenchError: the journal cannot be written.
        """
        for block in self._plan.blocks:
            yield from self._timed(block)
        while self._aim.until is not None:
            cells = self._next_cells()
            if not cells:
                return
            yield from self._timed(self._add(cells))

    def _timed(self, block: tuple[Visit, ...]) -> Iterator[tuple[Visit, ...]]:
        """Give a block, and note how long each of its cells took."""
        began = time.monotonic()
        yield block
        cells = sum(len(visit.trials) for visit in block)
        if cells:
            self._cell_s = (time.monotonic() - began) / cells

    def _next_cells(self) -> list[str]:
        """Choose the cells of another block, and write down which have ended."""
        self._seen.go_on()
        rates = self._rates()
        endings = stopping.ended(rates, self._out(), self._aim)
        for one in endings.values():
            self._end(one)
        open_ = [cell for cell in rates if cell not in endings]
        cells = stopping.chosen(rates, open_, self._cell_s, self._left_s)
        for cell in open_ if not cells else ():
            self._end(Ending(cell, Why.BUDGET, stopping.reached(rates[cell]), len(rates[cell])))
        return cells

    def _rates(self) -> dict[str, dict[int, float]]:
        """Give the rates of every cell of the plan, in its order."""
        rates = self._seen.rates()
        return {cell.id: rates.get(cell.id, {}) for cell in self._plan.cells}

    def _out(self) -> set[str]:
        """Give the cells that are excluded."""
        seen = self._seen
        return {cell.id for cell in self._plan.cells if cell.id in seen.excluded or cell.stack in seen.stacks}

    def _end(self, one: Ending) -> None:
        """Write down that a cell has ended, once."""
        if one.cell not in self._seen.ended:
            figures = {"asked": self._aim.until, "reached": one.reached, "blocks": one.blocks}
            self._run.append({"kind": "ended", "cell": one.cell, "why": one.why.value, **figures})
            self._seen.ended.add(one.cell)

    def _add(self, cells: Sequence[str]) -> tuple[Visit, ...]:
        """Add a block of these cells to the plan, on disk first."""
        number = len(self._plan.blocks)
        dice = random.Random(f"{self._run.info['seed']} {number}")  # noqa: S311 - an order to be repeated
        visits = plans.ordered([cell for cell in self._plan.cells if cell.id in set(cells)], dice)
        record = [{"stack": stack, "link": link, "cells": [one.id for one in mine]} for stack, link, mine in visits]
        self._run.append({"kind": "added", "block": number, "visits": record, "spent_s": self._spent_s})
        self._plan = plans.extended(self._plan, [(stack, link, [c.id for c in mine]) for stack, link, mine in visits])
        self._progress.grows(self._plan)
        return self._plan.blocks[-1]

    def play_off(self, catalogue: Catalogue, where: Placement) -> None:
        """Lets neighbours in each ranking meet until they part or tie, while the budget lasts.

        Raises:
            CallbenchError: the journal cannot be written.
        """
        if self._aim.budget_s is None or self._seen.over:
            return
        field = _Field(self._plan, catalogue, self._rates_and_out())
        seconds = _QUICK_MEETING_SECONDS if self._run.info["quick"] else _MEETING_SECONDS
        longest = 0.0
        while (pair := field.next(self._seen, self._aim.until)) is not None:
            left = self._left_s or 0.0
            if left < max(longest, seconds):
                self._run.append({"kind": "ended", "cell": None, "why": Why.BUDGET.value, "spent_s": self._spent_s})
                return
            began = time.monotonic()
            self._meet(pair, field, seconds, where)
            longest = max(longest, time.monotonic() - began)
            self._seen.go_on()
        self._run.append({"kind": "ended", "cell": None, "why": "decided", "spent_s": self._spent_s})

    def _rates_and_out(self) -> dict[str, dict[int, float]]:
        """Give the rates of the cells that may be ranked."""
        self._seen.go_on()
        out = self._out()
        return {cell: rates for cell, rates in self._rates().items() if rates and cell not in out}

    def _meet(self, pair: Pair, field: "_Field", seconds: float, where: Placement) -> None:
        """Let two meet once, and write it down."""
        contenders, cells = field.contenders(pair), field.cells(pair)
        number = len(self._seen.meetings.get(pair, ()))
        self._progress.meets(cells[0].stack, cells[1].stack, number)
        dice = random.Random(f"{self._run.info['seed']} {pair} {number}")  # noqa: S311 - an order to be repeated
        place = {"kind": "meeting", "cell": pair[0], "other": pair[1], "started": now()}
        try:
            found = met(contenders, [cells], seconds, where, dice)
        except SideFailure as failure:
            self._run.note(f"{cells[0].stack} and {cells[1].stack} do not meet in the play-off: {failure}")
            self._seen.lame.add(pair)
            return
        sums = {name: [0, 0] for name in ("calls", "errors", "elapsed_ns")}
        for side, *figures in found.slices[0]:
            for name, figure in zip(("calls", "errors", "elapsed_ns"), figures, strict=True):
                sums[name][side] += figure
        agree = found.agree[0] and not found.cannot
        slices = {"slices": found.slices[0], "spent_s": self._spent_s}
        self._run.append({**place, "met": sums, "agree": agree, "neighbours": field.neighbours, **slices})


class _Field:
    """Who can meet whom: the rankings of a plan, as their blocks left them."""

    def __init__(self, plan: Plan, catalogue: Catalogue, rates: Mapping[str, Mapping[int, float]]) -> None:
        """Prepares."""
        self._cells = {cell.id: cell for cell in plan.cells}
        self._stacks = {stack.id: stack for stack in plan.stacks}
        self._catalogue = catalogue
        tables: dict[_Table, dict[str, Mapping[int, float]]] = {}
        for cell in plan.cells:
            if cell.id in rates and _plain(cell):
                tables.setdefault((cell.group, cell.load.clients, cell.link), {})[cell.id] = rates[cell.id]
        self._estimates = [
            {cell: geometric_mean(list(mine.values())).middle for cell, mine in table.items()}
            for table in tables.values()
        ]
        self._parted: dict[Pair, bool] = {}
        for table in tables.values():
            names = list(table)
            matrix = faster(list(table.values()))
            self._parted |= {(names[row], names[column]): True for row, column in zip(*matrix.nonzero(), strict=True)}
        self.neighbours = sum(len(table) - 1 for table in tables.values())

    def next(self, seen: Seen, until: float | None) -> Pair | None:
        """Give the pair to meet next, or None where all neighbours are decided."""
        rule = Rule(margin=until or Rule.margin)
        contests: list[Contest] = [
            contest(pair, ratios, self.neighbours, rule) for pair, ratios in seen.meetings.items()
        ]
        return next_pair(self._estimates, self._parted | dict.fromkeys(seen.lame, True), contests)

    def contenders(self, pair: Pair) -> tuple[Contender, Contender]:
        """Give the stacks of a pair with their adapters."""
        one, other = (self._stacks[self._cells[cell].stack] for cell in pair)
        return Contender(one, self._catalogue.programs(one)), Contender(other, self._catalogue.programs(other))

    def cells(self, pair: Pair) -> tuple[Cell, Cell]:
        """Give the cells of a pair."""
        return self._cells[pair[0]], self._cells[pair[1]]


def _plain(cell: Cell) -> bool:
    """Say whether a cell can be driven in slices: a closed loop on loopback without further wishes."""
    return cell.link == LOOPBACK and cell.load == Load(cell.load.clients, cell.load.calls, cell.load.seconds)
