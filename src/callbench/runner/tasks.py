"""What a round drives: tasks, each of one unit, each with a turn in every round until it has had enough."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.model.cell import Cell
from callbench.runner.measure.probe import Probe
from callbench.runner.slices import Length


@dataclass(frozen=True)
class Turn:
    """What is to be driven now.

    Attributes:
        cell: connected with its options and clients.
        length: of the slice.
        schedule: the arrivals of an open loop.
        burn_ns: how much longer each call keeps its client busy.
        probes: those that watch it.
        lead: whether a few calls that do not count come first.
    """

    cell: Cell
    length: Length
    schedule: Path | None = None
    burn_ns: int = 0
    probes: Sequence[Probe] = ()
    lead: bool = True


class Task(ABC):
    """One thing that is driven in its turn.

    Attributes:
        unit: the name of the unit that it is driven on.
    """

    unit: str

    @abstractmethod
    def turn(self, number: int) -> Turn | None:
        """What it wants driven in the round of this number, from 0; None: nothing in this one."""

    @abstractmethod
    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:
        """Its slice is over: what the journal has of it."""
