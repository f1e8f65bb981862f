"""One slice of calls: a short drive, with all that is known of it afterwards."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from callbench.adapter.session import Adapter
from callbench.adapter.stack.target import Aim
from callbench.model.errors import AdapterFailure
from callbench.stats.histogram import Buckets
from callbench.stats.rate import Window, window_of
from callbench.stats.recovery import Slice

SHARES = {"p50_us": 0.5, "p90_us": 0.9, "p99_us": 0.99, "p99.9_us": 0.999}
# What says how fast a slice was.
SPEED = "p50_us"


def driven(  # noqa: PLR0913 - a drive has so many members
    client: Adapter, aim: Aim, seconds: float, *, calls: int = 1, schedule: Path | None = None, think_ns: int = 0
) -> dict[str, Any]:
    """Drive for so long, whatever becomes of it: a client that the server does not let in has a slice of errors.

    Returns:
        `calls`, `errors`, `said`, `seconds` to the last end, `window` (the calls, nanoseconds and calls in flight of
        stats/rate.py), latencies in microseconds, `last_answer_s` since its beginning,
        `buckets` of its histogram, and `processor_us` of the client's processor time.

    Raises:
        AdapterFailure: the client itself died or left the contract.
    """
    began = time.monotonic()
    try:
        done: Mapping[str, Any] = client.drive(
            aim.call,
            aim.arguments,
            calls=calls,
            seconds=seconds,
            limit_seconds=seconds,
            timing="each",
            think_ns=think_ns,
            schedule=schedule,
        )
    except AdapterFailure as failure:
        if client.broken:
            raise
        return failed(failure, time.monotonic() - began)
    return reckoned(done)


def failed(failure: AdapterFailure, seconds: float) -> dict[str, Any]:
    """A slice in which not even one call could be begun."""
    said = {failure.kind: str(failure)}
    return {"calls": 0, "errors": {failure.kind: 1}, "said": said, "seconds": round(seconds, 6), "last_answer_s": None}


def reckoned(done: Mapping[str, Any]) -> dict[str, Any]:
    """Make figures of what a drive came to."""
    used = [
        int(cpu["user_ns"]) + int(cpu["system_ns"]) for cpu in (done["processor"]["start"], done["processor"]["end"])
    ]
    window = window_of(done)
    made = {
        "calls": done["calls"],
        "errors": done["errors"],
        "said": done.get("said", {}),
        "seconds": round(done["elapsed_ns"] / 1e9, 6),
        "window": [round(window.calls, 3), window.ns, window.in_flight],
        "last_answer_s": last_answer_s(done),
        "processor_us": round((used[1] - used[0]) / 1e3),
    }
    histogram = done["latency"]
    if histogram and histogram["count"]:
        made |= times(dict(histogram["buckets"]), histogram["min_ns"], histogram["max_ns"])
        made |= {"sum_ns": int(histogram["sum_ns"]), "min_ns": histogram["min_ns"], "max_ns": histogram["max_ns"]}
        made["buckets"] = histogram["buckets"]
    return made


def times(buckets: Mapping[int, int], least_ns: int, greatest_ns: int) -> dict[str, float]:
    """Find the percentiles of a histogram, in microseconds."""
    found = Buckets.of(buckets).percentiles(SHARES.values(), least_ns, greatest_ns)
    return {name: round(value / 1e3, 3) for name, value in zip(SHARES, found, strict=True)} | {
        "max_us": greatest_ns / 1e3
    }


def last_answer_s(done: Mapping[str, Any]) -> float | None:
    """When the last right answer came, in seconds since the drive began: to a tenth, as intervals are told."""
    intervals: Sequence[Sequence[int]] = done["intervals"]
    last = 0
    for number, (at_ns, calls, _) in enumerate(intervals):
        if calls > (intervals[number - 1][1] if number else 0):
            last = at_ns
    if done["calls"] > (intervals[-1][1] if intervals else 0):
        last = done["elapsed_ns"]
    return round(last / 1e9, 3) if last else None


def window_in(line: Mapping[str, Any]) -> Window:
    """Give the window of a slice in the journal; of one that does not tell it, it is the whole slice."""
    if "window" not in line:
        return Window(float(line["calls"]), round(float(line["seconds"]) * 1e9))
    return Window(*line["window"])


def slice_of(line: Mapping[str, Any]) -> Slice:
    """What the journal has of a slice, as statistics take it."""
    return Slice(
        float(line["at_s"]),
        float(line["at_s"]) + float(line["seconds"]),
        int(line["calls"]),
        dict(line["errors"]),
        line.get(SPEED),
        dead=bool(line.get("dead")),
    )
