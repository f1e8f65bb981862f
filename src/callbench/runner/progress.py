"""What a person sees while a run goes on: a moving line on a terminal, a line a block elsewhere."""

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from rich.console import Console, RenderableType
from rich.progress import Progress as Bar
from rich.progress import TextColumn
from rich.table import Table
from rich.text import Text

from callbench.analysis.words import some
from callbench.runner.live_ranking import PLACES, LiveRanking
from callbench.runner.plan import Plan
from callbench.stats.rate import window_of

# Lines of a terminal that are not the table's.
_AROUND = 6


class _Watched(Bar):
    """The moving line, and beneath it the rankings so far."""

    def __init__(self, table: Callable[[], Table | None], *columns: TextColumn, **options: Any) -> None:  # noqa: ANN401 - rich's
        """Prepares.

        Args:
            table: gives the rankings so far, or None.
            *columns: of the moving line.
            **options: of the moving line.
        """
        self._table = table
        super().__init__(*columns, **options)

    def get_renderables(self) -> Iterable[RenderableType]:
        """The line, and the table where there is one."""
        yield from super().get_renderables()
        found = self._table()
        if found is not None:
            yield found


class Progress:
    """Shows how far a run is, on stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Prepares. Nothing is shown before `with`.

        Args:
            quiet: show nothing.
        """
        self._console = Console(stderr=True, quiet=quiet)
        self._live = self._console.is_terminal and not quiet
        self._ranking: LiveRanking | None = None
        self._bar = _Watched(
            self._table,
            TextColumn("{task.description}"),
            TextColumn("{task.completed:,} slices"),
            console=self._console,
            disable=not self._live,
            transient=True,
            # Drawn seldom: it is the core's own processor time, taken from whoever is measured.
            refresh_per_second=0.5,
        )
        self._task = self._bar.add_task("", total=None)
        self._slices = self._left_out = 0
        self._began = time.monotonic()

    def foretells(self, left: str) -> None:
        """Say what is left to do, before it begins."""
        self._console.print(left, markup=False, highlight=False, soft_wrap=True)

    def begins(self, plan: Plan) -> None:
        """A run of this plan begins."""
        self._ranking = LiveRanking(plan.timed, plan.conditions[0])
        self._bar.update(self._task, description="codecs without channel")

    def accounts(self, stack: str, done: int, wanted: int) -> None:
        """What a stack's call costs on the wire is being counted."""
        self._bar.update(self._task, description=f"wire {done}/{wanted} {stack:28}")
        if not self._live and done == wanted:
            self._console.print(f"wire: {wanted} ledgers, {time.monotonic() - self._began:.0f} s", highlight=False)

    def starts(self, stack: str) -> None:
        """A stack is started."""
        self._bar.update(self._task, description=f"starting {stack:28}")

    def warms(self, stack: str) -> None:
        """A stack is warmed up."""
        self._bar.update(self._task, description=f"warming up {stack:28}")

    def round_ends(self, fork: int, number: int, slices: Sequence[Mapping[str, Any]]) -> None:
        """A round is on disk."""
        self._slices += len(slices)
        self._bar.update(self._task, description=f"fork {fork + 1}, round {number + 1}")

    def slice_ends(self, cell: str, done: Mapping[str, Any]) -> None:
        """A slice that counts is over."""
        self._bar.update(self._task, advance=1)
        window = window_of(done)
        if self._ranking is not None:
            self._ranking.slice_ends(cell, window.calls, window.ns)

    def excluded(self, stacks: Sequence[str], why: str) -> None:
        """Stacks, or a cell of one, are left out for one reason."""
        self._left_out += len(stacks)
        if self._live:
            self._console.print(f"left out: {some(stacks)}: {why}", markup=False, highlight=False, soft_wrap=True)

    def fork_ends(self, fork: int) -> None:
        """A fork is done."""
        if not self._live:
            left_out = f", {self._left_out} left out" if self._left_out else ""
            passed = time.monotonic() - self._began
            line = f"fork {fork + 1}: {self._slices:,} slices{left_out}, {passed:.0f} s"
            self._console.print(line, highlight=False, soft_wrap=True)

    def _table(self) -> Table | None:
        """The rankings so far, as many as there is room for."""
        lines = self._ranking.lines(max(1, self._console.height - _AROUND)) if self._ranking is not None else []
        if not lines:
            return None
        table = Table("call", "first", "second", "third", "stacks", title="Ranking so far, calls/s", box=None)
        for line in lines:
            places = [*line.places, *([""] * PLACES)][:PLACES]
            table.add_row(*(Text(text) for text in (line.name, *places, f"{line.stacks}")))
        return table

    def __enter__(self) -> Self:
        """Begins to show."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the moving line away."""
        self._bar.stop()
        sys.stderr.flush()
