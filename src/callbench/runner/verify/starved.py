"""A generator that was not run for a while says so: what was due meanwhile is late, and its callers waited for it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer

from callbench.adapter.stack import side_processes
from callbench.runner import still
from callbench.runner.verify.honesty import GAPS_NS, SCHEDULE
from callbench.runner.verify.session import Session

# So many times as long as the schedule of three arrivals, of which the client's processes are stopped for a while.
TURNS = 80
STOPPED_FROM_S, STOPPED_S = 0.15, 0.2
# Expected are 10 s: a hundred calls that wait for 0.1 s at the mean.
LEAST_WAITED_S = 1.0
# The stop begins and ends a little later than asked for, on a busy machine.
_MOST_OF = 0.5


def check(session: Session) -> str | None:
    """Only where the adapter has open loops. The bound is a lower one: it is no business of a test how late it is."""
    sides = session.sides()
    if "open" not in sides.client.hello["features"]:
        return None
    calls = TURNS * len(GAPS_NS)
    pids = side_processes.of(sides).client
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
        return f"{stopped}: of its lateness it says {late_ms:.1f} ms at most, and of a call {within_ms:.1f} ms"
    # A hundred calls were due meanwhile. A time counted from the call's begin leaves out what its caller waited.
    waited_s = (int(latency["sum_ns"]) - int(service["sum_ns"])) / 1e9
    if waited_s < LEAST_WAITED_S:
        return f"{stopped}, and all calls waited for {waited_s:.3f} s in sum: latency must be from the intended start"
    return None


@contextmanager
def _stopped_for_a_while(pids: Sequence[int]) -> Iterator[None]:
    """Stops processes once the block is under way, and lets them go on before it ends, whatever happens."""
    timers = [
        Timer(STOPPED_FROM_S, still.stop, [pids]),
        Timer(STOPPED_FROM_S + STOPPED_S, still.go_on, [pids]),
    ]
    for timer in timers:
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
            timer.join()
        still.go_on(pids)
