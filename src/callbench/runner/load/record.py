"""What a load came to, for programs: what its folder keeps and `--json` prints."""

from dataclasses import asdict
from typing import Any

from callbench.runner.load.found import Found, Times


def record(found: Found) -> dict[str, Any]:
    """For programs. Times are in microseconds, shares by names such as `p99.9`."""
    wish, server = found.wish, found.server
    return {
        "target": wish.target,
        "url": wish.url,
        "protocol": wish.protocol,
        "clients": wish.clients,
        "connections": found.connections,
        "arrivals": wish.load.arrivals,
        "rate_asked_per_s": wish.rate,
        "seconds": found.seconds,
        "calls": found.done["calls"],
        "calls_in_window": found.window.calls,
        "in_flight": found.window.in_flight,
        "last_answer_after_s": found.done["elapsed_ns"] / 1e9,
        "rate_per_s": found.rate_per_s,
        "rate_missed": found.missed,
        "latency_us": _record(found.latency),
        "service_us": _record(found.service),
        "lateness_us": _record(found.lateness),
        "errors": dict(found.errors),
        "error_share": found.error_share,
        "thresholds": [
            {"fail_if": one.threshold.text, "value": one.value, "limit": one.threshold.limit, "failed": one.failed}
            for one in found.tested
        ],
        "failure": found.failure,
        "said": dict(found.said),
        "client_processor_us_per_call": found.client_us,
        "server": None if server is None else asdict(server),
        "server_unseen": found.unseen or None,
        "verdict": {"limit": found.verdict.limit.value, "why": found.verdict.why},
        "processors": dict(found.processors),
        "histogram_ns": found.done["latency"],
        "intervals": [list(one) for one in found.done["intervals"]],
    }


def _record(times: Times | None) -> dict[str, float] | None:
    if times is None:
        return None
    percentiles = {percentile(share): value for share, value in times.percentiles.items()}
    return {"mean": times.mean, "min": times.least, **percentiles, "max": times.greatest}


def percentile(share: float) -> str:
    """Names a percentile: `p99.9` is that of 0.999."""
    return f"p{share * 100:g}"
