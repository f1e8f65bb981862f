"""Runs a plan: bytes and messages first, then fork after fork, each round on disk before the next."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

from callbench.adapter.placement import Placement
from callbench.catalog import reach
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.study.given import OF_STUDY
from callbench.model.cell import HELD
from callbench.runner import batches, codecs, idle, ledger
from callbench.runner.context import Asked, Context
from callbench.runner.echoes import Machine, sizes, there
from callbench.runner.estimate import estimated
from callbench.runner.failures import Failures
from callbench.runner.fork import Fork
from callbench.runner.measure.processes import Processes
from callbench.runner.measure.processor_time import ProcessorTime
from callbench.runner.measure.traffic import Traffic
from callbench.runner.measure.witness import GapDetector
from callbench.runner.openness import endings
from callbench.runner.pacing import Pacing
from callbench.runner.past import past
from callbench.runner.plan import Plan
from callbench.runner.progress import Progress
from callbench.runner.schedules import Schedules
from callbench.runner.slowdown import slow_down
from callbench.runner.unknown_calls import beyond
from callbench.store.writer import RunWriter


class Bench:
    """A run under way."""

    def __init__(
        self, run: RunWriter, plan: Plan, catalogue: Catalogue, placement: Placement, progress: Progress
    ) -> None:
        """Takes up a run where its journal ends.

        Raises:
            BadInput: the journal is damaged.
        """
        seed = int(run.info["seed"])
        schedules = Schedules(run.path / "schedules", seed)
        quick = bool(run.info["quick"])
        self._of = Context(run, plan, catalogue, placement, progress, past(run.lines()), schedules, seed, quick)
        self._failures = Failures(self._of)

    def run(self) -> None:
        """Does what is left to do.

        Raises:
            CallbenchError: the run folder cannot be written.
        """
        of = self._of
        batches.make_room()
        self._leave_out_what_cannot_run()
        with of.progress, ExitStack() as owned:
            # The gap detector is nearest to the drive: begun last and ended first.
            of.gaps = owned.enter_context(GapDetector(of.placement))
            of.probes = (Processes(), ProcessorTime(of.placement), Traffic(of.plan.wires), of.gaps)
            floors = bool(of.run.info.get("floors", True))
            self._foretell(floors=floors)
            of.progress.begins(of.plan)
            self._accounts()
            self._codecs()
            of.floors = there(of.catalogue) if floors else {}
            of.sizes = sizes(of.run.lines(), of.catalogue) if floors else {}
            self._forks()
            slow_down(of)

    def _foretell(self, *, floors: bool) -> None:
        """Says how long a run will take that has not begun its forks."""
        of, info = self._of, self._of.run.info
        if of.past.forks:
            return
        left = estimated(of.plan, of.catalogue, info, of.past.stacks, quick=of.quick, floors=floors)
        if left.slices or left.accounts:
            of.progress.foretells(beyond(of.plan, int(info["rounds"]), of.past.stacks).beside(left))

    def _forks(self) -> None:
        """Fork after fork, until everything is decided or the time is over."""
        machines = {condition: Machine() for condition in self._of.plan.conditions}
        for asked in self._asked():
            with idle.held(wanted=asked.condition == HELD):
                Fork(self._of, asked, self._failures, machines[asked.condition]).go()
            self._of.progress.fork_ends(asked.number)
        for line in endings(self._of.run, self._of.plan):
            self._of.write(line)
        if self._of.aside:
            self._of.note(
                f"{self._of.aside:,} slices were repeated, because the host took the processors away."
                f" {self._of.slices:,} slices count"
            )

    def _asked(self) -> Iterator[Asked]:
        pacing = Pacing(self._of)
        number = 0
        while True:
            if number not in self._of.past.over:
                asked = pacing.asked(number)
                if asked is None:
                    return
                began = time.monotonic()
                yield asked
                pacing.took(asked, time.monotonic() - began)
            number += 1

    def _leave_out_what_cannot_run(self) -> None:
        of = self._of
        together: dict[str, list[str]] = {}
        for stack in of.plan.stacks:
            if stack.id not in of.past.stacks:
                there_ = of.known.get(stack.id)
                why = there_.why_not if there_ else "no manifest has it any more"
                if why:
                    # A server that the study itself names is to be there; a stack may be another machine's.
                    failed = stack.server.startswith(f"{OF_STUDY}/")
                    self._failures.note_excluded(stack.id, 0, why, None, failed=failed)
                    together.setdefault(why, []).append(stack.id)
        for why, stacks in together.items():
            of.progress.excluded(stacks, why)
        for cell in of.plan.cells:
            if self._failures.allows(cell):
                why = reach.why_not_over(of.stacks[cell.stack], cell.link)
                if why:
                    self._failures.exclude(cell.stack, 0, why, cell.id, failed=False)

    def _accounts(self) -> None:
        """Counts what calls cost on the wire, before anything is timed: a slice has no capture beside it."""
        of = self._of
        captures = of.run.path / "captures" if of.run.info.get("pcap") else None
        known = of.past.accounts | of.past.cells
        for line in ledger.made(of.plan, of.catalogue, of.placement, known, of.progress, captures=captures):
            of.write(line)

    def _codecs(self) -> None:
        of = self._of
        for line in codecs.timed(of.plan, of.catalogue, of.placement, of.past.codecs, quick=of.quick):
            of.write(line)
