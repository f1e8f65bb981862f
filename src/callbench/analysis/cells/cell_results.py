"""One cell's result, from the rows that the run's tables have of it."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

from callbench.analysis.cells.histograms import Histograms, together
from callbench.analysis.cells.loop_time import LoopTime, loop_time
from callbench.analysis.cells.messages import Messages, MessageTimes
from callbench.analysis.cells.results import AT_MOST, Excluded, Latency, OpenLoop, Result
from callbench.analysis.cells.table_rows import CellRow, ForkRow
from callbench.model.cell import rate_text
from callbench.model.metrics.registry import PERCENTILES
from callbench.stats.decide.failures import FAILURE_MARGIN, CallCounts
from callbench.stats.estimate.histogram import TOP, Buckets
from callbench.stats.estimate.interval import CONFIDENCE, geometric_mean
from callbench.stats.estimate.percentile_calls import few_calls, fewest_calls
from callbench.stats.load.pace import missed, reached_per_s
from callbench.stats.load.rate import Window
from callbench.stats.steady.plateau import plateaus

# A call of so much of a slice is long: what is cut off of it may matter.
LONG_SHARE = 0.5
# By how much a rate without an interval may be too high.
ALLOWED = 0.05
_Attribute = Literal[
    "cell", "group", "stack", "adapter", "message", "channel", "language", "call", "clients", "arrivals", "link"
]
SHARES = tuple(PERCENTILES.values())
_WHICH: tuple[_Attribute, ...] = get_args(_Attribute)


def result_of(  # noqa: PLR0913, PLR0917 - one cell is made of all these tables
    cell: CellRow,
    forks: Sequence[ForkRow],
    errors: Mapping[str, int],
    timed: Histograms,
    written: MessageTimes,
    excluded: Sequence[Excluded],
    *,
    driven: bool = False,
) -> Result:
    """Put one cell's result together; `driven` says whether the load driver called, whose loop rests after errors."""
    answered = [row for row in forks if row["calls"] and row["elapsed_ns"]]
    own = timed.get(("latency", cell["cell"]), {})
    loop = None if driven else loop_time(cell, answered)
    every = together(own.values()) if own else None
    too_few = _too_few([own[row["fork"]] for row in answered if row["fork"] in own])
    by_fork = _by_fork(answered, own, written.of(cell["stack"], cell["message"], cell["group"]), loop, too_few)
    latency = _latency(answered, every, without=too_few)
    open_loop = _open_loop(cell, answered, timed, latency)
    why_missed = open_loop.missed if open_loop else None
    failing = _failing(forks)
    if why_missed:
        by_fork, latency = {}, Latency(None, None, None)
    rates = list(by_fork.get("rate_per_s", {}).values())
    cut = _cut_off(cell, answered, rates)
    whys = [
        exclusion.why
        for exclusion in excluded
        if exclusion.stack == cell["stack"] and exclusion.cell in (None, cell["cell"])
    ]
    return Result(
        attributes={**{key: str(cell[key]) for key in _WHICH}, "rate": rate_text(cell["target_per_s"])},
        arguments=json.loads(cell["arguments"] or "{}"),
        calls=int(sum(row["calls"] for row in forks)),
        errors=errors,
        trials=int(sum(row["trials"] for row in forks)),
        by_fork=by_fork,
        rate=geometric_mean(rates) if rates else None,
        latency=latency,
        too_few=too_few,
        batched=any((row["batch"] or 1) > 1 for row in answered),
        agree=all(row["agree"] is not False for row in forks),
        excluded=whys[0] if whys else None,
        doubts=(*_count_warnings(forks), *(why for why in (why_missed, failing, cut) if why)),
        failing=failing,
        think_ms=float(cell["think_ms"]),
        ramp_up_ms=float(cell.get("ramp_up_ms") or 0.0),
        options=json.loads(cell.get("options") or "{}") or {},
        open_loop=open_loop,
        plateaus=plateaus(every) if every else (),
        loop=loop,
    )


def _by_fork(
    answered: Sequence[ForkRow],
    latencies: Mapping[int, Buckets],
    messages: Messages | None,
    loop: LoopTime | None,
    too_few: Collection[str],
) -> dict[str, dict[int, float]]:
    """Give each metric by fork, for a machine of the same pace in all forks; the rate without the loop's own time."""
    shares = loop.shares if loop else {}
    by_fork: dict[str, dict[int, float]] = {
        "rate_per_s": {
            row["fork"]: rate / row["pace"] / (1 - shares.get(row["fork"], 0.0))
            for row in answered
            if (rate := _window_in(row).per_s)
        },
        "mean_us": {row["fork"]: mean * row["pace"] for row in answered if (mean := _mean_us([row]))},
    }
    known = percentiles_by_fork(answered, latencies, SHARES)
    by_fork |= {name: known[share] for name, share in PERCENTILES.items() if name not in too_few and known.get(share)}
    timed = [row for row in answered if row["fork"] in latencies and row["max_ns"]]
    if timed:
        by_fork["max_us"] = {row["fork"]: (row["max_ns"] or 0) * row["pace"] / 1e3 for row in timed}
    if messages is not None:
        for name, figure in (("bytes", messages.bytes), ("codec_us", messages.codec_us)):
            if figure:
                by_fork[name] = {row["fork"]: figure for row in answered}
    return by_fork


def percentiles_by_fork(
    answered: Sequence[ForkRow], latencies: Mapping[int, Buckets], shares: Sequence[float]
) -> dict[float, dict[int, float]]:
    """Return percentiles by fork in microseconds, for a machine of the same pace in all forks.

    Args:
        answered: the sums of a cell's forks.
        latencies: its histograms, by fork.
        shares: of the calls; 0.99 for p99. A fork has only those that it has enough calls for.
    """
    by_share: dict[float, dict[int, float]] = {}
    for row in answered:
        buckets = latencies.get(row["fork"])
        if buckets is None:
            continue
        calls = int(buckets.counts.sum())
        values = buckets.percentiles(shares, row["min_ns"] or 0, row["max_ns"] or TOP)
        for share, value in zip(shares, values, strict=True):
            if calls >= fewest_calls(share):
                by_share.setdefault(share, {})[row["fork"]] = value * row["pace"] / 1e3
    return by_share


def _too_few(forks: Sequence[Buckets]) -> dict[str, str]:
    """Say of each percentile that is not known how many calls it needs, and how many a fork has.

    Two forks must know it, or the only one.
    """
    counts = sorted(int(buckets.counts.sum()) for buckets in forks)
    needed = {name: fewest_calls(share) for name, share in PERCENTILES.items()}
    return {
        name: few_calls(PERCENTILES[name], counts)
        for name, least in needed.items()
        if counts and sum(count >= least for count in counts) < min(2, len(counts))
    }


def _window_in(row: ForkRow) -> Window:
    """Return the window of a trial, or of several, as the tables have it."""
    return Window(row["window_calls"], row["window_ns"], row["in_flight"])


def _count_warnings(forks: Sequence[ForkRow]) -> Sequence[str]:
    """Gather why a cell must not be ranked."""
    return ("client and server counted differently",) if any(row["agree"] is False for row in forks) else ()


def _failing(forks: Sequence[ForkRow]) -> str:
    """Say how many calls fail, where more are shown to than do not matter: a rate counts right answers only."""
    counts = CallCounts([int(row["error_count"]) for row in forks], [int(row["calls"]) for row in forks])
    if not counts.all_failed or counts.least_share(1 - CONFIDENCE) <= FAILURE_MARGIN:
        return ""
    return f"{counts.all_failed:,} of {counts.calls:,} calls failed"


def _cut_off(cell: CellRow, rows: Sequence[ForkRow], rates: Sequence[float]) -> str:
    """Say that calls were longer than slices of several clients, where the rate may be much lower than measured.

    A slow call that others wait for holds them up for its time. In a slice they wait for less of it. So the rate lies
    between that of the window, which no call's time contradicts, and that of all calls over all time, with the end
    where some clients have nothing left to do. Where these are further apart than half of the interval, it is a bound.
    """
    slices = sum(row.get("slices") or 0 for row in rows)
    if int(cell["clients"]) < 2 or cell["target_per_s"] is not None or not slices:
        return ""
    window_ns, longest_ns = sum(row["window_ns"] for row in rows) / slices, max(row["max_ns"] or 0 for row in rows)
    most = sum(row["window_calls"] for row in rows) / sum(row["window_ns"] for row in rows)
    least = sum(row["calls"] for row in rows) / sum(row["elapsed_ns"] for row in rows)
    half = geometric_mean(rates).half_width if rates else None
    if longest_ns < LONG_SHARE * window_ns or not least or most / least - 1 <= (ALLOWED if half is None else half):
        return ""
    return f"{AT_MOST}a call took {longest_ns / 1e6:,.0f} ms, and slices took {window_ns / 1e6:,.0f} ms"


def _mean_us(rows: Sequence[ForkRow]) -> float | None:
    """Compute the mean time of a call: the histogram's own sum if there is one, else the time within calls."""
    timed = [row for row in rows if row["count"]]
    if timed:
        return _mean_of(timed, "")
    calls = sum(row["calls"] + row["error_count"] for row in rows)
    spent = sum(row["in_call_ns"] or 0 for row in rows)
    return float(spent / calls / 1e3) if calls and spent else None


def _sums(row: ForkRow, name: str) -> tuple[int | None, int | None, int | None]:
    """Return the sum, the least and the greatest of the times of a fork: `service`, `lateness`, or "" for latencies."""
    match name:
        case "service":
            return row["service_sum_ns"], row["service_min_ns"], row["service_max_ns"]
        case "lateness":
            return row["lateness_sum_ns"], row["lateness_min_ns"], row["lateness_max_ns"]
    return row["sum_ns"], row["min_ns"], row["max_ns"]


def _mean_of(timed: Sequence[ForkRow], name: str) -> float:
    """Return the mean of such times of calls that were timed one by one, in microseconds."""
    return float(sum(_sums(row, name)[0] or 0 for row in timed) / sum(row["count"] or 0 for row in timed) / 1e3)


def _open_loop(cell: CellRow, rows: Sequence[ForkRow], histograms: Histograms, latency: Latency) -> OpenLoop | None:
    """Compute what an open loop has besides, and whether it kept its rate."""
    target = cell["target_per_s"]
    if target is None:
        return None
    timed = [row for row in rows if row["count"]]
    parts = {name: histograms.get((name, cell["cell"]), {}).values() for name in ("service", "lateness")}
    service, lateness = (_latency(timed, together(own) if own else None, name) for name, own in parts.items())
    if not timed:
        return OpenLoop(target, None, latency, service, lateness, None)
    reached = geometric_mean(
        [
            reached_per_s(
                row["calls"], row["elapsed_ns"], (row["service_sum_ns"] or 0) / (row["count"] or 1), _window_in(row)
            )
            for row in timed
        ]
    )
    # Whether the generator was late is asked of all calls there are, however few.
    whole = (histograms.get((name, cell["cell"]), {}).values() for name in ("lateness", "latency"))
    p99 = [together(own).percentiles([0.99])[0] / 1e3 if own else 0.0 for own in whole]
    return OpenLoop(target, reached, latency, service, lateness, missed(target, reached, *p99))


def _latency(
    rows: Sequence[ForkRow], every: Buckets | None, name: str = "", *, without: Collection[str] | None = None
) -> Latency:
    """Compute percentiles over all trials of a cell: the histograms are added up first.

    Args:
        rows: the cell's forks.
        every: its histogram, if any.
        name: `service` or `lateness`; "" for the latency.
        without: the percentiles that too few calls know; None: to be seen from the histogram.
    """
    mean = None
    if rows:
        mean = _mean_of(rows, name) if name else _mean_us(rows)
    if every is None:
        return Latency(None, None, mean)
    sums = [_sums(row, name) for row in rows]
    least = min((least for _, least, _ in sums if least is not None), default=0)
    most = max((most for *_, most in sums if most is not None), default=TOP)
    values = every.percentiles(SHARES, least, most)
    unknown = _too_few([every]) if without is None else without
    percentiles = {
        name.removesuffix("_us"): value / 1e3
        for name, value in zip(PERCENTILES, values, strict=True)
        if name not in unknown
    }
    return Latency(percentiles, most / 1e3, mean)
