"""Memory and threads of the clients on several hosts, added up."""

from callbench.adapter.joint_drive.watch import JointWatch
from callbench.adapter.watch.sampler import SideSamples
from callbench.model.process_readings import FullReading, LightReading


class Watched:
    """A host whose processes have so many bytes."""

    def __init__(self, resident_bytes: int, unique_bytes: int | None, samples: SideSamples) -> None:
        """With these samples."""
        self.begin = FullReading(processes=1, resident_bytes=resident_bytes, unique_bytes=unique_bytes)
        self._samples = samples

    def read(self) -> FullReading:
        return self.begin

    def end(self) -> SideSamples:
        return self._samples


def light(resident_bytes: int) -> LightReading:
    return LightReading(processes=1, resident_bytes=resident_bytes)


def test_hosts_are_added_up() -> None:
    first = SideSamples([(0, light(10)), (100, light(20)), (200, light(30))], made=2, ended=1, processes_made=1)
    second = SideSamples([(40, light(1)), (140, light(2))], made=3, before_id=10, last_id=15)
    watch = JointWatch([Watched(10, 5, first), Watched(1, 1, second), Watched(7, None, SideSamples())])
    for reading in (watch.begin, watch.read()):
        assert (reading.processes, reading.resident_bytes) == (3, 18)
        # One of them cannot tell it.
        assert reading.unique_bytes is None
    seen = watch.end()
    assert [(at_ms, reading.resident_bytes) for at_ms, reading in seen.samples] == [(0, 11), (100, 21), (200, 32)]
    assert (seen.threads_made, seen.threads_ended, seen.processes_made) == (7, 3, 1)
    assert JointWatch([Watched(10, 5, SideSamples())]).end().samples == []
