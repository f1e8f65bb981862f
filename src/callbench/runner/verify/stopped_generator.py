"""Check that a generator which is stopped for a while reports late arrivals and long waits."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Timer

from callbench.adapter.contract import Done
from callbench.adapter.stack import side_processes
from callbench.runner.machine import idle_processes
from callbench.runner.verify.accuracy import GAPS_NS, SCHEDULE
from callbench.runner.verify.session import VerifySession

# How often the schedule of three arrivals is repeated; meanwhile the client's processes are stopped for a while.
TURNS = 80
STOPPED_FROM_S, STOPPED_S = 0.15, 0.2
# About 10 s are expected: a hundred calls with a mean wait of 0.1 s.
LEAST_WAITED_S = 1.0
# On a busy machine the stop begins and ends a little late.
_MOST_OF = 0.5
# On a busy machine a loop can begin so late that the stop is over, or the stop can come when the loop is over. Each
# further attempt has a loop that is twice as long, and a stop that begins twice as late.
_ATTEMPTS = 5


def check(session: VerifySession) -> str | None:
    """Only if the adapter has open loops. There is only a lower limit, since tests do not judge lateness itself."""
    sides = session.sides()
    if "open" not in sides.client.hello["features"]:
        return None
    pids, why = side_processes.processes_of(sides).client, None
    for attempt in range(_ATTEMPTS):
        longer = 2**attempt
        calls = TURNS * longer * len(GAPS_NS)

        def drive(calls: int = calls) -> Done:
            probe = session.probe
            return sides.client.drive(
                probe.call, probe.arguments, calls=calls, seconds=0, limit_seconds=60, schedule=SCHEDULE
            )

        stop = _Stop(pids, STOPPED_FROM_S * longer)
        why = _why(stop.during(drive))
        if why is None or stop.surely_within_loop(TURNS * longer * sum(GAPS_NS) / 1e9) >= STOPPED_S * _MOST_OF:
            return why
    return why


def _why(done: Done) -> str | None:
    """Say what is wrong with the times of a loop that was stopped; None if nothing is."""
    latency, service, lateness = done["latency"], done["service"], done["lateness"]
    if latency is None or service is None or lateness is None:
        return "a schedule was given, and the answer lacks one of latency, service and lateness"
    stopped = f"the client's processes were stopped for {STOPPED_S * 1000:g} ms of an open loop"
    late_ms, within_ms = (histogram["max_ns"] / 1e6 for histogram in (lateness, service))
    # The stop may overlap with the loop by just the least that counts as stopped.
    if max(late_ms, within_ms) < STOPPED_S * 1000 * _MOST_OF * _MOST_OF:
        return f"{stopped}: the reported lateness is {late_ms:.1f} ms at most, and of a call {within_ms:.1f} ms"
    # A hundred calls were due meanwhile. A latency from the real start would leave out their wait.
    waited_s = (int(latency["sum_ns"]) - int(service["sum_ns"])) / 1e9
    if waited_s < LEAST_WAITED_S:
        return f"{stopped}, and all calls waited for {waited_s:.3f} s in sum: latency must be from the intended start"
    return None


@dataclass
class _Stop:
    """Processes that are stopped for a while, and when that was.

    Attributes:
        pids: the processes.
        from_s: how long after the begin of the call they are stopped.
    """

    pids: Sequence[int]
    from_s: float
    _at: list[float] = field(default_factory=list)
    _begun: float = 0.0
    _ended: float = 0.0

    def during(self, drive: Callable[[], Done]) -> Done:
        """Make a call, and stop the processes meanwhile; resume them before it ends, even if it fails."""
        timers = [Timer(self.from_s, self._stop), Timer(self.from_s + STOPPED_S, self._resume)]
        for timer in timers:
            timer.start()
        try:
            self._begun = time.monotonic()
            done = drive()
            self._ended = time.monotonic()
            return done
        finally:
            for timer in timers:
                timer.cancel()
                timer.join()
            idle_processes.resume_processes(self.pids)

    def surely_within_loop(self, seconds: float) -> float:
        """Return how long the processes were surely stopped during a loop of at least so many seconds.

        The loop begins after the call and ends before its answer is here. On a busy machine both can be much later, and
        a stop between the loop and its answer delays the answer. So the loop lasts surely from `seconds` before the
        answer to `seconds` after the begin of the call.
        """
        if len(self._at) < 2:
            return 0.0
        begin, end = self._at
        return min(end, self._begun + seconds) - max(begin, self._ended - seconds)

    def _stop(self) -> None:
        idle_processes.stop(self.pids)
        self._at.append(time.monotonic())

    def _resume(self) -> None:
        self._at.append(time.monotonic())
        idle_processes.resume_processes(self.pids)
