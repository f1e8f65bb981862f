"""The task of one cell in a fork: one slice in every round, and one slice that the probes watch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from callbench.model.cell import Cell
from callbench.runner.drive.long_calls import LongCalls
from callbench.runner.drive.slices import WATCHED_SECONDS, Length, has_enough_slices
from callbench.runner.drive.tasks import SlicePlan, Task
from callbench.runner.measure.probe import Probe
from callbench.stats.steady.warmed import BUSY
from callbench.store.lines.rounds import SliceRecord, SliceSeen

# Returns the schedule file of a cell in a round; None for a closed loop.
ScheduleOf = Callable[[Cell, int], Path | None]


@dataclass(frozen=True)
class _Made:
    """The slices of a cell in a fork, those in which a compiler was active, their calls and their seconds."""

    slices: int = 0
    compiled: int = 0
    calls: int = 0
    driven_s: float = 0.0


class CellTask(Task):
    """A cell that is driven in slices.

    Attributes:
        cell: the cell of the plan.
        trial: the number of its trial in the run.
        result: the last slice as a journal record; None if there was none.
    """

    def __init__(  # noqa: PLR0913 - what is driven, on what, and how
        self,
        cell: Cell,
        unit: str,
        trial: int,
        length: Length,
        schedule_of: ScheduleOf,
        *,
        lead: bool = True,
        long_calls: LongCalls | None = None,
    ) -> None:
        """Prepare the task.

        Args:
            cell: of the plan.
            unit: the name of the unit that it is driven on.
            trial: the number of its trial in the run.
            length: of its slices.
            schedule_of: returns its schedules.
            lead: whether a few calls that do not count precede each slice.
            long_calls: makes slices longer that are short for the calls of their cell.
        """
        self.cell = cell
        self._lead = lead
        self.unit = unit
        self.result: SliceRecord | None = None
        self.trial = trial
        self._length = length
        self._schedule_of = schedule_of
        self._probes: Sequence[Probe] = ()
        self._made = self._made_before = _Made()
        self._long_calls = long_calls
        self._counts = False

    def set_probes(self, probes: Sequence[Probe]) -> None:
        """Let probes watch the next slices; an empty sequence ends that. Watched slices do not count for rates."""
        self._probes = probes

    def rehearse(self) -> None:
        """Forget the slices so far: the next ones do not count either."""
        self._made = self._made_before = _Made()

    def reset_counts(self) -> None:
        """Forget the rehearsal slices: counting starts now."""
        self._made = self._made_before = _Made()
        self._counts = True

    def begin_round(self) -> None:
        """Remember what was made before this round."""
        self._made_before = self._made

    def void_round(self) -> None:
        """Forget the slices of this round, which is driven again: with them, a long slice was missed in the second."""
        self._made = self._made_before

    @property
    def compiled_slices(self) -> tuple[int, int]:
        """Return the number of slices in which a compiler was active, and the number of all slices."""
        return self._made.compiled, self._made.slices

    @property
    def unsteady(self) -> str:
        """Why the trial does not count, or "": a compiler was active in most of its slices."""
        if 2 * self._made.compiled <= self._made.slices:
            return ""
        return f"a compiler was active in most of its slices: {self._made.compiled} of {self._made.slices}"

    def next_slice(self, number: int) -> SlicePlan | None:
        """Return the next slice, or None if the cell has enough slices in this fork."""
        self.result = None
        made = self._made
        lacks_calls = made.calls < self.cell.load.fork_calls
        if not self._probes and has_enough_slices(made.driven_s, made.slices, lacks_calls=lacks_calls):
            return None
        length = self._length
        if self._long_calls is not None:
            length = self._long_calls.lengthened(self.cell, length)
        if self._probes and not self.cell.load.open:
            length = Length(max(length.seconds, WATCHED_SECONDS), length.calls)
        return SlicePlan(self.cell, length, self._schedule_of(self.cell, number), probes=self._probes, lead=self._lead)

    def add_slice(self, plan: SlicePlan, result: SliceSeen) -> None:
        """Store the slice."""
        if plan.schedule is not None:
            # The schedule can be computed again from the seed, and a run would leave hundreds of files.
            plan.schedule.unlink(missing_ok=True)
        if not plan.probes:
            done, made = result["done"], self._made
            self._made = _Made(
                made.slices + 1,
                made.compiled + (result.get("compiler_ns", 0) > BUSY * done["elapsed_ns"]),
                made.calls + int(done["calls"]),
                made.driven_s + done["elapsed_ns"] / 1e9,
            )
            if self._long_calls is not None and self._counts:
                self._long_calls.add_slice(self.cell, self._length, result["done"])
        head = {"trial": self.trial, "cell": self.cell.id, "watched": bool(plan.probes)}
        self.result = cast("SliceRecord", {**head, **result})
