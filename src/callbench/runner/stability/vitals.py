"""What the processes of both sides take while something goes on: looked at ten times a second, told when asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from callbench.runner.measure.reading import Light, files_of, full
from callbench.runner.measure.sampler import Families, Sampler, Track


@dataclass
class _Told:
    """What had been told of a side when last asked."""

    made: int
    ended: int
    last: Light


class Vitals:
    """Watches until it is closed. It never raises: what cannot be read counts for nothing."""

    def __init__(self, families: Callable[[], Families]) -> None:
        """Begins to watch.

        Args:
            families: finds the processes of each side.
        """
        self._families = families
        self._sampler = Sampler(families)
        self._told = {side: _told(track) for side, track in self._sampler.tracks.items()}

    def taken(self) -> dict[str, dict[str, Any]]:
        """What became of each side since last asked: sizes now and at their greatest, counts as differences."""
        return {side: self._since(side, track) for side, track in self._sampler.tracks.items()}

    def _since(self, side: str, track: Track) -> dict[str, Any]:
        # Those looked at while this goes on are kept for the next time: all but the last that is told of now.
        count = len(track.samples)
        seen = [one for _, one in track.samples[:count]]
        del track.samples[: count - 1]
        before, last = self._told[side], seen[-1]
        self._told[side] = _told(track)
        return {
            "processes": last.processes,
            "resident_bytes": last.resident_bytes,
            "resident_peak": max(one.resident_bytes for one in seen),
            "threads": last.threads,
            "threads_peak": max(one.threads for one in seen),
            "threads_made": track.threads_made - before.made,
            "threads_ended": track.threads_ended - before.ended,
            "files": files_of(track.pids),
            # Of who has ended meanwhile the kernel forgets.
            "user_ms": max(0, last.user_ms - before.last.user_ms),
            "system_ms": max(0, last.system_ms - before.last.system_ms),
        }

    def exact(self) -> Mapping[str, Any]:
        """Everything that /proc has of each side now, memory exact: it costs a walk over pages."""
        return {side: full(pids).record() for side, pids in self._families().items()}

    def close(self) -> None:
        """Ends watching."""
        self._sampler.stop()


def _told(track: Track) -> _Told:
    return _Told(track.threads_made, track.threads_ended, track.samples[-1][1])
