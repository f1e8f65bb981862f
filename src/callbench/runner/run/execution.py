"""Execute a plan: wire ledgers and codecs first, then the forks. Each round is on disk before the next begins."""

from collections.abc import Iterator
from contextlib import ExitStack

from callbench.adapter.placement import Placement
from callbench.analysis.run.earlier_runs import last_duration_s
from callbench.catalog import reach
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.external import OF_STUDY
from callbench.model.cell import HELD
from callbench.runner.drive.schedules import Schedules
from callbench.runner.live.progress import Progress
from callbench.runner.machine import batch_limits, idle_states
from callbench.runner.measure.host_monitor import GapDetector
from callbench.runner.measure.processes import Processes
from callbench.runner.measure.processor_time import ProcessorTimeProbe
from callbench.runner.measure.traffic import Traffic
from callbench.runner.plan.estimate import estimate, span
from callbench.runner.plan.plan import Plan
from callbench.runner.plan.undecided_cells import endings
from callbench.runner.plan.unknown_calls import unknown_time
from callbench.runner.reference.echoes import MachineState, available_echoes, sizes
from callbench.runner.run import codecs, wire_ledger
from callbench.runner.run.context import Context, ForkTask
from callbench.runner.run.failures import Failures
from callbench.runner.run.fork import Fork
from callbench.runner.run.fork_plan import ForkPlanner
from callbench.runner.run.resume_state import read_resume_state
from callbench.runner.run.slowdown import slow_down
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.run import RequestedRun


class RunExecution:
    """A run in progress."""

    def __init__(
        self, run: RecordWriter, plan: Plan, catalogue: Catalogue, placement: Placement, progress: Progress
    ) -> None:
        """Continue a run at the end of its journal.

        Raises:
            BadInput: the journal is damaged.
        """
        requested = run.requested(RequestedRun)
        schedules = Schedules(run.path / "schedules", requested.seed)
        self._context = Context(
            run=run,
            plan=plan,
            catalogue=catalogue,
            placement=placement,
            progress=progress,
            resume_state=read_resume_state(run.lines()),
            schedules=schedules,
            requested=requested,
        )
        self._failures = Failures(self._context)

    def run(self) -> None:
        """Do all remaining work.

        Raises:
            CallbenchError: the run folder cannot be written.
        """
        context = self._context
        batch_limits.raise_limits()
        self._exclude_unavailable()
        with context.progress, ExitStack() as owned:
            # The gap detector must be closest to the drive: it begins last and ends first.
            context.gaps = owned.enter_context(GapDetector(context.placement))
            context.probes = (
                Processes(),
                ProcessorTimeProbe(context.placement),
                Traffic(context.plan.wires),
                context.gaps,
            )
            baselines = context.requested.baselines
            self._show_estimate(baselines=baselines)
            context.progress.show_plan(context.plan)
            self._count_wire_bytes()
            self._time_codecs()
            context.baselines = available_echoes(context.catalogue) if baselines else {}
            context.sizes = sizes(context.run.lines(), context.catalogue) if baselines else {}
            pacing = ForkPlanner(context)
            self._run_forks(pacing)
            slow_down(context, pacing.latest)

    def _show_estimate(self, *, baselines: bool) -> None:
        """Show an estimate of the duration if no fork has begun yet."""
        context, length = self._context, self._context.requested.length
        if context.resume_state.forks:
            return
        left = estimate(
            context.plan,
            context.catalogue,
            length,
            context.resume_state.stacks,
            quick=context.quick,
            baselines=baselines,
        )
        if left.slices or left.accounts:
            text = unknown_time(context.plan, length.rounds, context.resume_state.stacks).describe(left)
            last_s = last_duration_s(context.run)
            if last_s is not None:
                text = f"{span(last_s)}, as the last such run on this machine. Computed from the plan: {text}"
            context.progress.show_estimate(text)

    def _run_forks(self, pacing: ForkPlanner) -> None:
        """Run the forks until everything is decided or the time is over."""
        machines = {condition: MachineState() for condition in self._context.plan.conditions}
        for fork_task in self._fork_tasks(pacing):
            with idle_states.hold_idle_states(hold=fork_task.condition == HELD):
                Fork(self._context, fork_task, self._failures, machines[fork_task.condition]).run()
        for line in endings(self._context.run, self._context.plan):
            self._context.write(line)
        if self._context.repeated:
            self._context.note(
                f"{self._context.repeated:,} slices were repeated, because the host took the processors away."
                f" {self._context.slices:,} slices count"
            )

    def _fork_tasks(self, pacing: ForkPlanner) -> Iterator[ForkTask]:
        number = 0
        while True:
            if number not in self._context.resume_state.over:
                fork_task = pacing.next_fork(number)
                if fork_task is None:
                    return
                yield fork_task
                self._context.progress.show_fork(number, pacing.left_s(number))
            number += 1

    def _exclude_unavailable(self) -> None:
        context = self._context
        together: dict[str, list[str]] = {}
        for stack in context.plan.stacks:
            if stack.id not in context.resume_state.stacks:
                there_ = context.known.get(stack.id)
                why = there_.why_not if there_ else "no manifest contains it now"
                if why:
                    # A server that the study itself names must exist. A stack of the catalogue may belong to another
                    # machine.
                    failed = stack.server.startswith(f"{OF_STUDY}/")
                    self._failures.note_excluded(stack.id, 0, why, None, failed=failed)
                    together.setdefault(why, []).append(stack.id)
        for why, stacks in together.items():
            context.progress.show_excluded(stacks, why)
        for cell in context.plan.cells:
            if self._failures.allows(cell):
                why = reach.why_not_measured(context.stacks[cell.stack], cell)
                if why:
                    self._failures.exclude(cell.stack, 0, why, cell.id, failed=False)

    def _count_wire_bytes(self) -> None:
        """Count the bytes of calls before anything is timed, so that no slice has a capture beside it."""
        context = self._context
        captures = context.run.path / "captures" if context.requested.pcap else None
        known = context.resume_state.accounts | context.resume_state.cells
        for line in wire_ledger.count_ledgers(
            context.plan, context.catalogue, context.placement, known, context.progress, captures=captures
        ):
            context.write(line)

    def _time_codecs(self) -> None:
        context = self._context
        for line in codecs.time_codecs(
            context.plan, context.catalogue, context.placement, context.resume_state.codecs, quick=context.quick
        ):
            context.write(line)
