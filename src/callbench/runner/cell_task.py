"""A cell in its turn: a slice in every round of its fork, and one that is watched."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.model.cell import Cell
from callbench.runner.measure.probe import Probe
from callbench.runner.slices import WATCHED_SECONDS, Length, enough
from callbench.runner.tasks import Task, Turn
from callbench.stats.warmed import BUSY

# The schedule of a cell in a round, None for a closed loop.
ScheduleOf = Callable[[Cell, int], Path | None]


class CellTask(Task):
    """A cell that is driven in slices.

    Attributes:
        cell: as planned.
        trial: its number in the run.
        made: of the last round, as the journal has it; None where there is none.
    """

    def __init__(  # noqa: PLR0913 - what is driven, on what, and how
        self, cell: Cell, unit: str, trial: int, length: Length, schedule_of: ScheduleOf, *, lead: bool = True
    ) -> None:
        """Prepares; `lead`: whether its slices need some calls before them."""
        self.cell = cell
        self._lead = lead
        self.unit = unit
        self.made: dict[str, Any] | None = None
        self.trial = trial
        self._length = length
        self._schedule_of = schedule_of
        self._probes: Sequence[Probe] = ()
        self._slices = self._compiled = 0
        self._driven_s = 0.0

    def watched_by(self, probes: Sequence[Probe]) -> None:
        """From here on its slices are watched, or with no probes not any more: what is watched counts for no rate."""
        self._probes = probes

    def counts_anew(self) -> None:
        """Rehearsals are over: from here on its slices are counted."""
        self._slices = self._compiled = 0
        self._driven_s = 0.0

    @property
    def counted(self) -> tuple[int, int]:
        """In how many of its slices a compiler was at work, and how many there were."""
        return self._compiled, self._slices

    @property
    def unsteady(self) -> str:
        """Why its trial does not count, or nothing: a compiler was at work in most of its slices."""
        if 2 * self._compiled <= self._slices:
            return ""
        return f"a compiler was at work in most of its slices: {self._compiled} of {self._slices}"

    def turn(self, number: int) -> Turn | None:
        """One slice, where the cell was not seen enough in this fork."""
        self.made = None
        if not self._probes and enough(self._driven_s, self._slices):
            return None
        length = self._length
        if self._probes and not self.cell.load.open:
            length = Length(max(length.seconds, WATCHED_SECONDS), length.calls)
        return Turn(self.cell, length, self._schedule_of(self.cell, number), probes=self._probes, lead=self._lead)

    def took(self, turn: Turn, made: Mapping[str, Any]) -> None:
        """Keeps it."""
        if turn.schedule is not None:
            # It follows from the seed; a run would leave hundreds of them.
            turn.schedule.unlink(missing_ok=True)
        if not turn.probes:
            self._slices += 1
            self._driven_s += made["done"]["elapsed_ns"] / 1e9
            self._compiled += made.get("compiler_ns", 0) > BUSY * made["done"]["elapsed_ns"]
        self.made = {"trial": self.trial, "cell": self.cell.id, "watched": bool(turn.probes), **made}
