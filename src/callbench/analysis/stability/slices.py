"""One slice of calls in a journal: the statistics of a short drive."""

from collections.abc import Mapping
from typing import Final

from callbench.adapter.contract import Done
from callbench.analysis.load.endpoints import counted
from callbench.model.errors import AdapterFailure
from callbench.stats.estimate.histogram import Buckets
from callbench.stats.load.processor_use import processor_used_ns
from callbench.stats.load.rate import Window, window_of
from callbench.stats.load.recovery import Slice
from callbench.store.lines.slices import Percentiles, SliceFigures, TimedSlice

_SHARES = (0.5, 0.9, 0.99, 0.999)
# The member that shows the speed of a slice.
SPEED: Final = "p50_us"


def failed_slice(failure: AdapterFailure, seconds: float) -> SliceFigures:
    """Return a slice in which no call could begin."""
    return {
        "calls": 0,
        "errors": {failure.kind: 1},
        "error_messages": {failure.kind: str(failure)},
        "seconds": round(seconds, 6),
        "last_answer_s": None,
    }


def slice_record(done: Done) -> SliceFigures:
    """Return the statistics of a drive."""
    window = window_of(done)
    result: SliceFigures = {
        "calls": done["calls"],
        "errors": done["errors"],
        "error_messages": done.get("error_messages", {}),
        "seconds": round(done["elapsed_ns"] / 1e9, 6),
        "window": (round(window.calls, 3), window.ns, window.in_flight),
        "last_answer_s": last_answer_s(done),
        "processor_us": round(processor_used_ns(done) / 1e3),
        "spent_s": round((int(done["in_call_ns"]) + int(done["think_ns"])) / 1e9, 6),
    }
    histogram = done["latency"]
    if histogram and histogram["count"]:
        result = {
            **result,
            **times(dict(histogram["buckets"]), histogram["min_ns"], histogram["max_ns"]),
            "sum_ns": int(histogram["sum_ns"]),
            "min_ns": histogram["min_ns"],
            "max_ns": histogram["max_ns"],
            "buckets": histogram["buckets"],
        }
    if unserved := done.get("unserved"):
        result["unserved"] = unserved
    if sent_again := done.get("sent_again"):
        result["sent_again"] = sent_again
    if endpoints := counted(done):
        result["endpoints"] = endpoints
    if starved := [generator["host"] for generator in done.get("generators", ()) if generator["starved"]]:
        result["starved"] = starved
    return result


def times(buckets: Mapping[int, int], least_ns: int, greatest_ns: int) -> Percentiles:
    """Return the percentiles of a histogram in microseconds."""
    percentiles = Buckets.of(buckets).percentiles(_SHARES, least_ns, greatest_ns)
    p50, p90, p99, p99_9 = (round(value / 1e3, 3) for value in percentiles)
    return {"p50_us": p50, "p90_us": p90, "p99_us": p99, "p99.9_us": p99_9, "max_us": greatest_ns / 1e3}


def last_answer_s(done: Done) -> float | None:
    """Return when the last successful answer came, in seconds since the drive began. The precision is a tenth."""
    intervals = done["intervals"]
    last = 0
    for number, (at_ns, calls, _) in enumerate(intervals):
        if calls > (intervals[number - 1][1] if number else 0):
            last = at_ns
    if done["calls"] > (intervals[-1][1] if intervals else 0):
        last = done["elapsed_ns"]
    return round(last / 1e9, 3) if last else None


def window_of_line(line: SliceFigures) -> Window:
    """Return the window of a slice in the journal; without one, the whole slice."""
    if "window" not in line:
        return Window(float(line["calls"]), round(line["seconds"] * 1e9))
    calls, ns, in_flight = line["window"]
    return Window(calls, ns, in_flight)


def slice_of(line: TimedSlice) -> Slice:
    """Return a slice of the journal in the form that `stats.recovery` uses."""
    return Slice(
        line["at_s"],
        line["at_s"] + line["seconds"],
        line["calls"],
        dict(line["errors"]),
        line.get(SPEED),
        dead=line["dead"],
    )
