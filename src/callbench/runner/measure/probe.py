"""The interface of a probe: it watches both sides during a trial and adds a member to the trial's journal line."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, cast

from callbench.adapter.contract import Done
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.stats.load.rate import window_of
from callbench.store.lines.rounds import Probed

# If a drive was longer than its window by less than this factor, all of it is used.
_LONGER = 1.01


class Probe(ABC):
    """Watches one trial at a time. Each probe has its own module; `runner/run/execution.py` lists the ones in use.

    Attributes:
        name: the member of the trial's journal line with its values.
    """

    name: ClassVar[str]

    @abstractmethod
    def begin(self, sides: Sides, cell: Cell) -> None:
        """Begin a trial that is warmed up and not yet driven. It must not raise, nor disturb the trial."""

    def so_far(self) -> Mapping[str, object]:
        """Return the values so far, at the end of the window. Calls may still be in progress."""
        return {}

    @abstractmethod
    def end(self) -> Mapping[str, object]:
        """End a trial, even a failed one. Return the values for the journal."""


class TrialProbes:
    """All probes of a trial."""

    def __init__(self, probes: Sequence[Probe], sides: Sides, cell: Cell) -> None:
        """Prepare; `with` begins the probes."""
        self._probes = probes
        self._sides = sides
        self._cell = cell
        self._ended: dict[str, Mapping[str, object]] = {}
        self._within: dict[str, Mapping[str, object]] = {}

    def __enter__(self) -> Self:
        """Begin every probe."""
        for probe in self._probes:
            probe.begin(self._sides, self._cell)
        return self

    def __exit__(self, *_: object) -> None:
        """End the probes in reverse order, even if the trial failed."""
        for probe in reversed(self._probes):
            self._ended[probe.name] = probe.end()

    @property
    def found(self) -> Probed:
        """The values of the whole drive; none before its end."""
        return cast("Probed", self._ended)

    def so_far(self) -> None:
        """Store the values of every probe at the end of the window."""
        self._within = {probe.name: reading for probe in self._probes if (reading := probe.so_far())}

    def within(self, done: Done) -> Probed:
        """Return the values within the window if the drive lasted much longer; otherwise those of the whole drive.

        Otherwise a server that delays one call would look idle, because the long wait would be included.
        """
        window = window_of(done)
        waited = window.in_flight > 0 and done["elapsed_ns"] > window.ns * _LONGER
        return cast("Probed", {**self._ended, **self._within}) if waited else self.found
