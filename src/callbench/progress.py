"""What a person sees while a run goes on: a moving line on a terminal, a line a block elsewhere."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import TextColumn

from callbench.plan import Plan
from callbench.report.words import some


class Progress:
    """Shows how far a run is, on stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Prepares. Nothing is shown before `with`.

        Args:
            quiet: show nothing.
        """
        self._console = Console(stderr=True, quiet=quiet)
        self._live = self._console.is_terminal and not quiet
        self._bar = Bar(
            TextColumn("{task.description}"),
            TextColumn("{task.completed:,} slices"),
            console=self._console,
            disable=not self._live,
            transient=True,
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=None)
        self._slices = self._left_out = 0
        self._began = time.monotonic()

    def foretells(self, left: str) -> None:
        """Say what is left to do, before it begins."""
        self._console.print(left, markup=False, highlight=False, soft_wrap=True)

    def begins(self, plan: Plan) -> None:
        """A run of this plan begins."""
        self._plan = plan
        self._bar.update(self._task, description="messages alone")

    def accounts(self, stack: str, done: int, wanted: int) -> None:
        """What a stack's call costs on the wire is being counted."""
        self._bar.update(self._task, description=f"wire {done}/{wanted} {stack:28}")
        if not self._live and done == wanted:
            self._console.print(f"wire: {wanted} accounts, {time.monotonic() - self._began:.0f} s", highlight=False)

    def starts(self, stack: str) -> None:
        """A stack is started."""
        self._bar.update(self._task, description=f"starting {stack:28}")

    def warms(self, stack: str) -> None:
        """A stack is warmed up."""
        self._bar.update(self._task, description=f"warming up {stack:28}")

    def round_ends(self, fork: int, number: int, slices: Sequence[Mapping[str, Any]]) -> None:
        """A round is on disk."""
        self._slices += len(slices)
        self._bar.update(self._task, description=f"fork {fork + 1}, round {number + 1}", completed=self._slices)

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

    def __enter__(self) -> Self:
        """Begins to show."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the moving line away."""
        self._bar.stop()
        sys.stderr.flush()
