"""The processes of one adapter while it is driven: read at moments, and sampled ten times a second."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Protocol, TypedDict

from callbench.adapter.watch.adapter_processes import descendants_of
from callbench.adapter.watch.process_reading import read_full
from callbench.adapter.watch.sampler import Sampler, SideSamples
from callbench.model.process_readings import FullReading, LightReading

_SIDE = "side"


class SamplesRecord(TypedDict):
    """The samples of an adapter's processes, as they cross to the core."""

    samples: list[tuple[int, Sequence[int]]]
    counts: dict[str, int | None]


# What of `SideSamples` is more than samples, and needed when they are over.
_COUNTS = ("made", "ended", "processes_made", "processes_ended", "before_id", "last_id")


class Watch(Protocol):
    """Watches the processes of one adapter that is on another machine. It begins with a reading."""

    begin: FullReading

    def read(self) -> FullReading:
        """Read all values now."""

    def end(self) -> SideSamples:
        """Return the samples, and watch no more."""


class AdapterWatch:
    """Watches the processes below a supervisor of this machine, until its `end`.

    Attributes:
        begin: the first reading.
    """

    def __init__(self, root: int) -> None:
        """Read all values, and begin to sample."""
        self._root = root
        self.begin = self.read()
        self._sampler = Sampler(lambda: {_SIDE: descendants_of(root)})

    def read(self) -> FullReading:
        """Read all values now."""
        return read_full(descendants_of(self._root))

    def end(self) -> SamplesRecord:
        """Return the samples, and watch no more."""
        self._sampler.stop()
        track = self._sampler.tracks[_SIDE]
        return {
            "samples": [(at_ms, astuple(reading)) for at_ms, reading in track.samples],
            "counts": {name: getattr(track, name) for name in _COUNTS},
        }


def samples_of(record: SamplesRecord) -> SideSamples:
    """Return the samples that have crossed."""
    track = SideSamples([(at_ms, LightReading(*values)) for at_ms, values in record["samples"]])
    for name, count in record["counts"].items():
        setattr(track, name, count)
    return track
