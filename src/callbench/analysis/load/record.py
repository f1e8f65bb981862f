"""The record of a load as JSON: the content of its file and of `--json`."""

from dataclasses import asdict
from math import isfinite
from typing import Any

from callbench.analysis.load import endpoints
from callbench.analysis.load.result import LoadResult
from callbench.analysis.load.times import times_record


def record(result: LoadResult) -> dict[str, Any]:
    """Return the record. Times are in microseconds; percentiles have names such as `p99.9`."""
    request, server = result.request, result.server
    return {
        "target": request.target,
        "url": request.url,
        "protocol": request.protocol,
        "clients": request.clients,
        "connections": result.connections,
        "threads": result.done["threads"],
        "driver_processors": result.driver_processors,
        "arrivals": request.load.arrivals,
        "rate_asked_per_s": request.rate,
        "seconds": result.seconds,
        "stopped": result.stop_sentence,
        "calls": result.done["calls"],
        "calls_in_window": result.window.calls,
        "in_flight": result.window.in_flight,
        "last_answer_after_s": result.done["elapsed_ns"] / 1e9,
        "rate_per_s": result.rate_per_s,
        "rate_missed": result.rate_missed,
        "backlog": None if result.backlog is None else asdict(result.backlog),
        "latency_us": times_record(result.latency),
        "service_us": times_record(result.service),
        "lateness_us": times_record(result.lateness),
        "errors": dict(result.errors),
        "clients_unserved": result.done.get("unserved"),
        "error_share": result.error_share,
        "thresholds": [
            {
                "fail_if": checked.threshold.text,
                "value": checked.value,
                "limit": checked.threshold.limit,
                "failed": checked.failed,
            }
            | ({"undecided": checked.undecided} if checked.undecided else {})
            | ({"low": checked.ends[0], "high": checked.ends[1]} if checked.ends and isfinite(checked.ends[1]) else {})
            for checked in result.threshold_results
        ],
        "failure": result.failure,
        "error_messages": dict(result.error_messages),
        "client_processor_us_per_call": result.client_us,
        "server": None if server is None else asdict(server),
        "server_unseen": result.unseen or None,
        "verdict": {"limit": result.verdict.limit.value, "why": result.verdict.why},
        "processors": dict(result.processors),
        **({"generators": list(result.generators)} if result.generators else {}),
        "histogram_ns": result.done["latency"],
        "endpoints": endpoints.kept(result.done),
        "latency_over_time": {
            name: [[stretch.begin_s, stretch.end_s, stretch.us] for stretch in stretches]
            for name, stretches in result.latency_over_time.items()
        },
        "intervals": [list(interval) for interval in result.done["intervals"]],
    }
