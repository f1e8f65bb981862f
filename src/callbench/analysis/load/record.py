"""The record of a load as JSON: the content of its file and of `--json`."""

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, cast

from callbench.analysis.load import endpoints
from callbench.analysis.load.result import LoadResult
from callbench.analysis.load.thresholds import ThresholdResult
from callbench.analysis.load.times import times_record
from callbench.store.lines.load import (
    Arrivals,
    LoadGenerators,
    LoadRecord,
    SentAgain,
    ServerDeath,
    ServerUsed,
    ThresholdRecord,
    VerdictRecord,
    WaitingRecord,
)

if TYPE_CHECKING:
    from callbench.store.lines.slices import SummedHistogram


def record(result: LoadResult) -> LoadRecord:
    """Return the record. Times are in microseconds; percentiles have names such as `p99.9`."""
    again = result.done.get("sent_again")
    sent_again = SentAgain(sent_again=again) if again else SentAgain()
    server_death = ServerDeath(server_death=result.death) if result.death else ServerDeath()
    generators = (
        LoadGenerators(generators=[{**generator} for generator in result.generators])
        if result.generators
        else LoadGenerators()
    )
    request, server = result.request, result.server
    return {
        "target": request.target,
        "url": request.url,
        "protocol": request.protocol,
        "clients": request.clients,
        "connections": result.connections,
        "threads": result.done["threads"],
        "driver_processors": result.driver_processors,
        "arrivals": cast("Arrivals", request.load.arrivals),
        "rate_asked_per_s": request.rate,
        "seconds": result.seconds,
        "stopped": result.stop_sentence,
        "calls": result.done["calls"],
        "calls_in_window": result.window.calls,
        "in_flight": result.window.in_flight,
        "last_answer_after_s": result.done["elapsed_ns"] / 1e9,
        "rate_per_s": result.rate_per_s,
        "rate_missed": result.rate_missed,
        "backlog": None
        if result.backlog is None
        else WaitingRecord(middle=result.backlog.middle, end=result.backlog.end),
        "latency_us": times_record(result.latency),
        "service_us": times_record(result.service),
        "lateness_us": times_record(result.lateness),
        "errors": dict(result.errors),
        "clients_unserved": result.done.get("unserved"),
        **sent_again,
        **server_death,
        "error_share": result.error_share,
        "thresholds": [_threshold(checked) for checked in result.threshold_results],
        "failure": result.failure,
        "error_messages": dict(result.error_messages),
        "client_processor_us_per_call": result.client_us,
        "server": None if server is None else cast("ServerUsed", asdict(server)),
        "server_unseen": result.unseen or None,
        "verdict": VerdictRecord(limit=result.verdict.limit.value, why=result.verdict.why),
        "processors": {**result.processors},
        **generators,
        "histogram_ns": cast("SummedHistogram | None", result.done["latency"]),
        "endpoints": endpoints.kept(result.done),
        "latency_over_time": {
            name: [(stretch.begin_s, stretch.end_s, stretch.us) for stretch in stretches]
            for name, stretches in result.latency_over_time.items()
        },
        "errors_over_time": {kind: list(sums) for kind, sums in result.errors_over_time.items()},
        "intervals": list(result.done["intervals"]),
    }


def _threshold(checked: ThresholdResult) -> ThresholdRecord:
    """Return a condition and how it was met; an interval without an upper end is none."""
    threshold = ThresholdRecord(
        fail_if=checked.threshold.text, value=checked.value, limit=checked.threshold.limit, failed=checked.failed
    )
    if checked.undecided:
        threshold["undecided"] = checked.undecided
    if checked.assumed:
        threshold["assumed"] = True
    if checked.unserved:
        threshold["unserved"] = checked.unserved
    if checked.ends and isfinite(checked.ends[1]):
        threshold["low"], threshold["high"] = checked.ends
    return threshold
