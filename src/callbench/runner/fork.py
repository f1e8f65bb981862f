"""A fork: every stack started afresh, batch by batch what fits together, and driven in rounds."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from callbench.model.cell import Cell
from callbench.runner.batch import Batch
from callbench.runner.context import Asked, Context
from callbench.runner.echoes import Machine
from callbench.runner.failures import Failures
from callbench.runner.measure.traffic import Traffic
from callbench.runner.unit import Wanted
from callbench.runner.visit import ALWAYS
from callbench.runner.whole import drive_whole
from callbench.store.head import now


class Fork:
    """One fork under way."""

    def __init__(self, of: Context, asked: Asked, failures: Failures, machine: Machine) -> None:
        """Prepares; nothing is started."""
        self._of = of
        self._asked = asked
        self._failures = failures
        self._machine = machine
        self._dice = random.Random(f"{of.seed} {asked.number}")  # noqa: S311 - an order to be repeated
        self._traffic = Traffic(of.plan.wires)

    def go(self) -> None:
        """Does what of it is not done yet.

        Raises:
            CallbenchError: the journal cannot be written.
        """
        began = time.monotonic()
        asked, past = self._asked, self._of.past
        if asked.number not in past.forks:
            line = {"kind": "fork", "fork": asked.number, "idle": asked.condition, "rounds": asked.rounds}
            self._of.write(line | {"watch": asked.watch, "cells": [cell.id for cell in asked.cells]})
        for number, names in enumerate(self._batches()):
            self._batch(number, names)
        for cell in self._dice.sample(asked.cells, len(asked.cells)):
            if cell.whole and self._open(cell) and cell.id not in past.whole.get(asked.number, ()):
                drive_whole(self._of, asked.number, cell, self._failures)
        self._of.write({"kind": "fork over", "fork": asked.number, "seconds": round(time.monotonic() - began, 3)})

    def _open(self, cell: Cell) -> bool:
        return self._failures.allows(cell)

    def _batches(self) -> Iterator[list[str] | None]:
        """The batches that were begun already, by their units, and then None for each that is still to be filled."""
        known = 0
        while (found := self._of.past.batches.get((self._asked.number, known))) is not None:
            yield found
            known += 1
        while self._left():
            yield None

    def _wanted(self) -> dict[str, Wanted]:
        """What is to be started for the sliced cells, by name."""
        together: dict[str, list[Cell]] = {}
        for cell in self._asked.cells:
            searched = any(search.cell == cell.id for search in self._of.searches.every)
            if self._open(cell) and (searched or not cell.whole):
                together.setdefault(f"{cell.stack} over {cell.link}", []).append(cell)
        first = self._asked.number == 0
        return {
            name: Wanted(
                name,
                self._of.stacks[cells[0].stack],
                self._of.catalogue.programs(self._of.stacks[cells[0].stack]),
                tuple(cells),
                cells[0].link,
                cold=first,
                checks=ALWAYS if first else ALWAYS[:1],
            )
            for name, cells in together.items()
        }

    def _left(self) -> list[Wanted]:
        """What has been in no batch yet."""
        begun = {
            name for (fork, _), names in self._of.past.batches.items() if fork == self._asked.number for name in names
        }
        return [one for name, one in self._wanted().items() if name not in begun]

    def _batch(self, number: int, names: Sequence[str] | None) -> None:
        """Starts a batch, drives its rounds, ends it."""
        place = self._asked.number, number
        done = self._of.past.rounds.get(place, 0)
        # A batch with all of its rounds may have searches that go on.
        if place in self._of.past.ended:
            return
        everything = self._wanted()
        waiting = self._left() if names is None else [everything[name] for name in names if name in everything]
        with ExitStack() as owned:
            batch = Batch(self._of, self._asked, self._failures, owned)
            batch.fill(self._dice.sample(waiting, len(waiting)), alone=names is None)
            if names is None:
                line = {"kind": "batch", "fork": self._asked.number, "batch": number}
                self._of.write(line | {"units": [*dict.fromkeys(batch.tried)]})
            more = bool(names is None and self._left()) or number > 0
            batch.prepare(self._dice, chained=more)
            self._rounds(batch, number, done)
            batch.ends(number)

    def _rounds(self, batch: "Batch", number: int, done: int) -> None:
        for at in range(done, self._asked.rounds):
            if at >= 2 and self._asked.until is not None and time.monotonic() > self._asked.until:
                return
            self._one(batch, number, at)
            # Behind the first that counts: whoever waits for a figure has one sooner.
            if self._asked.watch and at == done:
                batch.watched_round(self._dice, self._traffic, self._line(number, at, watched=True))
        batch.search(self._dice)

    def _one(self, batch: "Batch", number: int, at: int) -> None:
        """One round that counts; once more where the echo says that the machine was somewhere else."""
        line = self._line(number, at, watched=False)
        made = batch.round(at, self._dice, self._traffic)
        rates = batch.echo_rates()
        if self._machine.elsewhere(rates):
            self._machine.repeats()
            self._of.write({**line, **made, "kind": "round set aside"})
            line = self._line(number, at, watched=False)
            made = batch.round(at, self._dice, self._traffic)
            rates = batch.echo_rates()
        self._machine.counts(rates)
        self._of.write({**line, **made})
        self._of.progress.round_ends(self._asked.number, at, made["slices"])

    def _line(self, number: int, at: int, *, watched: bool) -> dict[str, Any]:
        place = {"fork": self._asked.number, "batch": number, "round": at, "idle": self._asked.condition}
        return {"kind": "watched round" if watched else "round", **place, "started": now()}
