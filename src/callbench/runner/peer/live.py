"""What a person sees while a study is driven by both: a moving line on a terminal, a line a round elsewhere."""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from callbench.model.cell import Cell
from callbench.runner.peer.agreement import Round
from callbench.runner.peer.asked import PEER
from callbench.store.run import Run


class Progress:
    """Shows how far it is, on stderr."""

    def __init__(self, run: Run, *, quiet: bool) -> None:
        """Prepares. Nothing is shown before `with`.

        Args:
            run: whose rounds are shown.
            quiet: show nothing.
        """
        self._rounds = int(run.info["blocks"])
        self._console = Console(stderr=True, quiet=quiet)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("drives by both,"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=self._console,
            disable=quiet or not self._console.is_terminal,
            transient=True,
            speed_estimate_period=600,
        )
        self._task = self._bar.add_task("", total=None)
        self._began = time.monotonic()

    def begins(self, drives: int, about_s: float) -> None:
        """So many drives of a cell by both are left, which take about so long."""
        self._say(f"{drives} drives by the load driver and {PEER}: about {about_s / 60:.0f} min")
        self._bar.update(self._task, total=drives)

    def drives(self, number: int, cell: Cell) -> None:
        """A cell's round begins; `number` is from 0."""
        where = f"round {number + 1}/{self._rounds} {cell.stack}, {cell.load.clients} clients"
        self._bar.update(self._task, description=where)

    def driven(self, number: int, cell: Cell, found: Round) -> None:
        """It is on disk."""
        rates = f"{found.ours.rate_per_s:,.0f} and {found.peers.rate_per_s:,.0f} calls/s"
        self._say(
            f"round {number + 1} of {self._rounds}: {cell.group} {cell.stack} at {cell.load.clients}: {rates},"
            f" {time.monotonic() - self._began:.0f} s"
            + (f"; it does not count: {found.unsteady}" if found.unsteady else "")
        )
        self._bar.advance(self._task)

    def failed(self, cell: Cell, why: str) -> None:
        """It failed twice."""
        self._say(f"left out: {cell.group} {cell.stack} at {cell.load.clients}: {why}")
        self._bar.advance(self._task)

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        """Begins to show."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the moving line away."""
        self._bar.stop()
