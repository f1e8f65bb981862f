"""Whether the figures of a drive can be true: each within what the others and the core's own clock allow.

Every `done` of every command passes here before anything is written or computed. What is refused follows from
contract/CONTRACT.md alone, so an adapter that keeps it is never refused, however busy the machine is.
"""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from callbench.adapter.contract import Done, DriveInterval, Histogram
from callbench.stats.estimate.histogram import TOP, bounds_of, index_of
from callbench.stats.load.processor_use import processor_used_ns

_LAST_BUCKET = index_of(TOP)
# Clients begin and end at slightly other moments than the drive, and clocks differ by as little.
_SHARE, _CLIENT_NS = 0.02, 100_000
# The kernel counts processor time in ticks of up to 10 ms.
_TICKS_NS = 100_000_000
_ERRORS_IN_A_ROW = 100


@dataclass(frozen=True)
class Asked:
    """What was asked of a drive, and how long it took by the core's clock.

    Attributes:
        clients: how many call.
        calls: the least number of calls.
        length_ns: the least duration, no longer than the longest.
        timing: `each`, `batch` or `auto`.
        open: whether there is a schedule.
        took_ns: from the request to its answer, by the core's clock.
        stopped: whether it was to end early.
    """

    clients: int
    calls: int
    length_ns: float
    timing: str
    open: bool
    took_ns: int
    stopped: bool = False


def drive_error(asked: Asked, done: Done, intervals: Sequence[DriveInterval]) -> str | None:
    """Return what cannot be true in the figures of a drive, in a sentence; None if all can be true.

    Args:
        asked: what was asked of it.
        done: its result.
        intervals: what was reported meanwhile, the first one first.
    """
    return next(_errors(asked, done, intervals), None)


def _errors(asked: Asked, done: Done, intervals: Sequence[DriveInterval]) -> Iterator[str]:
    fraction = next(_fractions({name: value for name, value in done.items() if name != "in_flight_part"}), None)
    if fraction is not None:
        yield f"it counts {fraction}, which is not written as a whole number"
        return
    yield from _count_errors(asked, done)
    yield from _interval_errors(done, intervals)
    yield from _histogram_errors(asked, done)
    yield from _time_errors(asked, done)
    yield from _window_errors(asked, done)
    yield from _endpoint_errors(done)


def _fractions(value: object) -> Iterator[float]:
    """Yield the numbers within a value that are not written as whole ones: JSON's schema takes 1.0 for an integer."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _fractions(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _fractions(member)


def _count_errors(asked: Asked, done: Done) -> Iterator[str]:
    made = made_calls(done)
    # No call takes less than a nanosecond.
    if made > asked.clients * (done["elapsed_ns"] + 1):
        clients = _clients(asked.clients)
        yield f"{clients} made {made} calls within {done['elapsed_ns']} ns, which is more than one each nanosecond"
    if asked.timing == "each" and done["timed"] != "each":
        yield f"timing 'each' was requested; it was timed {done['timed']!r}"


def _interval_errors(done: Done, intervals: Sequence[DriveInterval]) -> Iterator[str]:
    """Yield what is wrong with the counts that were reported meanwhile: they are sums since the start."""
    before = DriveInterval(0, 0, 0, {})
    for interval in intervals:
        if any(now < then for now, then in zip(interval[:3], before[:3], strict=True)):
            yield f"its intervals go back, from {list(before[:3])} to {list(interval[:3])}"
        yield from _kind_errors(before, interval)
        before = interval
    errors = sum(done["errors"].values())
    if before.calls > done["calls"] or before.errors > errors:
        whole = f"the whole drive {done['calls']} and {errors}"
        yield f"an interval had {before.calls} calls and {before.errors} errors, and {whole}"
    for kind, count in (before.kinds or {}).items():
        if count > (all_of_it := done["errors"].get(kind, 0)):
            yield f"an interval had {count} errors of the kind {kind}, and the whole drive {all_of_it}"


def _kind_errors(before: DriveInterval, interval: DriveInterval) -> Iterator[str]:
    """Yield what is wrong with the errors by kind of an interval, after those of the interval before."""
    kinds = interval.kinds or {}
    if interval.kinds is not None and sum(kinds.values()) != interval.errors:
        yield f"an interval had {interval.errors} errors, and by kind {sum(kinds.values())}"
    for kind, count in (before.kinds or {}).items():
        if kinds.get(kind, 0) < count:
            yield f"its intervals go back, from {count} errors of the kind {kind} to {kinds.get(kind, 0)}"


def _histogram_errors(asked: Asked, done: Done) -> Iterator[str]:
    latency, service, lateness = done["latency"], done["service"], done["lateness"]
    if done["timed"] == "batch" and latency is not None:
        yield "calls were timed in batches, and there is a histogram of single calls"
    if done["timed"] == "each" and latency is None and done["calls"]:
        yield f"{done['calls']} calls were timed each, and there is no histogram"
    for name, histogram in (("latency", latency), ("service", service), ("lateness", lateness)):
        if histogram is None:
            continue
        wrong = histogram_error(histogram)
        if wrong:
            yield f"the histogram of {name}: {wrong}"
        if histogram["count"] != done["calls"]:
            yield f"the histogram of {name} counts {histogram['count']}, and {done['calls']} calls were answered"
    yield from _part_errors(done)
    if asked.open and done["calls"] and (latency is None or service is None or lateness is None):
        yield "a schedule was given, and the answer lacks one of latency, service and lateness"
    if latency is not None and done["calls"]:
        yield from _sum_errors(latency, service, lateness)


def _part_errors(done: Done) -> Iterator[str]:
    """Yield what is wrong with the parts of an open loop: they hold the same calls as its histogram."""
    parts = done.get("parts", [])
    for number, part in enumerate(parts, 1):
        if wrong := histogram_error(part):
            yield f"part {number}: {wrong}"
    held = sum(part["count"] for part in parts)
    if parts and held != done["calls"]:
        yield f"its parts hold {held} calls, and {done['calls']} were answered"


def _sum_errors(latency: Histogram, service: Histogram | None, lateness: Histogram | None) -> Iterator[str]:
    """Yield how sums of an open loop contradict each other: latency begins before service and lateness do."""
    for name, part in (("service", service), ("lateness", lateness)):
        if part is not None and int(part["sum_ns"]) > int(latency["sum_ns"]):
            yield f"the sum of {name} is {part['sum_ns']} ns, and that of latency only {latency['sum_ns']} ns"


def histogram_error(histogram: Histogram) -> str | None:
    """Return what cannot be true in a histogram of the contract, in a sentence, or None."""
    buckets = histogram["buckets"]
    if wrong := buckets_error(buckets):
        return wrong
    counted = sum(count for _, count in buckets)
    if counted != histogram["count"]:
        return f"it says {histogram['count']} calls, and its buckets hold {counted}"
    if counted:
        return _end_error(histogram) or _sum_error(histogram)
    return None if int(histogram["sum_ns"]) == 0 else f"it holds no call, and its sum is {histogram['sum_ns']} ns"


def buckets_error(buckets: Sequence[tuple[int, int]]) -> str | None:
    """Return what cannot be true in buckets and their counts, in a sentence, or None."""
    indices = [index for index, _ in buckets]
    if indices != sorted(set(indices)):
        return "its bucket indices do not rise"
    if indices and indices[-1] > _LAST_BUCKET:
        return f"it has a bucket {indices[-1]}, and the last one is {_LAST_BUCKET}"
    return None


def _end_error(histogram: Histogram) -> str | None:
    """Return how the least and the greatest time lie outside of the first and the last bucket, or None."""
    least, greatest = histogram["min_ns"], histogram["max_ns"]
    if least > greatest:
        return f"its least time is {least} ns, its greatest {greatest} ns"
    filled = [index for index, count in histogram["buckets"] if count]
    ends = (index_of(least), index_of(greatest))
    if (filled[0], filled[-1]) == ends:
        return None
    return f"its buckets reach from {filled[0]} to {filled[-1]}; its least and greatest times are in {ends}"


def _sum_error(histogram: Histogram) -> str | None:
    """Return how the sum lies outside of what the buckets allow, or None."""
    least, greatest, total = histogram["min_ns"], histogram["max_ns"], int(histogram["sum_ns"])
    low = high = 0
    for index, count in histogram["buckets"]:
        start, width = bounds_of(index)
        last = greatest if index == _LAST_BUCKET else min(greatest, start + width - 1)
        low, high = low + count * max(least, start), high + count * last
    if low <= total <= high:
        return None
    return f"its sum is {total} ns, and its buckets allow only {low} to {high} ns"


def _time_errors(asked: Asked, done: Done) -> Iterator[str]:
    """Yield how times contradict each other or the core's clock."""
    elapsed = done["elapsed_ns"]
    if elapsed > _with_slack(asked.took_ns, 1):
        yield f"it lasted {elapsed / 1e9:.3f} s, and its answer came after {asked.took_ns / 1e9:.3f} s"
    clients, whole = _clients(asked.clients), asked.clients * elapsed
    in_call, thought = int(done["in_call_ns"]), int(done["think_ns"])
    if in_call + thought > _with_slack(whole, asked.clients):
        spent = f"{in_call / 1e9:.3f} s in calls and {thought / 1e9:.3f} s thinking"
        yield f"{clients} spent {spent} within {elapsed / 1e9:.3f} s"
    gap = done.get("gap_ns")
    if gap is not None and not _near(in_call + thought + int(gap), whole, asked.clients):
        spent = f"{(in_call + thought) / 1e9:.3f} s in calls and think times and {int(gap) / 1e9:.3f} s between them"
        yield f"{clients} report {spent}; the sum must be {asked.clients} x {elapsed / 1e9:.3f} s"
    timed = done["service"] or done["latency"]
    if timed is not None and int(timed["sum_ns"]) > _with_slack(in_call, asked.clients):
        summed = f"its histogram has calls of {int(timed['sum_ns']) / 1e9:.3f} s together"
        yield f"{summed}, and it was {in_call / 1e9:.3f} s in calls"
    yield from _processor_errors(asked, done)


def _processor_errors(asked: Asked, done: Done) -> Iterator[str]:
    used = processor_used_ns(done)
    if used < 0:
        yield f"its processor time went back by {-used} ns"
    most = asked.took_ns * (os.cpu_count() or 1)
    if used > 2 * most + _TICKS_NS:
        yield f"it used {used / 1e9:.3f} s of processor time within {asked.took_ns / 1e9:.3f} s"


def _window_errors(asked: Asked, done: Done) -> Iterator[str]:
    """Yield how the window contradicts the drive: contract/CONTRACT.md says when it ends."""
    gave_up = sum(done["errors"].values()) >= _ERRORS_IN_A_ROW * asked.clients
    window = done.get("window_ns", done["elapsed_ns"])
    if not asked.stopped and window < min(asked.length_ns * (1 - _SHARE), asked.length_ns - 1) and not gave_up:
        yield f"{asked.length_ns / 1e9:g} s were requested, and its window is {window / 1e9:.6g} s"
    if "window_ns" not in done:
        return
    if window > max(done["elapsed_ns"], asked.length_ns) + 1:
        yield f"its window is {window / 1e9:.6g} s, and it lasted {done['elapsed_ns'] / 1e9:.6g} s"
    made = made_calls(done)
    # Where a call was due after the time, the calls bounded the drive: then no more than those were made, and what
    # each client had begun meanwhile.
    if window > asked.length_ns + 1 and made > asked.calls + asked.clients * done["batch"]:
        yield (
            f"its window is {window / 1e9:.6g} s, {asked.length_ns / 1e9:g} s were requested,"
            f" and it made {made} calls, of which {asked.calls} were"
        )
    flying, part, answered = done["in_flight"], done["in_flight_part"], done["answered"]
    if answered > done["calls"]:
        yield f"{answered} calls were answered within its window, of {done['calls']} that were answered"
    if flying > asked.clients or part > flying:
        yield f"{_clients(asked.clients)} had {flying} calls in flight at its window's end, of which it counts {part:g}"
    if not asked.open and answered < done["calls"] - flying * done["batch"] - asked.clients * done["batch"]:
        yield f"of {done['calls']} calls {answered} ended within its window, and {flying} were in flight at its end"


def _endpoint_errors(done: Done) -> Iterator[str]:
    endpoints = done.get("endpoints", [])
    for endpoint in endpoints:
        histogram = endpoint["latency"]
        if histogram is None:
            continue
        wrong = histogram_error(histogram)
        if wrong or histogram["count"] != endpoint["calls"]:
            counts = f"it counts {histogram['count']}, and {endpoint['calls']} calls were answered"
            yield f"the histogram of the endpoint {endpoint['name']}: {wrong or counts}"
    called = sum(endpoint["calls"] for endpoint in endpoints)
    if endpoints and called > done["calls"]:
        yield f"its endpoints answered {called} calls, and all together {done['calls']}"


def made_calls(done: Done) -> int:
    """Return how many calls ended, right or wrong."""
    return done["calls"] + sum(done["errors"].values())


def _with_slack(ns: float, clients: int) -> float:
    return ns * (1 + _SHARE) + clients * _CLIENT_NS


def _near(ns: float, wanted: float, clients: int) -> bool:
    return math.fabs(ns - wanted) <= wanted * _SHARE + clients * _CLIENT_NS


def _clients(count: int) -> str:
    return f"{count} client" + ("" if count == 1 else "s")
