"""One fork: start every stack again, batch by batch, and drive the stacks in rounds."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from callbench.model.cell import Cell
from callbench.runner.drive.running_stack import BASIC_CHECKS
from callbench.runner.drive.unit import UnitRequest
from callbench.runner.measure.traffic import Traffic
from callbench.runner.reference.echoes import MachineState
from callbench.runner.run.batch import Batch
from callbench.runner.run.context import Context, ForkTask
from callbench.runner.run.failures import Failures
from callbench.runner.run.round_pace import RoundPace
from callbench.runner.run.single_drive import drive_single
from callbench.store.head import now
from callbench.store.lines.forks import BatchLine, ForkLine, ForkOverLine
from callbench.store.lines.rounds import RoundKind, RoundLine, RoundSlices


class Fork:
    """A fork in progress."""

    def __init__(self, context: Context, fork_task: ForkTask, failures: Failures, machine: MachineState) -> None:
        """Prepare the fork; nothing is started."""
        self._context = context
        self._task = fork_task
        self._failures = failures
        self._machine = machine
        self._rng = random.Random(f"{context.seed} {fork_task.number}")  # noqa: S311 - an order to be repeated
        self._traffic = Traffic(context.plan.wires)
        # Seconds of its batches until their first rounds, and of one round of each.
        self._start_s = self._round_s = 0.0

    def run(self) -> None:
        """Do the remaining work of the fork.

        Raises:
            CallbenchError: the journal cannot be written.
        """
        began = time.monotonic()
        fork_task, resume_state = self._task, self._context.resume_state
        if fork_task.number not in resume_state.forks:
            self._context.write(
                ForkLine(
                    kind="fork",
                    fork=fork_task.number,
                    idle=fork_task.condition,
                    rounds=fork_task.rounds,
                    watch=fork_task.watch,
                    cells=[cell.id for cell in fork_task.cells],
                )
            )
        for number, names in enumerate(self._batches()):
            self._run_batch(number, names)
        for cell in self._rng.sample(fork_task.cells, len(fork_task.cells)):
            if cell.whole and self._allowed(cell) and cell.id not in resume_state.whole.get(fork_task.number, ()):
                drive_single(self._context, fork_task.number, cell, self._failures)
        self._context.write(
            ForkOverLine(
                kind="fork over",
                fork=fork_task.number,
                seconds=round(time.monotonic() - began, 3),
                start_s=round(self._start_s, 3),
                round_s=round(self._round_s, 3),
            )
        )

    def _allowed(self, cell: Cell) -> bool:
        return self._failures.allows(cell)

    def _batches(self) -> Iterator[list[str] | None]:
        """Yield the unit names of each batch that the journal has, then None for each batch still to be filled."""
        known = 0
        while (batch := self._context.resume_state.batches.get((self._task.number, known))) is not None:
            yield batch
            known += 1
        while self._remaining():
            yield None

    def _unit_requests(self) -> dict[str, UnitRequest]:
        """Return the units to start for the cells that are driven in slices, by name."""
        together: dict[str, list[Cell]] = {}
        for cell in self._task.cells:
            searched = any(search.cell == cell.id for search in self._context.searches.every)
            if self._allowed(cell) and (searched or not cell.whole):
                together.setdefault(f"{cell.stack} over {cell.link}", []).append(cell)
        first = self._task.number == 0
        return {
            name: UnitRequest(
                name,
                self._context.stacks[cells[0].stack],
                self._context.catalogue.programs(self._context.stacks[cells[0].stack]),
                tuple(cells),
                cells[0].link,
                cold=first,
                checks=BASIC_CHECKS if first else BASIC_CHECKS[:1],
            )
            for name, cells in together.items()
        }

    def _remaining(self) -> list[UnitRequest]:
        """Return the units that have not been in a batch yet."""
        started = {
            name
            for (fork, _), names in self._context.resume_state.batches.items()
            if fork == self._task.number
            for name in names
        }
        return [request for name, request in self._unit_requests().items() if name not in started]

    def _run_batch(self, number: int, names: Sequence[str] | None) -> None:
        """Start a batch, drive its rounds, end it."""
        place = self._task.number, number
        done = self._context.resume_state.rounds.get(place, 0)
        # A batch with all of its rounds may still have unfinished searches.
        if place in self._context.resume_state.ended:
            return
        everything = self._unit_requests()
        began = time.monotonic()
        waiting = self._remaining() if names is None else [everything[name] for name in names if name in everything]
        with ExitStack() as exit_stack:
            batch = Batch(self._context, self._task, self._failures, exit_stack)
            batch.fill(self._rng.sample(waiting, len(waiting)), limited=names is None)
            if names is None:
                units = [*dict.fromkeys(batch.tried)]
                self._context.write(BatchLine(kind="batch", fork=self._task.number, batch=number, units=units))
            more = bool(names is None and self._remaining()) or number > 0
            batch.prepare(self._rng, chained=more)
            pace = RoundPace(
                self._task,
                exact=self._context.requested.exact,
                warm_up_s=batch.warm_up_s,
                start_s=time.monotonic() - began,
                share=min(1.0, len(batch.units) / max(1, len(everything))),
            )
            self._start_s += time.monotonic() - began
            self._rounds(batch, pace, number, done)
            self._round_s += pace.round_s
            batch.write_end(number)

    def _rounds(self, batch: "Batch", pace: RoundPace, number: int, done: int) -> None:
        round_number = done
        while pace.another(round_number):
            began = time.monotonic()
            self._counted_round(batch, number, round_number)
            pace.round_over(time.monotonic() - began)
            # The watched round follows the first counted round, so that the first rates appear sooner.
            if self._task.watch and round_number == done:
                started = now()
                slices = batch.watched_round(self._rng, self._traffic)
                self._context.write(self._round_line("watched round", (number, round_number), started, slices))
            round_number += 1
        batch.search(self._rng)

    def _counted_round(self, batch: "Batch", number: int, round_number: int) -> None:
        """Drive one round that counts. Repeat it once if the echoes show that the machine ran at another speed."""
        began = now()
        slices = batch.round(round_number, self._rng, self._traffic)
        rates = batch.echo_rates()
        if self._machine.is_outlier(rates):
            self._machine.add_repeat()
            self._context.write(self._round_line("repeated round", (number, round_number), began, slices))
            batch.void_round()
            began = now()
            slices = batch.round(round_number, self._rng, self._traffic)
            rates = batch.echo_rates()
        self._machine.add_round(rates)
        self._context.write(self._round_line("round", (number, round_number), began, slices))
        self._context.progress.add_echoes(rates)
        self._context.progress.show_round(self._task.number, round_number, slices["slices"])

    def _round_line(self, kind: RoundKind, place: tuple[int, int], started: str, slices: RoundSlices) -> RoundLine:
        """Return the line of a round, given the numbers of its batch and itself."""
        batch, number = place
        return RoundLine(
            kind=kind,
            fork=self._task.number,
            batch=batch,
            round=number,
            idle=self._task.condition,
            started=started,
            slices=slices["slices"],
            echoes=slices["echoes"],
            references=slices["references"],
        )
