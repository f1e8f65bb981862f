"""The resources that both sides use: sampled ten times a second, and read on request."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from callbench.adapter.watch.process_reading import files_of, read_full
from callbench.adapter.watch.sampler import Families, Sampler, SideSamples
from callbench.model.process_readings import LightReading
from callbench.store.lines.sides import SideRead, SideUse


@dataclass
class _Reported:
    """The values of a side at the last request."""

    made: int
    ended: int
    last: LightReading


class ProcessUsage:
    """Samples until it is closed. It never raises; what cannot be read counts nothing."""

    def __init__(self, families: Callable[[], Families]) -> None:
        """Start sampling.

        Args:
            families: returns the processes of each side.
        """
        self._families = families
        self._sampler = Sampler(families)
        self._reported = {side: _reported(track) for side, track in self._sampler.tracks.items()}

    def read(self) -> dict[str, SideUse]:
        """Return each side's use since the last call: current and greatest sizes, and differences of counts."""
        return {side: self._changes(side, track) for side, track in self._sampler.tracks.items()}

    def _changes(self, side: str, track: SideSamples) -> SideUse:
        # Samples that arrive meanwhile are kept for the next call.
        count = len(track.samples)
        samples = [reading for _, reading in track.samples[:count]]
        del track.samples[: count - 1]
        before, last = self._reported[side], samples[-1]
        self._reported[side] = _reported(track)
        return {
            "processes": last.processes,
            "resident_bytes": last.resident_bytes,
            "resident_peak": max(reading.resident_bytes for reading in samples),
            "threads": last.threads,
            "threads_peak": max(reading.threads for reading in samples),
            "threads_made": track.threads_made - before.made,
            "threads_ended": track.threads_ended - before.ended,
            "files": files_of(track.pids),
            # The kernel forgets the time of ended processes.
            "user_ms": max(0, last.user_ms - before.last.user_ms),
            "system_ms": max(0, last.system_ms - before.last.system_ms),
        }

    def exact(self) -> dict[str, SideRead]:
        """Return all values of each side now, with exact memory. It reads all memory pages."""
        return {side: cast("SideRead", read_full(pids).record()) for side, pids in self._families().items()}

    def close(self) -> None:
        """Stop sampling."""
        self._sampler.stop()


def _reported(track: SideSamples) -> _Reported:
    return _Reported(track.threads_made, track.threads_ended, track.samples[-1][1])
