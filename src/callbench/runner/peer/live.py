"""The progress display of a comparison with the peer: a moving line on a terminal, otherwise one line per round."""

import time
from typing import Self

from callbench.analysis.peer.agreement import PEER, Round
from callbench.model.cell import Cell
from callbench.runner.live.progress_line import ProgressLine
from callbench.store.record import Record
from callbench.store.requested.peer import RequestedPeer


class PeerProgress:
    """Shows the progress on stderr."""

    def __init__(self, run: Record, *, quiet: bool) -> None:
        """Prepare the display. Nothing is shown before `with`.

        Args:
            run: the record.
            quiet: whether to show nothing.
        """
        self._rounds = run.requested(RequestedPeer).rounds
        self._line = ProgressLine(quiet=quiet)
        self._line.keep_in(run.path)
        self._drives = self._done = 0
        self._began = time.monotonic()

    def show_plan(self, drives: int, about_s: float) -> None:
        """Show how many drives remain and how many seconds they take."""
        self._line.say(f"{drives} drives by the load driver and {PEER}: about {about_s / 60:.0f} min")
        self._drives = drives

    def show_drive(self, number: int, cell: Cell) -> None:
        """Show that a cell's round begins; `number` starts from 0."""
        where = f"round {number + 1}/{self._rounds} {cell.stack}, {cell.load.clients} clients"
        each_s = (time.monotonic() - self._began) / self._done if self._done else 0
        left = f", {each_s * (self._drives - self._done) / 60:.0f} min left" if self._done else ""
        self._line.show(f"{where}: {self._done} of {self._drives} drives by both{left}")

    def show_round(self, number: int, cell: Cell, result: Round) -> None:
        """Show a finished round."""
        rates = f"{result.ours.rate_per_s:,.0f} and {result.peers.rate_per_s:,.0f} calls/s"
        self._line.say(
            f"round {number + 1} of {self._rounds}: {cell.group} {cell.stack} at {cell.load.clients}: {rates},"
            f" {time.monotonic() - self._began:.0f} s"
            + (f"; it does not count: {result.unsteady}" if result.unsteady else "")
        )
        self._done += 1

    def show_failure(self, cell: Cell, why: str) -> None:
        """Show that a cell is excluded because it failed twice."""
        self._line.say(f"left out: {cell.group} {cell.stack} at {cell.load.clients}: {why}")
        self._done += 1

    def __enter__(self) -> Self:
        """Start the display."""
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the moving line."""
        self._line.__exit__()
