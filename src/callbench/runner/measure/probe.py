"""The interface of a probe: it watches the two sides while a trial is driven, and adds to the trial's line."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from callbench.adapter.contract import Done
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.stats.rate import window_of

# A drive that went on for less beyond its window is told whole.
_LONGER = 1.01


class Probe(ABC):
    """Watches one trial at a time. One file a probe; `bench.py` names those in use.

    Attributes:
        name: the member of the trial's journal line that holds what it found.
    """

    name: ClassVar[str]

    @abstractmethod
    def begin(self, sides: Sides, cell: Cell) -> None:
        """The trial begins: warmed up, not yet driven. It must not raise, nor cost the trial what it measures."""

    def over(self) -> Mapping[str, Any]:
        """The trial's window may be over, while calls are under way still: what was found so far, if it matters."""
        return {}

    @abstractmethod
    def end(self) -> Mapping[str, Any]:
        """The trial has ended, or failed. Gives what was found, as the journal has it."""


class Watch:
    """Every probe of a trial, begun and ended together."""

    def __init__(self, probes: Sequence[Probe], sides: Sides, cell: Cell) -> None:
        """Prepares; `with` begins."""
        self._probes = probes
        self._sides = sides
        self._cell = cell
        self.found: dict[str, Mapping[str, Any]] = {}
        self._within: dict[str, Mapping[str, Any]] = {}

    def __enter__(self) -> Self:
        """Begins every probe."""
        for probe in self._probes:
            probe.begin(self._sides, self._cell)
        return self

    def __exit__(self, *_: object) -> None:
        """Ends them in the opposite order, also where the trial failed."""
        for probe in reversed(self._probes):
            self.found[probe.name] = probe.end()

    def over(self) -> None:
        """Keeps what every probe found so far: the trial's window may be over."""
        self._within = {probe.name: said for probe in self._probes if (said := probe.over())}

    def within(self, done: Done) -> dict[str, Mapping[str, Any]]:
        """What was found within the window, where the drive went on much longer for the last answers; else all of it.

        Else a server that lets one call wait would look idle: its share of the processors would be that of the waiting.
        """
        window = window_of(done)
        waited = window.in_flight > 0 and done["elapsed_ns"] > window.ns * _LONGER
        return {**self.found, **self._within} if waited else self.found
