"""The endpoints of a load, if clients call several: the calls, errors and times of each, also summed over loads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.adapter.contract import Done
from callbench.runner.load.times import Times, times_of, times_record
from callbench.stats.histogram import merged


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
    latency: Times | None


def kept(done: Done) -> list[dict[str, Any]] | None:
    """Return what a record keeps of each endpoint, so that loads can be summed; None: clients call only one."""
    if "endpoints" not in done:
        return None
    lines = [
        {
            "name": one["name"],
            "calls": one["calls"],
            "errors": dict(one["errors"]),
            "in_call_s": int(one["in_call_ns"]) / 1e9,
            "histogram_ns": one["latency"],
        }
        for one in done["endpoints"]
    ]
    return [
        {**line, "time_share": one.time_share, "latency_us": times_record(one.latency)}
        for line, one in zip(lines, summed([lines]), strict=True)
    ]


def summed(loads: Sequence[Sequence[Mapping[str, Any]]]) -> list[Endpoint]:
    """Sum the endpoints of loads that call the same ones. Histograms are added up before percentiles are taken.

    Args:
        loads: of each load what `kept` returned.
    """
    by_endpoint = list(zip(*loads, strict=True))
    spent_s = [sum(float(line["in_call_s"]) for line in lines) for lines in by_endpoint]
    total_s = sum(spent_s)
    return [
        Endpoint(
            lines[0]["name"],
            sum(line["calls"] for line in lines),
            _errors(lines),
            mine_s / total_s if total_s else None,
            times_of(_histogram([line["histogram_ns"] for line in lines if line["histogram_ns"]])),
        )
        for lines, mine_s in zip(by_endpoint, spent_s, strict=True)
    ]


def _errors(lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for kind, count in ((kind, count) for line in lines for kind, count in line["errors"].items()):
        total[kind] = total.get(kind, 0) + count
    return total


def _histogram(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Add histograms of the contract up."""
    if not parts:
        return None
    return {
        "count": sum(one["count"] for one in parts),
        "sum_ns": sum(int(one["sum_ns"]) for one in parts),
        "min_ns": min(one["min_ns"] for one in parts),
        "max_ns": max(one["max_ns"] for one in parts),
        "buckets": list(merged(dict(one["buckets"]) for one in parts).items()),
    }
