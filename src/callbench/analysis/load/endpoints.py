"""The endpoints of a load, if clients call several: the calls, errors and times of each, also summed over loads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from callbench.adapter.contract import Done
from callbench.analysis.load.times import LatencyStatistics, times_of, times_record
from callbench.stats.estimate.histogram import merged
from callbench.store.lines.slices import EndpointCounts, EndpointResult, SummedHistogram


@dataclass(frozen=True)
class Endpoint:
    """An endpoint, or a step of a session.

    Attributes:
        calls: that were answered rightly.
        errors: by kind.
        time_share: its part of the time that clients spent in calls; None without any.
        latency: of right answers; None: there is none.
    """

    name: str
    calls: int
    errors: Mapping[str, int]
    time_share: float | None
    latency: LatencyStatistics | None


def counted(done: Done) -> list[EndpointCounts] | None:
    """Return the counts, times and histogram of each endpoint, which can be added up; None: clients call only one."""
    if "endpoints" not in done:
        return None
    return [
        {
            "name": endpoint["name"],
            "calls": endpoint["calls"],
            "errors": dict(endpoint["errors"]),
            "in_call_s": int(endpoint["in_call_ns"]) / 1e9,
            "histogram_ns": cast("SummedHistogram | None", endpoint["latency"]),
        }
        for endpoint in done["endpoints"]
    ]


def kept(done: Done) -> list[EndpointResult] | None:
    """Return what the record of a load has of each endpoint: `counted`, and what follows from it."""
    lines = counted(done)
    if lines is None:
        return None
    return [
        {**line, "time_share": endpoint.time_share, "latency_us": times_record(endpoint.latency)}
        for line, endpoint in zip(lines, summed([lines]), strict=True)
    ]


def added(loads: Sequence[Sequence[EndpointCounts]]) -> list[EndpointCounts]:
    """Add loads up that call the same endpoints.

    Args:
        loads: of each load what `counted` or `kept` returned.

    Returns:
        The same as `counted`.
    """
    return [
        {
            "name": lines[0]["name"],
            "calls": sum(line["calls"] for line in lines),
            "errors": _errors(lines),
            "in_call_s": sum(line["in_call_s"] for line in lines),
            "histogram_ns": _histogram([line["histogram_ns"] for line in lines if line["histogram_ns"]]),
        }
        for lines in zip(*loads, strict=True)
    ]


def summed(loads: Sequence[Sequence[EndpointCounts]]) -> list[Endpoint]:
    """Sum the endpoints of loads that call the same ones. Histograms are added up before percentiles are taken.

    Args:
        loads: of each load what `counted`, `kept` or `added` returned.
    """
    lines = added(loads)
    total_s = sum(line["in_call_s"] for line in lines)
    return [
        Endpoint(
            line["name"],
            line["calls"],
            line["errors"],
            line["in_call_s"] / total_s if total_s else None,
            times_of(line["histogram_ns"]),
        )
        for line in lines
    ]


def endpoint_record(endpoint: Endpoint) -> dict[str, object]:
    """Return an endpoint as JSON has it."""
    return {
        "name": endpoint.name,
        "calls": endpoint.calls,
        "errors": dict(endpoint.errors),
        "time_share": endpoint.time_share,
        "latency_us": times_record(endpoint.latency),
    }


def _errors(lines: Iterable[EndpointCounts]) -> dict[str, int]:
    total: dict[str, int] = {}
    for kind, count in ((kind, count) for line in lines for kind, count in line["errors"].items()):
        total[kind] = total.get(kind, 0) + count
    return total


def _histogram(parts: Sequence[SummedHistogram]) -> SummedHistogram | None:
    """Add histograms of the contract up."""
    if not parts:
        return None
    return {
        "count": sum(part["count"] for part in parts),
        "sum_ns": sum(int(part["sum_ns"]) for part in parts),
        "min_ns": min(part["min_ns"] for part in parts),
        "max_ns": max(part["max_ns"] for part in parts),
        "buckets": list(merged(dict(part["buckets"]) for part in parts).items()),
    }
