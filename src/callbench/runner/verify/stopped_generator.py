"""Check that a generator which is stopped for a while reports late arrivals and long waits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer

from callbench.adapter.stack import side_processes
from callbench.runner import idle_processes
from callbench.runner.verify.accuracy import GAPS_NS, SCHEDULE
from callbench.runner.verify.session import Session

# How often the schedule of three arrivals is repeated; meanwhile the client's processes are stopped for a while.
TURNS = 80
STOPPED_FROM_S, STOPPED_S = 0.15, 0.2
# About 10 s are expected: a hundred calls with a mean wait of 0.1 s.
LEAST_WAITED_S = 1.0
# On a busy machine the stop begins and ends a little late.
_MOST_OF = 0.5


def check(session: Session) -> str | None:
    """Only if the adapter has open loops. There is only a lower limit, since tests do not judge lateness itself."""
    sides = session.sides()
    if "open" not in sides.client.hello["features"]:
        return None
    calls = TURNS * len(GAPS_NS)
    pids = side_processes.processes_of(sides).client
    with _stopped_for_a_while(pids):
        done = sides.client.drive(
            session.probe.call, session.probe.arguments, calls=calls, seconds=0, limit_seconds=60, schedule=SCHEDULE
        )
    latency, service, lateness = done["latency"], done["service"], done["lateness"]
    if latency is None or service is None or lateness is None:
        return "a schedule was given, and the answer lacks one of latency, service and lateness"
    least_ms = STOPPED_S * 1000 * _MOST_OF
    stopped = f"the client's processes were stopped for {STOPPED_S * 1000:g} ms of an open loop"
    late_ms, within_ms = (one["max_ns"] / 1e6 for one in (lateness, service))
    if max(late_ms, within_ms) < least_ms:
        return f"{stopped}: the reported lateness is {late_ms:.1f} ms at most, and of a call {within_ms:.1f} ms"
    # A hundred calls were due meanwhile. A latency from the real start would leave out their wait.
    waited_s = (int(latency["sum_ns"]) - int(service["sum_ns"])) / 1e9
    if waited_s < LEAST_WAITED_S:
        return f"{stopped}, and all calls waited for {waited_s:.3f} s in sum: latency must be from the intended start"
    return None


@contextmanager
def _stopped_for_a_while(pids: Sequence[int]) -> Iterator[None]:
    """Stop processes while the block runs, and resume them before it ends, even if it fails."""
    timers = [
        Timer(STOPPED_FROM_S, idle_processes.stop, [pids]),
        Timer(STOPPED_FROM_S + STOPPED_S, idle_processes.resume_processes, [pids]),
    ]
    for timer in timers:
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
            timer.join()
        idle_processes.resume_processes(pids)
