"""What all parts of a run share: the record, the plan, the probes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, Stack
from callbench.runner.drive.knees import Searches
from callbench.runner.drive.long_calls import LongCalls
from callbench.runner.drive.scatter import ForkRates
from callbench.runner.drive.schedules import Schedules
from callbench.runner.live.progress import Progress
from callbench.runner.measure.host_monitor import GapDetector
from callbench.runner.measure.probe import Probe
from callbench.runner.plan.plan import Plan
from callbench.runner.run.resume_state import ResumeState
from callbench.store.lines.starts import StartLine
from callbench.store.record_writer import RecordWriter
from callbench.store.requested.run import RequestedRun

if TYPE_CHECKING:
    from callbench.runner.drive.unit import Unit
    from callbench.store.lines.run import RunLine


@dataclass(frozen=True)
class ForkTime:
    """The time of a fork, in moments of the monotonic clock.

    Attributes:
        began: when it begins.
        ends: when the time of all forks is over.
        latest: no round begins that would end later; infinity: the least rounds are made in any case.
        forks: how many forks may share the time from `began` to `ends`, with this one.
    """

    began: float
    ends: float
    latest: float
    forks: range


@dataclass(frozen=True)
class ForkTask:
    """The work of one fork.

    Attributes:
        number: its number, from 0.
        rounds: rounds of each batch.
        watch: whether the probes watch one slice of each cell.
        time: what it may take; None: its rounds are not limited by time.
    """

    number: int
    condition: str
    cells: tuple[Cell, ...]
    rounds: int
    watch: bool
    time: ForkTime | None = None


@dataclass
class Context:
    """The shared state of a run.

    Attributes:
        resume_state: what the journal already contains; updated with every new line.
        sizes: bytes of request and answer by adapter, message and group, as measured by the codecs.
        baselines: the echo stacks by channel; empty if none can run or none is requested.
        probes: the probes of watched rounds.
        gaps: detects during each slice whether the host took the processors away.
        slices, repeated: how many slices counted so far, and how many were repeated.
        began: when this session began, on the monotonic clock.
    """

    run: RecordWriter
    plan: Plan
    catalogue: Catalogue
    placement: Placement
    progress: Progress
    resume_state: ResumeState
    schedules: Schedules
    requested: RequestedRun
    probes: Sequence[Probe] = ()
    gaps: GapDetector | None = None
    slices: int = 0
    repeated: int = 0
    sizes: Mapping[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    baselines: Mapping[str, Stack] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        """Index the stacks by name and read the searches."""
        self.stacks = {stack.id: stack for stack in self.plan.stacks}
        self.known = {stack.id: stack for stack in self.catalogue.every}
        self.searches = Searches(self.run)
        self.scatter = {condition: ForkRates() for condition in self.plan.conditions}
        self.long_calls = LongCalls()
        self._starts = count(sum(1 for line in self.run.lines() if line["kind"] == "start"))

    @property
    def seed(self) -> int:
        """Of the random order."""
        return self.requested.seed

    @property
    def quick(self) -> bool:
        """Whether it is a quick run."""
        return self.requested.quick

    def write_start(self, fork: int, unit: "Unit") -> None:
        """Give a started unit its number, unique in the run, and write how it started.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        start = unit.start = next(self._starts)
        stack, link, how = unit.request.stack.id, unit.request.link, unit.running.record
        self.write(StartLine(kind="start", fork=fork, start=start, stack=stack, link=link, **how))

    def write(self, line: "RunLine") -> None:
        """Write a journal line. It is on disk when this returns.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self.run.append(line)
        self.resume_state.add_line(line)

    def note(self, text: str) -> None:
        """Write a note for the reader of the report.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self.run.note(text)
