"""The effect of a trial on both sides: memory, threads, files and context switches."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from callbench.adapter.stack.side_processes import processes_of, watched_elsewhere
from callbench.adapter.stack.sides import Sides
from callbench.adapter.watch.adapter_watch import Watch
from callbench.adapter.watch.process_reading import read_full
from callbench.adapter.watch.sampler import Sampler, SideSamples
from callbench.model.cell import Cell
from callbench.model.errors import AdapterFailure, CallbenchError
from callbench.model.process_readings import FullReading
from callbench.runner.measure.probe import Probe
from callbench.store.lines.sides import ProcessesOfSide, ProcessesSeen, SideRead

# How long a watched cell rests after its load, to see what memory it returns.
REST_S = 2.0
_HEAP = "heap"


@dataclass
class _Trial:
    """A trial in progress.

    Attributes:
        begin: of the sides on this machine.
        elsewhere: the sides on other machines, watched there.
    """

    sides: Sides
    watched: bool
    sampler: Sampler
    begin: Mapping[str, FullReading]
    elsewhere: Mapping[str, Watch]


class Processes(Probe):
    """Watches the processes of both sides, including registries and helpers that a stack starts."""

    name = "processes"

    def __init__(self, rest_s: float = REST_S) -> None:
        """Prepare the probe.

        Args:
            rest_s: how long a watched cell rests after its load, in seconds.
        """
        self._rest_s = rest_s
        self._trial: _Trial | None = None

    def begin(self, sides: Sides, cell: Cell) -> None:
        """Read all values once, and start the sampler."""
        begin = {side: read_full(pids) for side, pids in processes_of(sides).by_side().items()}
        elsewhere = watched_elsewhere(sides)
        sampler = Sampler(lambda: self._families(sides, begin))
        self._trial = _Trial(sides, cell.watch, sampler, begin, elsewhere)

    def end(self) -> ProcessesSeen:
        """Read all values again at the end of the load and, for a watched cell, at the end of its rest."""
        trial, self._trial = self._trial, None
        if trial is None:
            return {}
        load_ms = trial.sampler.at_ms()
        begins = {**trial.begin, **{side: watch.begin for side, watch in trial.elsewhere.items()}}
        ends = self._read(trial)
        heaps = {side: _heap(trial.sides, side) for side in begins}
        rests: dict[str, FullReading] = {}
        if trial.watched and not trial.sides.broken:
            time.sleep(self._rest_s)
            rests = self._read(trial)
        trial.sampler.stop()
        sides = [
            ProcessesOfSide(**_side(side, begins[side], ends[side], rests.get(side), track), heap_bytes=heaps[side])
            for side, track in [*trial.sampler.tracks.items(), *_samples_elsewhere(trial)]
            if side in ends
        ]
        return {"load_ms": load_ms, "rest_ms": round(self._rest_s * 1e3) if rests else None, "sides": sides}

    def _read(self, trial: _Trial) -> dict[str, FullReading]:
        """Read all values of each side. One whose host does not answer is missing."""
        found = {side: read_full(pids) for side, pids in self._families(trial.sides, trial.begin).items()}
        for side, watch in trial.elsewhere.items():
            with suppress(CallbenchError):
                found[side] = watch.read()
        return found

    @staticmethod
    def _families(sides: Sides, known: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
        """Return each side's processes by the initial side names, even if one has died."""
        by_side = processes_of(sides)
        every = {
            "client": by_side.client,
            "server": by_side.server,
            "both": by_side.client,
            "backend": by_side.backend or (),
        }
        return {side: every[side] for side in known}


def _samples_elsewhere(trial: _Trial) -> Iterator[tuple[str, SideSamples]]:
    for side, watch in trial.elsewhere.items():
        with suppress(CallbenchError):
            yield side, watch.end()


def _heap(sides: Sides, side: str) -> int | None:
    """Return the heap size that the runtime reports, if it can.

    Ask after the trial, because the runtime may collect first.
    """
    adapter = {"server": sides.server, "backend": sides.backend}.get(side, sides.client)
    if adapter is None or adapter.broken or _HEAP not in adapter.hello["features"]:
        return None
    try:
        return adapter.heap()
    except AdapterFailure:
        return None


def _read(reading: FullReading) -> SideRead:
    return cast("SideRead", reading.record())


def _side(
    side: str, begin: FullReading, end: FullReading, rest: FullReading | None, track: SideSamples
) -> ProcessesOfSide:
    """Return the journal record of one side."""
    return {
        "side": side,
        "begin": _read(begin),
        "end": _read(end),
        "rest": _read(rest) if rest else None,
        "peak_bytes": max((sample.resident_bytes for _, sample in track.samples), default=0),
        "peak_threads": max((sample.threads for _, sample in track.samples), default=0),
        "threads_made": track.threads_made,
        "threads_ended": track.threads_ended,
        "processes_made": track.processes_made,
        "processes_ended": track.processes_ended,
        "samples": [
            [at_ms, reading.resident_bytes, reading.threads, reading.processes, reading.user_ms, reading.system_ms]
            for at_ms, reading in track.samples
        ],
    }
