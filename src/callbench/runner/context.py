"""What every part of a run under way needs: where it writes, what it measures, and with what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from callbench.adapter.placement import Placement
from callbench.catalog.catalogue import Catalogue
from callbench.model.cell import Cell, Stack
from callbench.runner.knees import Searches
from callbench.runner.measure.probe import Probe
from callbench.runner.measure.witness import GapDetector
from callbench.runner.past import Past
from callbench.runner.plan import Plan
from callbench.runner.progress import Progress
from callbench.runner.scatter import Scatter
from callbench.runner.schedules import Schedules
from callbench.store.writer import RunWriter


@dataclass(frozen=True)
class Asked:
    """What a fork is to do.

    Attributes:
        number: from 0.
        rounds: how many, of each batch.
        watch: whether each cell has a slice in which the probes watch.
        until: on the monotonic clock: no further round begins after it, but for the first two.
    """

    number: int
    condition: str
    cells: tuple[Cell, ...]
    rounds: int
    watch: bool
    until: float | None = None


@dataclass
class Context:
    """A run under way.

    Attributes:
        past: what the journal has, kept up as it grows.
        sizes: octets of request and answer by adapter, message and group, as the codecs came to.
        floors: the echo's stacks by channel; empty where none can run, or none is wanted.
        probes: those that watch the watched rounds.
        gaps: watches the machine beside each slice.
        slices, aside: how many counted so far, and how many did not, since the machine was away meanwhile.
    """

    run: RunWriter
    plan: Plan
    catalogue: Catalogue
    placement: Placement
    progress: Progress
    past: Past
    schedules: Schedules
    seed: int
    quick: bool
    probes: Sequence[Probe] = ()
    gaps: GapDetector | None = None
    slices: int = 0
    aside: int = 0
    sizes: Mapping[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    floors: Mapping[str, Stack] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Finds things by name."""
        self.stacks = {stack.id: stack for stack in self.plan.stacks}
        self.known = {stack.id: stack for stack in self.catalogue.every}
        self.searches = Searches(self.run)
        self.scatter = {condition: Scatter() for condition in self.plan.conditions}
        self._visits = count(sum(1 for line in self.run.lines() if line["kind"] == "visit"))

    def next_visit(self) -> int:
        """The number of the next start, unique in the run."""
        return next(self._visits)

    def write(self, line: Mapping[str, Any]) -> None:
        """Writes a journal line; it is on disk when this returns.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self.run.append(line)
        self.past.takes(line)

    def note(self, text: str) -> None:
        """Writes what a reader should know.

        Raises:
            CallbenchError: the disk is full or fails.
        """
        self.run.note(text)
