"""The progress display of a run: a moving line on a terminal, otherwise one line per fork."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Self

import psutil
from rich.table import Table
from rich.text import Text

from callbench.analysis.wording.words import some
from callbench.runner.live.live_ranking import PLACES, LiveRanking
from callbench.runner.live.progress_line import ProgressLine
from callbench.runner.plan.estimate import span
from callbench.runner.plan.plan import Plan
from callbench.stats.load.rate import Drive, window_of
from callbench.store.progress import Thinned

# Lines of the terminal that the table does not use.
_AROUND = 6
# Less time than this is not announced.
_WORTH_SAYING_S = 15


class Progress:
    """Shows the progress of a run on stderr."""

    def __init__(self, record: Path | None = None, *, quiet: bool = False) -> None:
        """Prepare the display. Nothing is shown before `with`.

        Args:
            record: the folder that the progress is kept in, if it is.
            quiet: whether to show nothing.
        """
        self._ranking: LiveRanking | None = None
        # Redraw rarely: drawing takes processor time from the measured stacks.
        self._line = ProgressLine(quiet=quiet, redraws_per_s=0.5, below=self._table)
        if record is not None:
            self._line.keep_in(record, self._kept)
        self._doing = ""
        self._forks: int | None = None
        self._at: tuple[int | None, int | None] = None, None
        self._left_s: float | None = None
        self._first_echoes: dict[str, float] = {}
        self._echoes: Thinned[list[float]] = Thinned()
        self._shown = 0
        self._slices = self._left_out = self._disturbed = 0
        self._times = psutil.cpu_times()
        self._began = time.monotonic()

    def show_estimate(self, left: str) -> None:
        """Show the estimated duration."""
        self._line.say(left)

    def show_plan(self, plan: Plan) -> None:
        """Show that a run of this plan begins."""
        self._ranking = LiveRanking(plan.timed, plan.conditions[0])
        self._forks = plan.forks * len(plan.conditions)
        self._show("codecs without channel")

    def show_ledger(self, stack: str, done: int, wanted: int) -> None:
        """Show that the bytes of a stack's calls are counted."""
        self._show(f"wire {done}/{wanted} {stack:28}")
        if not self._line.moving and done == wanted:
            self._line.say(f"wire: {wanted} ledgers, {time.monotonic() - self._began:.0f} s")

    def show_start(self, stack: str) -> None:
        """Show that a stack is started."""
        self._show(f"starting {stack:28}")

    def show_warm_up(self, stack: str) -> None:
        """Show that a stack is warmed up."""
        self._show(f"warming up {stack:28}")

    def show_round(self, fork: int, number: int, slices: Sequence[Mapping[str, object]]) -> None:
        """Show that a round is on disk."""
        self._slices += len(slices)
        self._disturbed += sum("repeated" in record for record in slices)
        self._at = fork + 1, number + 1
        self._show(f"fork {fork + 1}, round {number + 1}")

    def add_echoes(self, rates: Mapping[str, float]) -> None:
        """Take the echoes a second of a round, by echo: how fast the machine is."""
        known = {key: rate for key, rate in rates.items() if rate > 0}
        self._first_echoes = known | self._first_echoes
        if known:
            share = geometric_mean(rate / self._first_echoes[key] for key, rate in known.items())
            self._echoes.add([round(time.monotonic() - self._began, 1), round(share, 4)])

    def show_slice(self, cell: str, done: Drive) -> None:
        """Show a slice that counts."""
        self._shown += 1
        self._show(self._doing)
        window = window_of(done)
        if self._ranking is not None:
            self._ranking.add_slice(cell, window.calls, window.ns, loop_ns=int(done.get("gap_ns") or 0))

    def show_excluded(self, stacks: Sequence[str], why: str) -> None:
        """Show that stacks, or a cell of one, are excluded."""
        self._left_out += len(stacks)
        if self._line.moving:
            self._line.say(f"left out: {some(stacks)}: {why}")

    def show_fork(self, fork: int, left_s: float) -> None:
        """Show that a fork is done, and about how many seconds the planned ones still take."""
        self._left_s = left_s
        if not self._line.moving:
            left_out = f", {self._left_out} left out" if self._left_out else ""
            passed = time.monotonic() - self._began
            more = f", {span(left_s)} to go" if left_s >= _WORTH_SAYING_S else ""
            self._line.say(f"fork {fork + 1}: {self._slices:,} slices{left_out}, {passed:.0f} s{more}")

    def _show(self, doing: str) -> None:
        self._doing = doing
        self._line.show(f"{doing} {self._shown:,} slices")

    def _kept(self) -> dict[str, object]:
        """Return what the record's file has besides the line."""
        fork, number = self._at
        return {
            "slices": self._shown,
            "fork": fork,
            "forks": self._forks,
            "round": number,
            "left_s": self._left_s,
            "excluded": self._left_out,
            "echoes": self._echoes.kept,
            "steal_share": self._steal_share(),
            "disturbed": self._disturbed,
            **(self._ranking.standing() if self._ranking is not None else {}),
        }

    def _steal_share(self) -> float | None:
        """Return the share of the machine's processor time that went to others since the beginning, if it is known."""
        times = psutil.cpu_times()
        passed = sum(times) - sum(self._times)
        stolen = getattr(times, "steal", 0.0) - getattr(self._times, "steal", 0.0)
        return round(max(0.0, stolen) / passed, 4) if passed > 0 else None

    def _table(self) -> Table | None:
        """Return the rankings so far, as many as fit on the terminal."""
        lines = self._ranking.lines(max(1, self._line.height - _AROUND)) if self._ranking is not None else []
        if not lines:
            return None
        table = Table("call", "first", "second", "third", "stacks", title="Ranking so far, calls/s", box=None)
        for line in lines:
            places = [*line.places, *([""] * PLACES)][:PLACES]
            table.add_row(*(Text(text) for text in (line.name, *places, f"{line.stacks}")))
        return table

    def __enter__(self) -> Self:
        """Start the display."""
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the moving line."""
        self._line.__exit__()
