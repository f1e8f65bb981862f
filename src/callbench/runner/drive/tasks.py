"""The tasks of a round. Each task belongs to one unit and has a slice in every round until it has enough."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from callbench.model.cell import Cell
from callbench.runner.drive.slices import Length
from callbench.runner.measure.probe import Probe
from callbench.store.lines.rounds import SliceSeen


@dataclass(frozen=True)
class SlicePlan:
    """One slice to drive.

    Attributes:
        cell: the cell, with its options and clients.
        length: of the slice.
        schedule: the arrivals of an open loop.
        burn_ns: how much longer each call keeps its client busy.
        probes: the probes that watch the slice.
        lead: whether a few calls that do not count precede the slice.
    """

    cell: Cell
    length: Length
    schedule: Path | None = None
    burn_ns: int = 0
    probes: Sequence[Probe] = ()
    lead: bool = True


class Task(ABC):
    """Something that is driven once in every round.

    Attributes:
        unit: the name of the unit that it is driven on.
    """

    unit: str

    @abstractmethod
    def next_slice(self, number: int) -> SlicePlan | None:
        """Return the slice for the round with this number, from 0; None: none in this round."""

    @abstractmethod
    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:
        """Store the journal record of a finished slice."""
