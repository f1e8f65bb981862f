"""What a trial does to the processes of both sides: memory, threads, files, switches, over time and at its ends."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callbench.adapter.stack.side_processes import of
from callbench.adapter.stack.sides import Sides
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure
from callbench.runner.measure.probe import Probe
from callbench.runner.measure.reading import Full, full
from callbench.runner.measure.sampler import Sampler, Track

# How long a watched cell is left alone after its load, to see what it gives back.
REST_S = 2.0
_HEAP = "heap"


@dataclass
class _Trial:
    """A trial under way."""

    sides: Sides
    watched: bool
    sampler: Sampler
    begin: Mapping[str, Full]


class Processes(Probe):
    """Watches the processes of both sides. The registries and helpers that a stack starts are among them."""

    name = "processes"

    def __init__(self, rest_s: float = REST_S) -> None:
        """Prepares.

        Args:
            rest_s: how long a watched cell is left alone after its load, in seconds.
        """
        self._rest_s = rest_s
        self._trial: _Trial | None = None

    def begin(self, sides: Sides, cell: Cell) -> None:
        """Reads everything once, and starts to sample."""
        begin = {side: full(pids) for side, pids in of(sides).by_side().items()}
        sampler = Sampler(lambda: self._families(sides, begin))
        self._trial = _Trial(sides, cell.watch, sampler, begin)

    def end(self) -> Mapping[str, Any]:
        """Reads everything again: at the end of the load, and of a rest where the cell is watched."""
        trial, self._trial = self._trial, None
        if trial is None:
            return {}
        load_ms = trial.sampler.at_ms()
        families = self._families(trial.sides, trial.begin)
        ends = {side: full(pids) for side, pids in families.items()}
        heaps = {side: _heap(trial.sides, side) for side in trial.begin}
        rests: dict[str, Full] = {}
        if trial.watched and not trial.sides.broken:
            time.sleep(self._rest_s)
            rests = {side: full(pids) for side, pids in self._families(trial.sides, trial.begin).items()}
        trial.sampler.stop()
        sides = [
            _side(side, trial.begin[side], ends[side], rests.get(side), track) | {"heap_bytes": heaps[side]}
            for side, track in trial.sampler.tracks.items()
        ]
        return {"load_ms": load_ms, "rest_ms": round(self._rest_s * 1e3) if rests else None, "sides": sides}

    @staticmethod
    def _families(sides: Sides, known: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
        """Each side's processes under the names it began with, also where one has died meanwhile."""
        found = of(sides)
        every = {"client": found.client, "server": found.server, "both": found.client, "backend": found.backend or ()}
        return {side: every[side] for side in known}


def _heap(sides: Sides, side: str) -> int | None:
    """What the runtime says of its heap, where it can; after the trial, since it may collect first."""
    adapter = {"server": sides.server, "backend": sides.backend}.get(side, sides.client)
    if adapter is None or adapter.broken or _HEAP not in adapter.hello["features"]:
        return None
    try:
        return adapter.heap()
    except AdapterFailure:
        return None


def _side(side: str, begin: Full, end: Full, rest: Full | None, track: Track) -> dict[str, Any]:
    """One side, as the journal has it."""
    return {
        "side": side,
        "begin": begin.record(),
        "end": end.record(),
        "rest": rest.record() if rest else None,
        "peak_bytes": max((sample.resident_bytes for _, sample in track.samples), default=0),
        "peak_threads": max((sample.threads for _, sample in track.samples), default=0),
        "threads_made": track.threads_made,
        "threads_ended": track.threads_ended,
        "processes_made": track.processes_made,
        "processes_ended": track.processes_ended,
        "samples": [
            [at_ms, one.resident_bytes, one.threads, one.processes, one.user_ms, one.system_ms]
            for at_ms, one in track.samples
        ],
    }
