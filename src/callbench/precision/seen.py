"""What a run's journal has so far, read on from where it was left: rates, what was excluded, what ended, who met."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callbench.errors import BadInput
from callbench.stats.rate import Window, window_of

if TYPE_CHECKING:
    from callbench.precision.playoff import Pair

# Other lines are long and of no use here: they are told by their beginning and not parsed.
_KINDS = tuple(f'{{"kind":"{kind}"'.encode() for kind in ("trial", "excluded", "added", "ended", "meeting"))


class Seen:
    """The journal as decisions need it.

    Attributes:
        excluded: cells left out on their own.
        stacks: stacks left out whole.
        ended: cells whose end is written down.
        meetings: ratios by pair, the first's rate over the second's.
        over: whether the play-off has ended.
        lame: pairs that cannot meet, since one failed or counts did not agree.
        spent_s: seconds of the budget that earlier starts of the run used.
    """

    def __init__(self, journal: Path, by_latency: Collection[str] = ()) -> None:
        """Reads nothing yet.

        Args:
            journal: the run's.
            by_latency: cells whose rate is what was asked for: their figure is the mean latency.
        """
        self._journal = journal
        self._by_latency = by_latency
        self._read = 0
        self._sums: dict[str, dict[int, Window]] = {}
        self.excluded: set[str] = set()
        self.stacks: set[str] = set()
        self.ended: set[str] = set()
        self.meetings: dict[Pair, list[float]] = {}
        self.lame: set[Pair] = set()
        self.over = False
        self.spent_s = 0.0

    def rates(self) -> dict[str, dict[int, float]]:
        """Give calls a second by cell and block: all calls in the windows of a block's trials over all their time.

        Of an open loop, whose calls a second are what was asked for, it is one over the mean latency.
        """
        return {cell: {block: window.per_s for block, window in blocks.items()} for cell, blocks in self._sums.items()}

    def go_on(self) -> None:
        """Reads what was written since.

        Raises:
            BadInput: the journal is damaged.
        """
        with self._journal.open("rb") as lines:
            lines.seek(self._read)
            for line in lines:
                if not line.endswith(b"\n"):
                    return
                self._read += len(line)
                if line.startswith(_KINDS):
                    self._take(line)

    def _take(self, raw: bytes) -> None:
        """Take a line in."""
        try:
            line = json.loads(raw)
            match line["kind"]:
                case "trial":
                    self._trial(line)
                case "excluded" if line["cell"] is None:
                    self.stacks.add(line["stack"])
                case "excluded":
                    self.excluded.add(line["cell"])
                case "ended" if line["cell"] is None:
                    self.over = True
                case "ended":
                    self.ended.add(line["cell"])
                case "meeting":
                    self._meeting(line)
                case _:
                    pass
        except (KeyError, TypeError, ValueError) as failure:
            raise BadInput(f"{self._journal} is damaged: {failure!r} is missing or of the wrong kind") from failure
        self.spent_s = max(self.spent_s, float(line.get("spent_s") or 0.0))

    def _trial(self, line: Mapping[str, Any]) -> None:
        if line.get("unsteady"):
            return
        done = line["done"]
        window = window_of(done)
        if line["cell"] in self._by_latency and done["latency"]:
            window = Window(float(done["latency"]["count"]), int(done["latency"]["sum_ns"]))
        if window.per_s:
            blocks = self._sums.setdefault(line["cell"], {})
            blocks[line["block"]] = blocks.get(line["block"], Window(0.0, 0)) + window

    def _meeting(self, line: Mapping[str, Any]) -> None:
        pair = (str(line["cell"]), str(line["other"]))
        ratio = ratio_of(line)
        if ratio is None:
            self.lame.add(pair)
        else:
            self.meetings.setdefault(pair, []).append(ratio)


def ratio_of(line: Mapping[str, Any]) -> float | None:
    """Give a meeting's ratio: the first's rate over the second's; None where one of them cannot be believed."""
    met = line["met"]
    calls, times = met["calls"], met["elapsed_ns"]
    if not line["agree"] or not (all(calls) and all(times)):
        return None
    return float((calls[0] / times[0]) / (calls[1] / times[1]))


def added(lines: Iterator[Mapping[str, Any]]) -> list[list[tuple[str, str, list[str]]]]:
    """Give the blocks that were added to a plan: per block its visits, per visit stack, link and cells."""
    return [
        [(visit["stack"], visit["link"], list(visit["cells"])) for visit in line["visits"]]
        for line in lines
        if line["kind"] == "added"
    ]
