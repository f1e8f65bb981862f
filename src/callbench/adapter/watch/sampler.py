"""A thread that reads a side's processes ten times a second during a trial."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from callbench.adapter.watch.process_reading import namespace_id, read_light, threads_of
from callbench.model.process_readings import LightReading

PERIOD_S = 0.1
# Seconds between searches for new processes, because a search reads every process of the machine.
_FAMILY_S = 2.0
# The largest number of samples of a side. Beyond it every second one is dropped, and the period doubles.
MOST = 2_000

Families = Mapping[str, Sequence[int]]


@dataclass
class SideSamples:
    """The samples of one side.

    Attributes:
        samples: each with its time in milliseconds since the trial began.
        pids: its processes at the last search.
        threads: ids of the living threads at the last sample, with their process.
        made: observed threads that were created after the trial began.
        ended: threads that have ended.
        processes_made: processes that were created.
        processes_ended: processes that have ended.
        before_id: the id before the first created thread, in the side's own PID namespace; None without one. Threads
            that were alive at the beginning do not show it, because others may have come and gone.
        last_id: the highest observed id.
    """

    samples: list[tuple[int, LightReading]] = field(default_factory=list)
    pids: tuple[int, ...] = ()
    threads: dict[int, int] = field(default_factory=dict)
    made: int = 0
    ended: int = 0
    processes_made: int = 0
    processes_ended: int = 0
    before_id: int | None = None
    last_id: int | None = None

    @property
    def threads_made(self) -> int:
        """Lower limit of the created threads. Ids are consecutive, so unobserved threads are included."""
        if self.before_id is None or self.last_id is None:
            return self.made
        return max(self.made, self.last_id - self.before_id)

    @property
    def threads_ended(self) -> int:
        """Lower limit of the ended threads: all created ones that are no longer alive."""
        return self.ended + self.threads_made - self.made

    def set_processes(self, pids: Sequence[int]) -> None:
        """Store the current processes."""
        before, now = set(self.pids), set(pids)
        if self.samples:
            self.processes_made += len(now - before)
            self.processes_ended += len(before - now)
        self.pids = tuple(pids)

    def add_sample(self, at_ms: int) -> None:
        """Take one sample."""
        now = threads_of(self.pids)
        fresh = now.keys() - self.threads.keys()
        if self.samples:
            self.made += len(fresh)
            self.ended += len(self.threads.keys() - now.keys())
            ids = [own for tid in fresh if (own := namespace_id(now[tid], tid)) is not None]
            if ids and self.before_id is None:
                self.before_id = min(ids) - 1
            self.last_id = max(ids, default=self.last_id)
        self.threads = now
        self.samples.append((at_ms, read_light(self.pids)))


class Sampler:
    """Samples until it is stopped. It never raises; what cannot be read counts nothing."""

    def __init__(self, families: Callable[[], Families], period_s: float = PERIOD_S) -> None:
        """Take the first sample, and start the thread.

        Args:
            families: returns each side's processes.
            period_s: seconds between two samples.
        """
        self._families = families
        self._period_s = period_s
        self._stopping = threading.Event()
        self._began = self._searched = time.monotonic()
        self.tracks = {side: SideSamples(pids=tuple(pids)) for side, pids in families().items()}
        self.sample()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._thread.start()

    def at_ms(self) -> int:
        """Return the milliseconds since the sampler began."""
        return round((time.monotonic() - self._began) * 1e3)

    def stop(self) -> None:
        """Stop the thread, and take a last sample with a last search."""
        self._stopping.set()
        self._thread.join()
        self.search()
        self.sample()

    def _run(self) -> None:
        due = self._began + self._period_s
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            if time.monotonic() - self._searched >= _FAMILY_S:
                self.search()
            self.sample()
            # A late sample is not caught up: two at once show nothing new.
            due = max(due + self._period_s, time.monotonic())

    def search(self) -> None:
        """Search for new and ended processes of each side."""
        self._searched = time.monotonic()
        for side, pids in self._families().items():
            self.tracks[side].set_processes(pids)

    def sample(self) -> None:
        """Take one sample of each side."""
        for track in self.tracks.values():
            track.add_sample(self.at_ms())
        if any(len(track.samples) >= MOST for track in self.tracks.values()):
            self._period_s *= 2
            for track in self.tracks.values():
                del track.samples[1:-1:2]
