"""Two stacks that meet: both alive and driven in turn in short slices in random order, so that drift meets both."""

import random
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from callbench import judge
from callbench.cell import Cell
from callbench.compare.operands import Contender
from callbench.contract import Done
from callbench.errors import AdapterFailure
from callbench.measure.warm_up import LIMIT_SECONDS, warmed_up
from callbench.placement import Placement
from callbench.stats.histogram import merged
from callbench.visit import AnsweredWrongly, OpenVisit

SLICE_SECONDS = 0.02
Pair = tuple[Contender, Contender]
Cells = tuple[Cell, Cell]
# Which side (0 or 1), calls answered rightly, errors, nanoseconds.
Slice = tuple[int, int, int, int]


class SideFailure(AdapterFailure):
    """One of the two failed; the sentence names it."""


def met(pair: Pair, cells: Sequence[Cells], seconds: float, placement: Placement, dice: random.Random) -> "Round":
    """Start both afresh and drive every cell for `seconds`, both sides together.

    Where one of the two spins, both cannot be alive at once on few processors without disturbing each other: each is
    then started, driven in one piece a cell and ended, one after the other in random order.

    Raises:
        SideFailure: one of them failed, or answered wrongly.
    """
    found = Round(len(cells))
    if any(one.spins for one in pair):
        for side in dice.sample((0, 1), 2):
            _alone(pair, side, cells, seconds / 2, placement, found)
        return found
    with ExitStack() as alive:
        # Who is started first, and who is warmed up last, may have an advantage: the dice give it to either.
        opened = {
            side: _opened(pair, side, [both[side] for both in cells], placement, alive)
            for side in dice.sample((0, 1), 2)
        }
        visits = [opened[side] for side in (0, 1)]
        for index in dice.sample(range(len(cells)), len(cells)):
            cannot = [found.cannot_do(index, pair[side].stack.id, visits[side], cells[index][side]) for side in (0, 1)]
            if not any(cannot):
                _in_turn(pair, visits, cells[index], seconds, dice, found, index)
    return found


class Round:
    """What one meeting brought, cell by cell.

    Attributes:
        slices: of each cell, in the order in which they were driven.
        agree: of each cell, whether both sides' servers counted what their clients did.
        cannot: why a cell cannot be driven, by its place.
        lacks: those of them whose call a stack does not have, which is no failure.
        latency: of each cell the histograms of A and B over all slices; None where calls were timed in batches.
    """

    def __init__(self, cells: int) -> None:
        """Nothing yet."""
        self.slices: list[list[Slice]] = [[] for _ in range(cells)]
        self.agree = [True] * cells
        self.cannot: dict[int, str] = {}
        self.lacks: set[int] = set()
        self.latency: list[list[dict[int, int] | None]] = [[{}, {}] for _ in range(cells)]

    def add(self, index: int, side: int, done: Done) -> None:
        """Add a slice."""
        self.slices[index].append((side, done["calls"], sum(done["errors"].values()), done["elapsed_ns"]))
        so_far, latency = self.latency[index][side], done["latency"]
        if done["timed"] != "each" or so_far is None or latency is None:
            self.latency[index][side] = None
        else:
            self.latency[index][side] = merged([so_far, dict(latency["buckets"])])

    def cannot_do(self, index: int, stack: str, visit: OpenVisit, cell: Cell) -> bool:
        """Say whether one side cannot drive a cell, and keep why."""
        why = visit.cannot.get(cell.id)
        if not why:
            return False
        self.cannot.setdefault(index, f"{stack}: {why}")
        if cell.id in visit.lacks:
            self.lacks.add(index)
        return True


def _opened(pair: Pair, side: int, cells: Sequence[Cell], placement: Placement, alive: ExitStack) -> OpenVisit:
    """Start one side."""
    one = pair[side]
    try:
        return alive.enter_context(OpenVisit(one.programs, one.stack, cells, placement, options=one.options))
    except AdapterFailure as failure:
        raise SideFailure(failure.kind, f"{one.stack.id} cannot be started: {failure}") from failure
    except AnsweredWrongly as wrong:
        raise SideFailure("wrong-answer", f"{one.stack.id} {wrong}") from wrong


def _in_turn(  # noqa: PLR0913, PLR0917 - who, what, how long, in which order, and where it goes
    pair: Pair,
    visits: Sequence[OpenVisit],
    cells: Cells,
    seconds: float,
    dice: random.Random,
    found: Round,
    index: int,
) -> None:
    """Drive one cell on both sides in turn: pairs of slices, each pair in random order."""
    for side in dice.sample((0, 1), 2):
        why = _prepared(pair, side, visits[side], cells[side])
        if why:
            found.cannot[index] = why
            return
    totals = ({"calls": 0, "errors": 0}, {"calls": 0, "errors": 0})
    spent_ns = 0
    while spent_ns < seconds * 1e9:
        for side in dice.sample((0, 1), 2):
            done = _driven(pair, side, visits[side], cells[side], SLICE_SECONDS)
            found.add(index, side, done)
            totals[side]["calls"] += done["calls"]
            totals[side]["errors"] += sum(done["errors"].values())
            spent_ns += max(done["elapsed_ns"], 1)
    for side in (0, 1):
        found.agree[index] &= _agrees(visits[side], cells[side], **totals[side])


def _alone(  # noqa: PLR0913, PLR0917 - as `_in_turn`
    pair: Pair, side: int, cells: Sequence[Cells], seconds: float, placement: Placement, found: Round
) -> None:
    """Drive every cell on one side, the other not alive."""
    with ExitStack() as alive:
        visit = _opened(pair, side, [both[side] for both in cells], placement, alive)
        for index, both in enumerate(cells):
            if found.cannot_do(index, pair[side].stack.id, visit, both[side]):
                continue
            why = _prepared(pair, side, visit, both[side])
            if why:
                found.cannot[index] = why
                continue
            done = _driven(pair, side, visit, both[side], seconds)
            found.add(index, side, done)
            found.agree[index] &= _agrees(visit, both[side], done["calls"], sum(done["errors"].values()))


def _prepared(pair: Pair, side: int, visit: OpenVisit, cell: Cell) -> str:
    """Connect, warm up, and let the server count from nought. Give why it cannot be compared, or nothing."""
    try:
        visit.connect(cell)
        warm = warmed_up(visit.sides, cell)
        visit.sides.counted()
    except AdapterFailure as failure:
        raise _of(pair, side, failure) from failure
    return f"{pair[side].stack.id}: {warm.not_steady}" if warm.not_steady else ""


def _driven(pair: Pair, side: int, visit: OpenVisit, cell: Cell, seconds: float) -> Done:
    """Drive one slice."""
    try:
        return visit.sides.client.drive(
            cell.call, cell.arguments, calls=cell.load.clients, seconds=seconds, limit_seconds=LIMIT_SECONDS
        )
    except AdapterFailure as failure:
        raise _of(pair, side, failure) from failure


def _agrees(visit: OpenVisit, cell: Cell, calls: int, errors: int) -> bool:
    """Say whether the server counted what the client did over all slices."""
    done: Any = {"calls": calls, "errors": {"any": errors}}
    counts = visit.sides.counted()
    return counts is None or judge.agree(cell.call, done, counts)


def _of(pair: Pair, side: int, failure: AdapterFailure) -> SideFailure:
    """Name the side that failed."""
    return SideFailure(failure.kind, f"{pair[side].stack.id}: {failure}")
