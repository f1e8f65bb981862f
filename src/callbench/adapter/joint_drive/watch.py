"""What is seen of the clients' processes on several hosts, added up as if they were on one."""

from bisect import bisect_right
from collections.abc import Sequence

from callbench.adapter.watch.adapter_watch import Watch
from callbench.adapter.watch.sampler import SideSamples
from callbench.model.process_readings import FullReading, LightReading


class JointWatch:
    """Watches the processes of adapters on several hosts.

    Attributes:
        begin: the first readings.
    """

    def __init__(self, watches: Sequence[Watch]) -> None:
        """Take watches that have begun."""
        self._watches = watches
        self.begin = watches[0].begin.with_others(watch.begin for watch in watches[1:])

    def read(self) -> FullReading:
        """Read all values now."""
        first, *others = [watch.read() for watch in self._watches]
        return first.with_others(others)

    def end(self) -> SideSamples:
        """Return the samples, and watch no more."""
        return samples_together([watch.end() for watch in self._watches])


def samples_together(tracks: Sequence[SideSamples]) -> SideSamples:
    """Add the samples of several hosts up: at each moment of the first, the last of each that it had by then."""

    def at(track: SideSamples, at_ms: int) -> LightReading:
        place = bisect_right(track.samples, at_ms, key=lambda sample: sample[0])
        return track.samples[max(0, place - 1)][1]

    seen = [track for track in tracks if track.samples]
    first = seen[0].samples if seen else []
    return SideSamples(
        [(at_ms, own.with_others(at(track, at_ms) for track in seen[1:])) for at_ms, own in first],
        made=sum(track.threads_made for track in tracks),
        ended=sum(track.threads_ended for track in tracks),
        processes_made=sum(track.processes_made for track in tracks),
        processes_ended=sum(track.processes_ended for track in tracks),
    )
