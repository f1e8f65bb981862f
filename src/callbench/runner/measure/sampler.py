"""A thread that looks at a side's processes ten times a second while a trial is driven, and keeps what it saw."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from callbench.runner.measure.reading import Light, light, namespace_id, threads_of

PERIOD_S = 0.1
# Whoever joined a side is looked for every two seconds: that is a look at every process of the machine.
_FAMILY_S = 2.0
# So many samples of a side are kept: beyond it every second one goes, and they are taken half as often.
MOST = 2_000

Families = Mapping[str, Sequence[int]]


@dataclass
class Track:
    """What was seen of one side.

    Attributes:
        samples: when, in milliseconds since the trial began, and what.
        pids: its processes when last looked for.
        threads: ids of the threads alive at the last look.
        made: threads seen that were not there when the trial began.
        ended: threads that were there once and are not any more.
        processes_made: processes likewise.
        processes_ended: likewise.
        before_id: the id before the first thread that was seen made, in the side's own PID namespace; None where there
            is none. Threads alive when the trial began do not tell it: others may have come and gone since them.
        last_id: the highest one seen.
    """

    samples: list[tuple[int, Light]] = field(default_factory=list)
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
        """Threads made, at least: ids are given out in order, so those that nobody saw are in the numbers."""
        if self.before_id is None or self.last_id is None:
            return self.made
        return max(self.made, self.last_id - self.before_id)

    @property
    def threads_ended(self) -> int:
        """Threads ended, at least: every one made and not alive any more."""
        return self.ended + self.threads_made - self.made

    def joined(self, pids: Sequence[int]) -> None:
        """Notes which processes there are now."""
        before, now = set(self.pids), set(pids)
        if self.samples:
            self.processes_made += len(now - before)
            self.processes_ended += len(before - now)
        self.pids = tuple(pids)

    def sees(self, at_ms: int) -> None:
        """Takes one sample."""
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
        self.samples.append((at_ms, light(self.pids)))


class Sampler:
    """Samples until it is stopped. It never raises: what cannot be read counts for nothing."""

    def __init__(self, families: Callable[[], Families], period_s: float = PERIOD_S) -> None:
        """Looks for the first time, and starts the thread.

        Args:
            families: finds each side's processes.
            period_s: between two looks.
        """
        self._families = families
        self._period_s = period_s
        self._stopping = threading.Event()
        self._began = self._searched = time.monotonic()
        self.tracks = {side: Track(pids=tuple(pids)) for side, pids in families().items()}
        self.look()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._thread.start()

    def at_ms(self) -> int:
        """Milliseconds since it began."""
        return round((time.monotonic() - self._began) * 1e3)

    def stop(self) -> None:
        """Ends the thread, and looks a last time, for those who joined too."""
        self._stopping.set()
        self._thread.join()
        self.search()
        self.look()

    def _run(self) -> None:
        due = self._began + self._period_s
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            if time.monotonic() - self._searched >= _FAMILY_S:
                self.search()
            self.look()
            # A look that comes late is not made up for: two at once tell nothing.
            due = max(due + self._period_s, time.monotonic())

    def search(self) -> None:
        """Looks for those who joined a side, and for those who left it."""
        self._searched = time.monotonic()
        for side, pids in self._families().items():
            self.tracks[side].joined(pids)

    def look(self) -> None:
        """Takes one sample of each side."""
        for track in self.tracks.values():
            track.sees(self.at_ms())
        if any(len(track.samples) >= MOST for track in self.tracks.values()):
            self._period_s *= 2
            for track in self.tracks.values():
                del track.samples[1:-1:2]
