"""The cells of a run as plain records: what `callbench show --json` prints. Sealed by show.schema.json."""

import math
from collections.abc import Sequence
from typing import Any

from callbench.analysis.cells.cold_starts import ColdStart
from callbench.analysis.cells.results import Latency, OpenLoop, Result
from callbench.analysis.cells.validity import CellValidity, Validity
from callbench.analysis.judge.health import Growth, Health
from callbench.analysis.metrics.metric_values import bound_of, value_of, why_unknown
from callbench.analysis.run.subject import Subject
from callbench.analysis.wire.accounts import Ledger
from callbench.model.metrics.registry import PERCENTILES, VALUES
from callbench.report.text.wake_ups import WakeUp, wake_ups


def cell_records(subject: Subject) -> dict[str, Any]:
    """Return every cell of a run, and what was excluded.

    What a cell has of each metric stands under `metrics`, in the unit that docs/reference/metrics.md gives.
    """
    info = subject.run.info
    sides: dict[str, list[Health]] = {}
    for health in subject.health:
        sides.setdefault(health.cell.id, []).append(health)
    woken = {wake_up.cell.id: _waking(wake_up) for wake_up in wake_ups(subject.by_condition)}
    return {
        "format": 1,
        "study": subject.requested.study,
        "started": info["started"],
        "state": info["state"],
        "quick": subject.quick,
        "cells": [
            {
                **_cell(cell, sides.get(cell.id, []), subject.results.validity),
                "wire": _wire(subject, cell),
                "waking": woken.get(cell.id),
            }
            for cell in subject.results.cells
        ],
        "excluded": [
            {"stack": excluded.stack, "cell": excluded.cell, "fork": excluded.fork, "why": excluded.why}
            for excluded in subject.results.excluded
        ],
        "cold": [_cold(cold) for cold in subject.results.cold],
    }


def _cold(cold: ColdStart) -> dict[str, object]:
    """Write one stack's first calls: the mean over its starts, and the least and the greatest."""
    return {
        "stack": cold.stack,
        "link": cold.link,
        "cell": cold.cell,
        "call": cold.call,
        "starts": cold.starts,
        "calls_before": cold.calls_before,
        "errors": cold.errors,
        "metrics": {
            name: {
                "value": mean.middle,
                "low": mean.low,
                "high": mean.high,
                "least": cold.ends[name][0],
                "greatest": cold.ends[name][1],
            }
            for name, mean in cold.values.items()
        },
    }


def _warm_up(result: Result, known: CellValidity | None) -> dict[str, object] | None:
    """Write how a cell was warmed up, over its trials, and which of them do not count."""
    warm = known.warm if known else None
    if warm is None:
        return None
    left_out = result.unsteady
    return {
        "compiles": warm.compiles,
        "steady_trials": warm.steady,
        "trials": warm.trials,
        "seconds": warm.seconds,
        "calls": warm.calls,
        "ended": dict(warm.ended),
        "client_compiler_s": warm.client_compiler_s,
        "server_compiler_s": warm.server_compiler_s,
        "left_out": None
        if left_out is None
        else {"trials": left_out.trials, "why": left_out.why, "rate_per_s": left_out.rate_per_s},
    }


def _cell(result: Result, sides: Sequence[Health], validity: Validity) -> dict[str, object]:
    """Write one cell out."""
    attributes = result.attributes
    return {
        "cell": attributes["cell"],
        "group": attributes["group"],
        "stack": attributes["stack"],
        "message": attributes["message"],
        "channel": attributes["channel"],
        "language": attributes["language"],
        "call": attributes["call"],
        "args": dict(result.arguments),
        "clients": int(attributes["clients"]),
        "arrivals": attributes["arrivals"],
        "think_ms": result.think_ms,
        "link": attributes["link"],
        "forks": result.forks,
        "trials": result.trials,
        "calls": result.calls,
        "errors": dict(result.errors),
        "metrics": metrics(result),
        "timed": None if not result.calls else "batch" if result.batched else "each",
        "open_loop": _open_loop(result.open_loop) if result.open_loop else None,
        "processes": {health.side: _side(health) for health in sides},
        "counts_agree": result.agree,
        "excluded": result.excluded,
        "warm_up": _warm_up(result, validity.cells.get(result.id)),
        "verdict": _verdict(result, validity.cells.get(result.id)),
        "below_us": _below(result),
    }


def _waking(wake_up: WakeUp) -> dict[str, float | None]:
    """Write the mean time of a call in both conditions of the idle states, and what of it is waking up."""
    times = wake_up.times
    ends = {"low": None, "high": None} if times is None else {"low": times.low, "high": times.high}
    means = {"as_is_us": wake_up.as_is.middle, "held_us": wake_up.held.middle}
    return {**means, "times": wake_up.as_is.middle / wake_up.held.middle, **ends, "share": wake_up.share}


def _verdict(result: Result, known: CellValidity | None) -> dict[str, object] | None:
    """Write what limited a cell, and what making its sides slower did to its rate."""
    if result.verdict is None:
        return None
    slowed = [
        {
            "side": slowed.side,
            "share": slowed.share,
            "rate": slowed.ratio.middle - 1,
            "rate_low": None if slowed.ratio.low is None else slowed.ratio.low - 1,
            "rate_high": None if slowed.ratio.high is None else slowed.ratio.high - 1,
            "follows": slowed.follows,
        }
        for slowed in (known.slowed if known else ())
    ]
    return {"limit": str(result.verdict.limit), "why": result.verdict.why, "slowed": slowed}


def _below(result: Result) -> dict[str, float]:
    """Write below how many microseconds a call each processor time lies that its clock could not tell from nothing."""
    return {name: cost.under for name, cost in result.costs.items() if cost.under is not None}


def _wire(subject: Subject, result: Result) -> dict[str, object] | None:
    """Write how exact the wire ledger is, null if it was not asked for, or the channel has no packets."""
    results = subject.results
    ledger = results.ledgers.get(result.id) or results.sweeps.get(result.id)
    if not ledger or not ledger.statistics():
        return None
    reach = ledger.reach if isinstance(ledger, Ledger) else None
    ends = dict(zip(("stream_bytes_least", "stream_bytes_most"), reach, strict=True)) if reach else {}
    return {**ends, "exact": ledger.exact}


def _side(health: Health) -> dict[str, object]:
    """Write what one side's processes took."""
    figures = health.figures
    return {
        "resident_peak_bytes": figures["resident_peak"],
        "resident_end_bytes": figures["resident_end"],
        "resident_rest_bytes": figures["resident_rest"],
        "unique_bytes": figures["unique_end"],
        "heap_bytes": figures["heap_bytes"],
        "threads_peak": figures["threads_peak"],
        "threads_made": figures["threads_made"],
        "files": figures["files_end"],
        "memory_slope": _slope(health.memory, leaks=health.leaks_memory),
        "threads_slope": _slope(health.threads, leaks=health.leaks_threads),
    }


def _slope(growth: Growth | None, *, leaks: bool) -> dict[str, object] | None:
    """Write how fast a value grows, for each thousand calls; null where the trials were too short to tell."""
    if growth is None:
        return None
    slope = growth.per_thousand
    return {"per_thousand_calls": slope.middle, "low": slope.low, "high": slope.high, "leaks": leaks}


def _latency(latency: Latency) -> dict[str, float | None]:
    """Write percentiles, greatest and mean, in microseconds."""
    names = [name.removesuffix("_us") for name in PERCENTILES]
    percentiles = {name: (latency.percentiles or {}).get(name) for name in names}
    return {**percentiles, "max": latency.max, "mean": latency.mean}


def _open_loop(loop: OpenLoop) -> dict[str, object]:
    """Write what only an open loop has."""
    return {
        "target_per_s": loop.target_per_s,
        "reached_per_s": loop.reached.middle if loop.reached else None,
        "missed": loop.missed,
        "latency_us": _latency(loop.latency),
        "service_us": _latency(loop.service),
        "lateness_us": _latency(loop.lateness),
    }


Value = dict[str, float | str | None]


def metrics(result: Result) -> dict[str, Value]:
    """Return what a cell has of each metric, with its 95 % interval. What was not measured is not there.

    `low` and `high` are None if there is no interval: of a single fork, and of what none can be given of. A percentile
    that too few calls know, or forks that differ too much, is None itself, and `why` says so. A value that is a bound
    has it in `bound`.
    """
    intervals = {name: value_of(result, name) for name in VALUES}
    known: dict[str, Value] = {
        name: {
            "value": interval.middle,
            "low": _finite(interval.low),
            "high": _finite(interval.high),
            **({"bound": bound} if (bound := bound_of(result, name)) else {}),
        }
        for name, interval in intervals.items()
        if interval is not None
    }
    none: Value = {"value": None, "low": None, "high": None}
    return {
        name: known[name] if interval is not None else {**none, "why": why}
        for name, interval in intervals.items()
        if interval is not None or (why := why_unknown(result, name))
    }


def _finite(end: float | None) -> float | None:
    """An end that lies beyond all bounds is none."""
    return end if end is not None and math.isfinite(end) else None
