"""A live comparison: forks in which every pair starts afresh, each on disk before the next."""

import json
import random
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from callbench.adapter import placement
from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study import given
from callbench.catalog.study.given import Given
from callbench.model.cell import Cell
from callbench.model.errors import BadInput
from callbench.model.request import only_call
from callbench.runner import environment, idle
from callbench.runner.compare import tasks
from callbench.runner.compare.fork import Asked, Cells, Fork, Pair, SideFailure, Yardstick
from callbench.runner.compare.operands import Contender, contenders, pairs
from callbench.runner.echoes import YARDSTICK, Machine, there
from callbench.runner.measure.witness import GapDetector
from callbench.runner.stopping import marking_the_end
from callbench.store.head import COMPARISON, folder, head, now
from callbench.store.writer import RunWriter

# Of a cell's load; its slices are what is driven.
_CELL_SECONDS = 0.5
_TRIES = 2
# Each start has a speed of its own, so there are many; ten at least, since the fewer there are the wider the interval.
# But slices scatter more than starts do: a fork is driven for so many times as long as it took to start.
LEAST_FORKS, MOST_FORKS = 10, 50
TIMES_STARTING = 3


@dataclass(frozen=True)
class Wish:
    """What was asked for.

    Attributes:
        a: the first operand, the one that the other is held against.
        calls: as the command line has them.
        study: a study whose groups give the calls instead, or None.
        clients: empty: 1, or as the study has it.
        seconds: to drive each cell for, both sides and all rounds together.
        rounds: how often both are started afresh; None: by how long that takes.
        hold_idle: whether idle states are held off meanwhile; None: where that can be.
        out: None: `runs/compare-TIME`.
        server: how servers of one's own are called, both alike; each of a study's as its study has it.
    """

    a: str
    b: str
    calls: Sequence[str] = ()
    study: str | None = None
    groups: Sequence[str] = ()
    clients: Sequence[int] = ()
    seconds: float = 5.0
    rounds: int | None = None
    hold_idle: bool | None = None
    level: float = 0.01
    threshold: float = 0.02
    p99_threshold: float | None = 0.1
    seed: int | None = None
    out: Path | None = None
    server: Given = field(default_factory=Given)


def compared(wish: Wish, known: Catalogue) -> Path:
    """Drive both against each other. Returns the folder.

    Raises:
        BadInput: something asked for is wrong.
        Stopped: a person stopped it; what was measured is kept.
        CallbenchError: the folder cannot be written.
    """
    known, (a, b) = given.named(known, (wish.a, wish.b), wish.server)
    found = pairs(contenders(a, known), contenders(b, known))
    asked = (
        _carried(found, tasks.of_study(wish.study, wish.groups, wish.clients, _CELL_SECONDS))
        if wish.study
        else tasks.of_calls(wish.calls or _by_default(found), wish.clients, _CELL_SECONDS)
    )
    cells = _written_out(found, asked)
    seed = secrets.randbits(32) if wish.seed is None else wish.seed
    where = placement.placed()
    out = folder(wish.out, "compare")
    files = {"plan.json": _plan(found, cells), "environment.json": environment.record(where)}
    written = {name: (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode() for name, value in files.items()}
    hold = _held(wish.hold_idle)
    with RunWriter.create(out, _info(wish, seed, hold_idle=hold), written) as run:
        kept = f"what was measured is kept: `callbench compare {out}` shows it"
        with marking_the_end(run, kept), idle.held(wanted=hold), GapDetector(where) as gaps:
            going = _Forks(run, found, cells, where, random.Random(seed))  # noqa: S311 - an order to be repeated
            going.go(wish, _yardstick(known), gaps)
    return out


def _held(wanted: bool | None) -> bool:
    """Say whether idle states are to be held off.

    Raises:
        BadInput: it is wanted and cannot be.
    """
    if wanted is False:
        return False
    try:
        with idle.held(wanted=True):
            return True
    except BadInput:
        if wanted:
            raise
        return False


def _yardstick(known: Catalogue) -> Yardstick | None:
    """The raw echo over TCP, where it can run."""
    echo = there(known).get(YARDSTICK)
    return Yardstick(echo, known.programs(echo)) if echo is not None else None


def _carried(found: Sequence[Pair], asked: Sequence[Cell]) -> Sequence[Cell]:
    """Of a study's calls those that servers of one's own can carry, where they are compared.

    Raises:
        BadInput: there are none.
    """
    only = {call for pair in found for one in pair if (call := only_call(one.stack))}
    carried = [cell for cell in asked if not only - {cell.call}]
    if not carried:
        raise BadInput(f"no group of --study calls {' and '.join(sorted(only))}, which is what these servers answer")
    return carried


def _by_default(found: Sequence[Pair]) -> Sequence[str]:
    """The calls of a comparison that names none: what both of each pair can carry."""
    only = next((call for pair in found for one in pair if (call := only_call(one.stack))), None)
    return tasks.DEFAULT if only is None else (only,)


def _info(wish: Wish, seed: int, *, hold_idle: bool) -> dict[str, Any]:
    """Give run.json."""
    return {
        **head(COMPARISON, f"{wish.a} and {wish.b}"),
        "study": wish.study or "",
        "a": wish.a,
        "b": wish.b,
        "seconds": wish.seconds,
        "level": wish.level,
        "threshold": wish.threshold,
        "p99_threshold": wish.p99_threshold,
        "seed": seed,
        "quick": False,
        "blocks": wish.rounds,
        "hold_idle": hold_idle,
    }


def _written_out(found: Sequence[Pair], asked: Sequence[Cell]) -> list[list[Cells]]:
    """Write out the cells of every pair: the same id on both sides."""
    cells: list[list[Cells]] = []
    for pair in found:
        mine: list[Cells] = []
        for task in asked:
            id_ = f"c{sum(map(len, cells)) + len(mine) + 1:03d}"
            mine.append((replace(task, id=id_, stack=pair[0].stack.id), replace(task, id=id_, stack=pair[1].stack.id)))
        cells.append(mine)
    return cells


def _plan(found: Sequence[Pair], cells: Sequence[Sequence[Cells]]) -> dict[str, Any]:
    """Give plan.json."""
    return {
        "pairs": [
            {
                "a": _side(one),
                "b": _side(other),
                "cells": [_flat(both[0]) for both in mine],
            }
            for (one, other), mine in zip(found, cells, strict=True)
        ]
    }


def _side(one: Contender) -> dict[str, Any]:
    """Write out one side of a pair."""
    side = asdict(one.stack) | {"program": list(one.programs.client.program), "options": dict(one.options)}
    return side | ({"server_program": list(one.programs.server.program)} if one.stack.mixed else {})


def _flat(cell: Cell) -> dict[str, Any]:
    """Write out what both sides of a cell share."""
    return {
        "id": cell.id,
        "name": tasks.named(cell),
        "call": cell.call,
        "arguments": dict(cell.arguments),
        "options": dict(cell.options),
        "clients": cell.load.clients,
    }


class _Forks:
    """The forks of a comparison under way."""

    def __init__(
        self,
        run: RunWriter,
        found: Sequence[Pair],
        cells: Sequence[Sequence[Cells]],
        where: Placement,
        dice: random.Random,
    ) -> None:
        """Prepares."""
        self._run = run
        self._pairs = found
        self._cells = cells
        self._where = where
        self._dice = dice
        # Of each pair that is still compared: how many forks it gets, None until the first says how long it starts.
        self._forks: dict[int, int | None] = dict.fromkeys(range(len(found)))
        self._machine = Machine()
        self._began = time.monotonic()

    def go(self, wish: Wish, yardstick: Yardstick | None, gaps: GapDetector) -> None:
        """Does every fork; `gaps` watches the machine beside each slice.

        Raises:
            CallbenchError: the folder cannot be written.
        """
        count = sum(map(len, self._cells))
        _tell(f"{count} cell{'s' * (count > 1)}: {count * wish.seconds:.0f} s of calls at least")
        number = 0
        while left := [index for index, forks in self._forks.items() if forks is None or number < forks]:
            for index in self._dice.sample(left, len(left)):
                asked = Asked(self._pairs[index], self._cells[index], yardstick, number == 0)
                self._fork(number, index, asked, wish, gaps)
            number += 1
            self._tell_where(number)

    def _tell_where(self, number: int) -> None:
        """Say how far it is, about ten times in all."""
        most = max((forks or 0 for forks in self._forks.values()), default=0)
        if number * 10 // max(most, 1) > (number - 1) * 10 // max(most, 1):
            _tell(f"fork {number} of {most}: {time.monotonic() - self._began:.0f} s")

    def _fork(self, number: int, index: int, asked: Asked, wish: Wish, gaps: GapDetector) -> None:
        """Makes one fork of a pair; one that fails twice in a row is left out."""

        def share(started_s: float) -> float:
            if self._forks[index] is None:
                self._forks[index] = wish.rounds or forks_of(wish.seconds * len(asked.cells), started_s)
            return wish.seconds / (self._forks[index] or 1)

        why = ""
        for _ in range(_TRIES):
            started = now()
            try:
                made = Fork(asked, self._where, self._dice, self._machine, gaps).go(share)
            except SideFailure as failure:
                why = str(failure)
                continue
            self._run.append({"kind": "met", "round": number, "pair": index, "started": started, **made})
            return
        self._run.append({"kind": "excluded", "pair": index, "round": number, "why": why})
        del self._forks[index]
        _tell(f"left out: {why}")


def forks_of(seconds: float, started_s: float) -> int:
    """How often both are started afresh.

    Args:
        seconds: of calls, all cells together.
        started_s: how long a start took.
    """
    return max(LEAST_FORKS, min(MOST_FORKS, int(seconds / max(TIMES_STARTING * started_s, 1e-3))))


def _tell(line: str) -> None:
    """Say how far it is, on stderr."""
    with suppress(BrokenPipeError):
        print(f"callbench: {line}", file=sys.stderr, flush=True)  # noqa: T201


def checked(wish: Wish) -> Wish:
    """See that the numbers make sense together.

    Raises:
        BadInput: they do not.
    """
    if wish.groups and not wish.study:
        raise BadInput("--group needs --study: it chooses among a study's groups")
    if wish.study and wish.calls:
        raise BadInput("give either --call or --study")
    return wish
