"""The cells of a run as plain records: what `callbench show --json` prints. Sealed by show.schema.json."""

from collections.abc import Sequence
from typing import Any

from callbench.analysis.cold_starts import VALUES, ColdStart
from callbench.analysis.costs import WINE
from callbench.analysis.health import Growth, Health
from callbench.analysis.results import Latency, OpenLoop, Result
from callbench.analysis.subject import Subject
from callbench.analysis.validity import Belief, Beliefs
from callbench.analysis.wire.found import Ledger
from callbench.report.text.waking import Waking, waking


def shown(subject: Subject) -> dict[str, Any]:
    """Give every cell of a run, and what was excluded.

    Rates are in calls a second, latencies in microseconds; `rate_per_s_low` and `rate_per_s_high` bound the 95 %
    interval over the forks, null where one block alone was measured. Percentiles are null where calls were timed in
    batches.
    """
    info = subject.run.info
    sides: dict[str, list[Health]] = {}
    for health in subject.health:
        sides.setdefault(health.cell.id, []).append(health)
    woken = {one.cell.id: _waking(one) for one in waking(subject.by_condition)}
    return {
        "format": 1,
        "study": info["study"],
        "started": info["started"],
        "state": info["state"],
        "quick": bool(info["quick"]),
        "cells": [
            {
                **_cell(one, sides.get(one.id, []), subject.results.beliefs),
                "wire": _wire(subject, one),
                "waking": woken.get(one.id),
            }
            for one in subject.results.cells
        ],
        "excluded": [
            {"stack": one.stack, "cell": one.cell, "block": one.block, "why": one.why}
            for one in subject.results.excluded
        ],
        "cold": [_cold(one) for one in subject.results.cold],
    }


def _cold(one: ColdStart) -> dict[str, Any]:
    """Write one stack's first calls: the mean over its starts, and the least and the greatest."""
    return {
        "stack": one.stack,
        "link": one.link,
        "cell": one.cell,
        "call": one.call,
        "starts": one.starts,
        "calls_before": one.calls_before,
        "errors": one.errors,
        **{
            name: {
                "mean": one.values[name].middle,
                "low": one.values[name].low,
                "high": one.values[name].high,
                "least": one.ends[name][0],
                "greatest": one.ends[name][1],
            }
            if name in one.values
            else None
            for name in VALUES
        },
    }


def _warm_up(result: Result, known: Belief | None) -> dict[str, Any] | None:
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


def _cell(result: Result, sides: Sequence[Health], beliefs: Beliefs) -> dict[str, Any]:
    """Write one cell out."""
    attributes, rate = result.attributes, result.rate
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
        "blocks": result.blocks,
        "trials": result.trials,
        "calls": result.calls,
        "errors": dict(result.errors),
        "rate_per_s": rate.middle if rate else None,
        "rate_per_s_low": rate.low if rate else None,
        "rate_per_s_high": rate.high if rate else None,
        "echoes": _echoes(result),
        "timed": None if not result.calls else "batch" if result.batched else "each",
        "latency_us": _latency(result.latency),
        "open_loop": _open_loop(result.open_loop) if result.open_loop else None,
        "processes": {one.side: _side(one) for one in sides},
        "counts_agree": result.agree,
        "excluded": result.excluded,
        "warm_up": _warm_up(result, beliefs.cells.get(result.id)),
        "verdict": _verdict(result, beliefs.cells.get(result.id)),
        "cpu_us": _cost(result),
    }


def _waking(one: Waking) -> dict[str, float | None]:
    """Write the mean time of a call in both conditions of the idle states, and what of it is waking up."""
    times = one.times
    ends = {"low": None, "high": None} if times is None else {"low": times.low, "high": times.high}
    means = {"as_is_us": one.as_is.middle, "held_us": one.held.middle}
    return {**means, "times": one.as_is.middle / one.held.middle, **ends, "share": one.share}


def _echoes(result: Result) -> dict[str, float | None] | None:
    """Write the mean time of a call as a multiple of the echo of its own rounds; None where no echo was driven."""
    found = result.interval("echoes")
    return None if found is None else {"mean": found.middle, "low": found.low, "high": found.high}


def _verdict(result: Result, known: Belief | None) -> dict[str, Any] | None:
    """Write what limited a cell, and what making its sides slower did to its rate."""
    if result.verdict is None:
        return None
    slowed = [
        {
            "side": one.side,
            "share": one.share,
            "rate": one.ratio.middle - 1,
            "rate_low": None if one.ratio.low is None else one.ratio.low - 1,
            "rate_high": None if one.ratio.high is None else one.ratio.high - 1,
            "follows": one.follows,
        }
        for one in (known.slowed if known else ())
    ]
    return {"limit": str(result.verdict.limit), "why": result.verdict.why, "slowed": slowed}


def _cost(result: Result) -> dict[str, Any] | None:
    """Write processor time a call, both sides together with its interval, and its parts; what is too little is null."""
    costs = result.costs
    if "cpu_us" not in costs:
        return None
    names = ("client_user", "client_system", "server_user", "server_system")
    wanted = {name: f"{name}_us" for name in names} | {"backend": "backend_cpu_us", "total": "cpu_us"}
    if WINE in costs:
        wanted["wineserver"] = WINE
    told = {name: costs[key].us if key in costs and costs[key].under is None else None for name, key in wanted.items()}
    below = {name: costs[key].under for name, key in wanted.items() if key in costs and costs[key].under is not None}
    total = result.interval("cpu_us")
    ends = {"total_low": total.low if total else None, "total_high": total.high if total else None}
    return {**told, **ends, **({"under": below} if below else {})}


def _wire(subject: Subject, result: Result) -> dict[str, Any] | None:
    """Write what the wire ledger counted, null where it was not asked, or the channel has no packets."""
    results = subject.results
    found = results.ledgers.get(result.id) or results.sweeps.get(result.id)
    statistics = found.statistics() if found else {}
    if not found or not statistics:
        return None
    reach = found.reach if isinstance(found, Ledger) else None
    ends = dict(zip(("stream_bytes_least", "stream_bytes_most"), reach, strict=True)) if reach else {}
    return {**statistics, **ends, "exact": found.exact}


def _side(one: Health) -> dict[str, Any]:
    """Write what one side's processes took."""
    figures = one.figures
    return {
        "resident_peak_bytes": figures["resident_peak"],
        "resident_end_bytes": figures["resident_end"],
        "resident_rest_bytes": figures["resident_rest"],
        "unique_bytes": figures["unique_end"],
        "heap_bytes": figures["heap_bytes"],
        "threads_peak": figures["threads_peak"],
        "threads_made": figures["threads_made"],
        "files": figures["files_end"],
        "memory_slope": _slope(one.memory, leaks=one.leaks_memory),
        "threads_slope": _slope(one.threads, leaks=one.leaks_threads),
    }


def _slope(growth: Growth | None, *, leaks: bool) -> dict[str, Any] | None:
    """Write how fast a figure grows, for each thousand calls; null where the trials were too short to tell."""
    if growth is None:
        return None
    found = growth.per_thousand
    return {"per_thousand_calls": found.middle, "low": found.low, "high": found.high, "leaks": leaks}


def _latency(latency: Latency) -> dict[str, float | None]:
    """Write percentiles, greatest and mean, in microseconds."""
    percentiles = latency.percentiles or dict.fromkeys(("p50", "p90", "p99", "p999"))
    return {**percentiles, "max": latency.max, "mean": latency.mean}


def _open_loop(found: OpenLoop) -> dict[str, Any]:
    """Write what only an open loop has."""
    return {
        "target_per_s": found.target_per_s,
        "reached_per_s": found.reached.middle if found.reached else None,
        "missed": found.missed,
        "latency_us": _latency(found.latency),
        "service_us": _latency(found.service),
        "lateness_us": _latency(found.lateness),
    }
