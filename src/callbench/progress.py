"""What a person sees while a run goes on: a moving line on a terminal, a line a block elsewhere."""

import sys
import time
from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from callbench.estimate import span
from callbench.plan import Plan, Trial, Visit
from callbench.report.words import some
from callbench.unknown_calls import left_s


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
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("trials,"),
            # A stack may be slow and its neighbour fast: the mean is taken over a minute.
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=self._console,
            disable=not self._live,
            transient=True,
            speed_estimate_period=60,
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=None)
        self._blocks = self._trials = self._done = self._left_out = 0
        self._began = time.monotonic()
        self._first_block: float | None = None
        self._made = 0

    def foretells(self, left: str) -> None:
        """Say what is left to do, before it begins."""
        self._console.print(left, markup=False, highlight=False, soft_wrap=True)

    def begins(self, plan: Plan, done: int) -> None:
        """A run of this plan begins, of which `done` trials are there already."""
        self._blocks, self._trials, self._done = len(plan.blocks), plan.trials, done
        self._bar.update(self._task, total=plan.trials, completed=done, description="codecs")

    def grows(self, plan: Plan) -> None:
        """The plan has more blocks now."""
        self._blocks, self._trials = len(plan.blocks), plan.trials
        self._bar.update(self._task, total=plan.trials)

    def meets(self, one: str, other: str, number: int) -> None:
        """Two stacks meet in the play-off, for the `number`-th time from 0."""
        self._bar.update(self._task, description=f"play-off {number + 1}: {one} {other}")

    def accounts(self, stack: str, done: int, wanted: int) -> None:
        """What a stack's call costs on the wire is being counted."""
        self._bar.update(self._task, description=f"wire {done}/{wanted} {stack:28}")
        if not self._live and done == wanted:
            self._console.print(f"wire: {wanted} accounts, {time.monotonic() - self._began:.0f} s", highlight=False)

    def visits(self, visit: Visit) -> None:
        """A visit begins."""
        if self._first_block is None:
            self._first_block = time.monotonic()
        self._bar.update(self._task, description=f"block {visit.block + 1}/{self._blocks} {visit.stack:28}")

    def trial_ends(self, trial: Trial) -> None:
        """A trial is on disk."""
        self._done += 1
        self._bar.update(self._task, completed=trial.number + 1)

    def trials_passed(self, number: int) -> None:
        """Every trial below `number` is made or left out."""
        self._bar.update(self._task, completed=number)

    def excluded(self, stacks: Sequence[str], why: str) -> None:
        """Stacks, or a cell of one, are left out for one reason."""
        self._left_out += len(stacks)
        if self._live:
            self._console.print(f"left out: {some(stacks)}: {why}", markup=False, highlight=False, soft_wrap=True)

    def block_ends(self, block: int) -> None:
        """A block is done."""
        # Without a visit all of it was there already, and tells nothing of how long one takes.
        self._made += self._first_block is not None
        if not self._live:
            left_out = f", {self._left_out} left out" if self._left_out else ""
            passed = time.monotonic() - self._began
            line = (
                f"block {block + 1} of {self._blocks}: {self._done} of {self._trials} trials{left_out}, {passed:.0f} s"
            )
            self._console.print(f"{line}{self._left(self._blocks - block - 1)}", highlight=False, soft_wrap=True)

    def _left(self, blocks: int) -> str:
        """Say how long the rest will take, from the blocks that were made."""
        if not blocks or self._first_block is None:
            return ""
        return f"; {span(left_s(self._made, blocks, time.monotonic() - self._first_block))} left"

    def __enter__(self) -> Self:
        """Begins to show."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the moving line away."""
        self._bar.stop()
        sys.stderr.flush()
