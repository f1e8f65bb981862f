"""An overload in tables, charts and sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from callbench.analysis.load.endpoints import Endpoint, endpoint_record, summed
from callbench.analysis.stability.findings import FAILING, UNFINISHED, Finding, closing_sentence, unfinished
from callbench.analysis.stability.formatting import (
    STATES,
    errors_text,
    mib,
    microseconds,
    over_text,
    recovery_text,
    whole,
)
from callbench.analysis.stability.lines import notes, valid_lines
from callbench.analysis.stability.slices import slice_of, window_of_line
from callbench.analysis.stability.slowness import judge_slowness
from callbench.model import objective
from callbench.report.charts.draw import chart
from callbench.report.charts.over_time import Panel, over_time
from callbench.report.load.endpoints_sheet import endpoints_sheet
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.collapse import kept_under_overload
from callbench.stats.decision import Outcome
from callbench.stats.digits import figure
from callbench.stats.recovery import Recovery, State, recovery, state_of, worst
from callbench.store.record import Record

_SOURCE = (
    "journal.jsonl: lines of kind step, capacity, before, over, slice, moment, death (docs/reference/run-folder.md)"
)
COLUMNS = (
    "load", "requested, calls/s", "answered, calls/s", "share of capacity", "raw p50, µs",
    "raw p99, µs", "errors", "last right answer, s", "recovered", "peak MiB", "threads",
)  # fmt: skip
_AFTER = "after"
_LATENCY = "Latency is from the intended start."
MEMORY_COLUMNS = (
    "side",
    "begin MiB",
    "peak MiB",
    "end MiB",
    "after the rest MiB",
    "files, begin",
    "files after the rest",
)


@dataclass(frozen=True)
class OverloadView:
    """One overload and what came after it.

    Attributes:
        answered_per_s: calls answered rightly, a second, while more was asked for.
        service: microseconds from the real start of each call; `latency` from when it was due, which says for how long
            the overload went on.
        last_answer_s: since its beginning.
        well_again: since no more calls came; None: not while it was looked at.
        watched_s: for how long that was.
        unwell: the worst state afterwards.
        endpoints: if clients call several.
    """

    factor: float
    asked_per_s: float
    answered_per_s: float
    calls: int
    service: Mapping[str, float]
    latency: Mapping[str, float]
    errors: Mapping[str, int]
    last_answer_s: float | None
    well_again: Recovery | None
    watched_s: float
    unwell: State
    sides: Mapping[str, Any]
    endpoints: Sequence[Endpoint] = ()


def overload_report(run: Record) -> RecordReport:
    """Describe an overload.

    Raises:
        BadInput: the folder is damaged.
    """
    lines = valid_lines(run.lines(), "factor")
    request = run.request
    capacity = next((float(line["rate_per_s"]) for line in lines if line["kind"] == "capacity"), None)
    before = next((line for line in lines if line["kind"] == "before"), None)
    overs = [] if before is None else [_over(line, lines, before) for line in lines if line["kind"] == "over"]
    deaths = [line for line in lines if line["kind"] == "death"]
    about = (
        f"{request['name']}{over_text(request)}. First the highest rate with {request['objective']} was searched. Then"
        f" {' and '.join(f'{one:g}' for one in request['factors'])} times that rate was requested, for"
        f" {request['seconds']:g} s each. The loop was open, with up to {request['clients']:,} calls at once. Half of"
        " the rate followed each time."
    )
    record = {
        "kind": "overload",
        "folder": str(run.path),
        "of": request,
        "state": run.info["state"],
        "capacity_per_s": capacity,
        "before_us": None if before is None else before["before_us"],
        "limit_us": None if before is None else before["limit_us"],
        "overloads": [_over_record(one) for one in overs],
        "deaths": [{name: value for name, value in death.items() if name != "kind"} for death in deaths],
        "moments": {line["moment"]: line["sides"] for line in lines if line["kind"] == "moment"},
    }
    findings = [
        *unfinished(run.info),
        *_findings(capacity, overs, deaths, lines),
        *_collapses(capacity, [] if deaths else overs, request),
    ]
    work = "it kept half of its capacity or more, recovered after each overload and did not die"
    found = [
        *_sentences(capacity, request, overs, deaths, lines),
        *notes(lines),
        closing_sentence(findings, work, FAILING["overload"]),
    ]
    return RecordReport(run, about, found, _sections(capacity, overs, lines), record, findings)


def _findings(
    capacity: float | None,
    overs: Sequence[OverloadView],
    deaths: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
) -> Iterator[Finding]:
    """What was wrong, or cannot be told; who was only slow while others were busy may have come back."""
    if capacity is None:
        yield Finding(UNFINISHED, Outcome.UNDECIDED, "its capacity was not found")
    if deaths:
        yield Finding("died", Outcome.FAILED, "it died")
    first = next((line for line in lines if line["kind"] == "before"), None)
    before = [line for line in lines if line["kind"] == "slice" and line["phase"] == "before"]
    for one in overs:
        if one.well_again is not None or deaths:
            continue
        after = [
            line
            for line in lines
            if line["kind"] == "slice" and (line["phase"], line["factor"]) == (_AFTER, one.factor)
        ]
        text = f"{one.factor:g} times: did not recover within {one.watched_s:.1f} s ({STATES[one.unwell]})"
        if one.unwell is State.SLOW and first is not None:
            found = judge_slowness(before, after, first["limit_us"] / first["before_us"], "after it")
            yield Finding("not-recovered", found.outcome, f"{text}: {found.text}")
        else:
            yield Finding("not-recovered", Outcome.FAILED if after else Outcome.UNDECIDED, text)


def _collapses(capacity: float | None, overs: Sequence[OverloadView], request: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the overloads left of the capacity, where that is too little or not certain."""
    limit_us = objective.parse(request["objective"]).limit_us
    if not capacity:
        return
    for one in overs:
        median_us = one.service.get("p50_us")
        kept = kept_under_overload(one.answered_per_s / capacity, median_us is None or median_us > limit_us)
        if kept.outcome is not Outcome.PASSED:
            yield Finding("collapsed", kept.outcome, f"{one.factor:g} times: {kept.text}")


def _over(line: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], before: Mapping[str, Any]) -> OverloadView:
    after = [
        slice_of(one)
        for one in lines
        if one["kind"] == "slice" and one["phase"] == _AFTER and one["factor"] == line["factor"]
    ]
    names = ("p50_us", "p90_us", "p99_us", "p99.9_us", "max_us")
    return OverloadView(
        factor=line["factor"],
        asked_per_s=line["rate_asked_per_s"],
        answered_per_s=window_of_line(line).per_s,
        calls=line["calls"],
        service=line["service_us"],
        latency={name: line[name] for name in names if name in line},
        errors=line["errors"],
        last_answer_s=line["last_answer_s"],
        well_again=recovery(after, line["until_s"], before["limit_us"]),
        watched_s=max(0.0, after[-1].end_s - line["until_s"]) if after else 0.0,
        unwell=worst([state_of(one, before["limit_us"]) for one in after]),
        sides=line["sides"],
        endpoints=summed([line["endpoints"]]) if "endpoints" in line else (),
    )


def _over_record(one: OverloadView) -> dict[str, Any]:
    """For programs."""
    return {**asdict(one), "endpoints": [endpoint_record(each) for each in one.endpoints]}


def _sentences(
    capacity: float | None,
    request: Mapping[str, Any],
    overs: Sequence[OverloadView],
    deaths: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    if capacity is None:
        yield "Its capacity was not found."
        return
    how = "as given" if request["rate"] else f"with {request['objective']}, to within a tenth"
    yield f"Its capacity is {figure(capacity, 0.05)} calls/s, {how}."
    for one in overs:
        share = f"{one.answered_per_s / capacity:.0%}".replace("%", " %")
        errors = "" if not one.errors else f"; failed: {errors_text(one.errors)}"
        again = recovery_text(one.well_again, one.watched_s)
        yield (
            f"At {one.factor:g} times its capacity, it answered {figure(one.answered_per_s, 0.05)} calls/s, {share} of"
            f" its capacity{errors}. Recovered after that: {again}."
        )
    for death in deaths:
        yield f"It died after {death['calls']:,} calls, at {death['at_s']:.1f} s: {death['why']}."
    for side, (_, end, rested) in _sizes(lines).items():
        if end and rested and side != "client":
            back = end["resident_bytes"] - rested["resident_bytes"]
            had = mib(end["resident_bytes"])
            yield f"The {side} had {had} MiB at the end and released {mib(max(0, back))} MiB during the rest."


def _sizes(lines: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, Any, Any]]:
    moments = {line["moment"]: line["sides"] for line in lines if line["kind"] == "moment"}
    sides = list(moments.get("begin", {}))
    return {
        side: (
            moments["begin"].get(side),
            moments.get("end", {}).get(side),
            moments.get("rested", {}).get(side),
        )
        for side in sides
    }


def _sections(
    capacity: float | None, overs: Sequence[OverloadView], lines: Sequence[Mapping[str, Any]]
) -> list[Section]:
    if capacity is None or not overs:
        return []
    about = (
        "The raw latency begins when a client was free to make the call. The latency from the intended start shows"
        " only how long the overload lasted. Recovered: three seconds in a row at half of the capacity, without an"
        " error, with a median close to the earlier one."
    )
    rows = [
        (
            side,
            *_memory(side, moments, lines),
            *(whole(one["files"]) if one else "" for one in (moments[0], moments[2])),
        )
        for side, moments in _sizes(lines).items()
    ]
    sheets = [Sheet("Overload", COLUMNS, [_row(one, capacity) for one in overs])]
    sheets += [
        endpoints_sheet(one.endpoints, _LATENCY, f"Endpoints, {one.factor:g} times the capacity")
        for one in overs
        if one.endpoints
    ]
    sheets += [Sheet("Memory and files", MEMORY_COLUMNS, rows)] if rows else []
    return [Section("overload", "Overload", about, sheets=sheets, charts=_charts(overs, lines), source=_SOURCE)]


def _memory(side: str, moments: Sequence[Mapping[str, Any] | None], lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """A side's memory at the begin, at its peak over all of the overload, at the end and after the rest."""
    peaks = [line["sides"][side]["resident_peak"] for line in lines if side in line.get("sides", {})
             and line["kind"] in {"slice", "over"}]  # fmt: skip
    sizes = [one["resident_bytes"] if one else None for one in moments]
    peak = max([*peaks, *(size for size in sizes if size is not None)], default=None)
    return [mib(size) for size in (sizes[0], peak, *sizes[1:])]


def _row(one: OverloadView, capacity: float) -> tuple[str, ...]:
    server = one.sides.get("server") or one.sides.get("both") or {}
    return (
        f"{one.factor:g} times",
        figure(one.asked_per_s, 0.05),
        figure(one.answered_per_s, 0.05),
        f"{one.answered_per_s / capacity * 100:.0f} %",
        microseconds(one.service.get("p50_us")),
        microseconds(one.service.get("p99_us")),
        errors_text(one.errors),
        "none" if one.last_answer_s is None else f"{one.last_answer_s:.1f}",
        recovery_text(one.well_again, one.watched_s),
        mib(server.get("resident_peak")),
        whole(server.get("threads_peak")),
    )


def _charts(overs: Sequence[OverloadView], lines: Sequence[Mapping[str, Any]]) -> list[Chart]:
    halves = [line for line in lines if line["kind"] == "slice"]
    rates = [(line["at_s"], window_of_line(line).per_s) for line in halves if line["seconds"]]
    marks: dict[float, str] = {}
    for line in lines:
        if line["kind"] == "over":
            marks |= {line["at_s"]: "begin", line["until_s"]: "end"}
            rates += _rates(line)
    times = [(line["at_s"], line["p50_us"]) for line in halves if "p50_us" in line]
    panels = [
        Panel("answered calls/s", {"calls": sorted(rates)}),
        Panel("median call at half the capacity, µs", {"calls": times}),
    ]
    listed = " and ".join(f"{one.factor:g}" for one in overs)
    about = f"Between the broken lines: {listed} times the capacity. Before and after them: half of the capacity."
    drawn = chart("overload-time", "Overload over time", about, over_time(panels, marks), _SOURCE)
    return [drawn] if drawn else []


def _rates(line: Mapping[str, Any]) -> list[tuple[float, float]]:
    """The rate in each interval of an overload."""
    found, last = [], (0, 0)
    for at_ns, calls, _ in line["intervals"]:
        if at_ns > last[0]:
            found.append((line["at_s"] + at_ns / 1e9, (calls - last[1]) / (at_ns - last[0]) * 1e9))
        last = (at_ns, calls)
    return found
