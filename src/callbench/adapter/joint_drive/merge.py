"""Adds the drives of several generators up to one: counts and histograms exactly, and the time in which all drove."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.adapter.contract import BothEnds, Cpu, Done, DoneEndpoint, DriveInterval, Histogram
from callbench.model.errors import AdapterFailure
from callbench.stats.estimate.histogram import merged


@dataclass(frozen=True)
class GeneratorDrive:
    """The drive of one generator.

    Attributes:
        clients: of this generator.
        begun_ns: its start on the core's monotonic clock.
        done: what it reported.
        pace: nanoseconds of the core's clock that go by in one of its own.
    """

    clients: int
    begun_ns: float
    done: Done
    pace: float = 1.0

    @property
    def window_ends_ns(self) -> float:
        """The end of its window on the core's clock."""
        return self.begun_ns + self.pace * self.done.get("window_ns", self.done["elapsed_ns"])

    @property
    def ends_ns(self) -> float:
        """The end of its last call on the core's clock."""
        return self.begun_ns + self.pace * self.done["elapsed_ns"]

    def answered_until(self, at_ns: float) -> float:
        """Return how many calls were answered until a moment of the core's clock.

        Between two reports, ten of them a second, calls are taken to be evenly spread.
        """
        done = self.done
        points = [(0, 0), *((at, calls) for at, calls, _ in done["intervals"])]
        # The window's end and the end of the drive are known exactly.
        if "window_ns" in done:
            points.append((done["window_ns"], done["answered"]))
        points = sorted([*points, (done["elapsed_ns"], done["calls"])])
        times, calls = zip(*points, strict=True)
        return float(np.interp((at_ns - self.begun_ns) / self.pace, times, np.maximum.accumulate(calls)))


def common_window(parts: Sequence[GeneratorDrive], *, or_none: bool = False) -> tuple[float, float]:
    """Return begin and end of the time in which all generators drove, on the core's clock.

    Args:
        parts: their drives.
        or_none: of a slice of many: if there is no such time, a nanosecond, in which nothing counts.

    Raises:
        AdapterFailure: there is none.
    """
    begin, end = max(part.begun_ns for part in parts), min(part.window_ends_ns for part in parts)
    if end <= begin and or_none:
        return begin, begin + 1.0
    if end <= begin:
        raise AdapterFailure("untrue", "the generators never drove at the same time: give the load more --seconds")
    return begin, end


def merged_done(parts: Sequence[GeneratorDrive], *, or_none: bool = False) -> Done:
    """Return one drive of all clients: what each counted is added, and the window is that in which all drove.

    Times of all calls count, also of those outside of that window. Percentiles come after this, never before.

    Args:
        parts: the drives.
        or_none: as in `common_window`.

    Raises:
        AdapterFailure: there is no time in which all drove.
    """
    dones = [part.done for part in parts]
    begin, end = common_window(parts, or_none=or_none)
    first = min(part.begun_ns for part in parts)
    elapsed_ns = round(max(part.ends_ns for part in parts) - first)
    total: Done = {
        "calls": sum(done["calls"] for done in dones),
        "errors": _counts(done["errors"] for done in dones),
        "elapsed_ns": elapsed_ns,
        "window_ns": round(end - begin),
        "answered": round(sum(part.answered_until(end) - part.answered_until(begin) for part in parts)),
        "in_flight": sum(done.get("in_flight", 0) for done in dones),
        "in_flight_part": sum(done.get("in_flight_part", 0.0) for done in dones),
        "timed": "each" if all(done["timed"] == "each" for done in dones) else "batch",
        "batch": max(done["batch"] for done in dones),
        "latency": _histogram(done["latency"] for done in dones),
        "service": _histogram(done["service"] for done in dones),
        "lateness": _histogram(done["lateness"] for done in dones),
        "in_call_ns": _sum(done["in_call_ns"] for done in dones),
        "think_ns": _sum(done["think_ns"] for done in dones),
        "gap_ns": _gap_ns(parts, elapsed_ns),
        "processor": _processor(dones),
        "threads": sum(done["threads"] for done in dones),
        "intervals": _intervals(parts, first),
    }
    return _with_optional(total, dones)


def _with_optional(total: Done, dones: Sequence[Done]) -> Done:
    """Add the members that not every adapter has."""
    messages: dict[str, str] = {}
    for done in dones:
        messages = done.get("error_messages", {}) | messages
    total["error_messages"] = messages
    if any("received_bytes" in done for done in dones):
        total["received_bytes"] = _sum(done.get("received_bytes", "0") for done in dones)
    if any("sent_bytes" in done for done in dones):
        total["sent_bytes"] = _sum(done.get("sent_bytes", "0") for done in dones)
    if any("unserved" in done for done in dones):
        total["unserved"] = sum(done.get("unserved", 0) for done in dones)
    if all("held_back" in done for done in dones):
        total["held_back"] = sum(done["held_back"] for done in dones)
    if sent_again := sum(done.get("sent_again", 0) for done in dones):
        total["sent_again"] = sent_again
    if endpoints := _endpoints(dones):
        total["endpoints"] = endpoints
    if parts := _parts(dones):
        total["parts"] = parts
    return total


def _parts(dones: Sequence[Done]) -> list[Histogram]:
    """Add the tenths of an open loop up, each to that of the same number; none where one has not as many.

    They begin together but for some milliseconds, and a tenth has 200 at least. A load with other tenths than those of
    one host would count its calls as independent.
    """
    each = [done.get("parts", []) for done in dones]
    if len({len(parts) for parts in each}) > 1:
        return []
    return [part for same in zip(*each, strict=True) if (part := _histogram(same)) is not None]


def _counts(tables: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for table in tables:
        for kind, count in table.items():
            total[kind] = total.get(kind, 0) + count
    return total


def _sum(numbers: Iterable[str]) -> str:
    return str(sum(map(int, numbers)))


def _histogram(histograms: Iterable[Histogram | None]) -> Histogram | None:
    """Add histograms up, bucket by bucket; None if one is missing."""
    every = list(histograms)
    some = [histogram for histogram in every if histogram is not None]
    if len(some) < len(every):
        # An adapter without a right answer has none.
        return _histogram(some) if some else None
    filled = [histogram for histogram in some if histogram["count"]] or some[:1]
    return {
        "count": sum(histogram["count"] for histogram in filled),
        "sum_ns": _sum(histogram["sum_ns"] for histogram in filled),
        "min_ns": min(histogram["min_ns"] for histogram in filled),
        "max_ns": max(histogram["max_ns"] for histogram in filled),
        "buckets": list(merged(dict(histogram["buckets"]) for histogram in filled).items()),
    }


def _gap_ns(parts: Sequence[GeneratorDrive], elapsed_ns: int) -> str | None:
    """Add the times outside of calls up, with those before a late start and after an early end; None if unknown."""
    gaps = [part.done.get("gap_ns") for part in parts]
    outside = sum(part.clients * (elapsed_ns - part.done["elapsed_ns"]) for part in parts)
    return None if None in gaps else str(sum(int(gap or 0) for gap in gaps) + outside)


def _processor(dones: Sequence[Done]) -> BothEnds:
    """Return the processor time that all used; each process counts from a moment of its own."""

    def used(part: Callable[[Cpu], str]) -> str:
        return str(sum(int(part(done["processor"]["end"])) - int(part(done["processor"]["start"])) for done in dones))

    end: Cpu = {"user_ns": used(lambda cpu: cpu["user_ns"]), "system_ns": used(lambda cpu: cpu["system_ns"])}
    return {"start": {"user_ns": "0", "system_ns": "0"}, "end": end}


def _intervals(parts: Sequence[GeneratorDrive], first_ns: float) -> list[tuple[int, int, int]]:
    """Return sums of calls and errors at the moments of all reports, as they were known then."""
    reports = [
        (round(part.begun_ns - first_ns + part.pace * at), place, calls, errors)
        for place, part in enumerate(parts)
        for at, calls, errors in part.done["intervals"]
    ]
    known: dict[int, tuple[int, int]] = {}
    found: dict[int, tuple[int, int, int]] = {}
    for at, place, calls, errors in sorted(reports):
        known[place] = (calls, errors)
        found[at] = (at, sum(counts[0] for counts in known.values()), sum(counts[1] for counts in known.values()))
    return list(found.values())


def added_interval(reports: Sequence[DriveInterval]) -> DriveInterval:
    """Return the time that all have reached, and the sums of what they reported last."""
    known = [report.kinds for report in reports if report.kinds is not None]
    return DriveInterval(
        min(report.at_ns for report in reports),
        sum(report.calls for report in reports),
        sum(report.errors for report in reports),
        _counts(known) if len(known) == len(reports) else None,
    )


def _endpoints(dones: Sequence[Done]) -> list[DoneEndpoint]:
    by_name: dict[str, list[DoneEndpoint]] = {}
    for done in dones:
        for endpoint in done.get("endpoints", ()):
            by_name.setdefault(endpoint["name"], []).append(endpoint)
    return [
        {
            "name": name,
            "calls": sum(endpoint["calls"] for endpoint in every),
            "errors": _counts(endpoint["errors"] for endpoint in every),
            "in_call_ns": _sum(endpoint["in_call_ns"] for endpoint in every),
            "latency": _histogram(endpoint["latency"] for endpoint in every),
        }
        for name, every in by_name.items()
    ]
