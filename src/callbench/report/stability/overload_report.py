"""An overload in tables, charts and sentences."""

from collections.abc import Iterator, Sequence

from callbench.analysis.stability.findings import FAILING, closing_sentence, title
from callbench.analysis.stability.formatting import (
    errors_text,
    mib,
    microseconds,
    over_text,
    recovery_text,
    whole,
)
from callbench.analysis.stability.overload_result import OverloadResult, OverloadStep, overload_findings, read, record
from callbench.analysis.stability.slices import window_of_line
from callbench.report.charts.chart import chart
from callbench.report.charts.over_time import DECIMAL, Panel, over_time
from callbench.report.load.endpoints_sheet import endpoints_sheet
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given, percent
from callbench.store.lines.overload import OverloadLine, OverloadTestLine
from callbench.store.lines.sides import SideRead
from callbench.store.record import Record
from callbench.store.requested.overload import RequestedOverload

_SOURCE = (
    "journal.jsonl: lines of kind step, capacity, before, over, slice, moment, death (docs/reference/run-folder.md)"
)
COLUMNS = (
    "load", "requested, calls/s", "answered, calls/s", "share of capacity", "raw p50, µs",
    "raw p99, µs", "errors", "last right answer, s", "recovered", "peak MiB", "threads",
)  # fmt: skip
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


def overload_report(run: Record) -> RecordReport:
    """Describe an overload.

    Raises:
        BadInput: the folder is damaged.
    """
    result, requested = read(run), run.requested(RequestedOverload)
    about = (
        f"{requested.name}{over_text(requested.link)}. First the highest rate with {requested.objective} was"
        f" searched. Then {' and '.join(map(given, requested.factors))} times that rate was requested,"
        f" for {given(requested.seconds)} s each. The loop was open, with up to {requested.clients:,} calls at once."
        " Half of the rate followed each time."
    )
    findings = overload_findings(result)
    work = "it kept half of its capacity or more, recovered after each overload and did not die"
    sentences = [*_sentences(result), *result.notes, closing_sentence(findings, work, FAILING["overload"])]
    verdict = title(findings, work, FAILING["overload"])
    return RecordReport(run, about, sentences, _sections(result), record(result), findings, verdict=verdict)


def _sentences(result: OverloadResult) -> Iterator[str]:
    capacity, requested = result.capacity_per_s, result.run.requested(RequestedOverload)
    if capacity is None:
        yield "Its capacity was not found."
        return
    if result.capacity_doubt is not None:
        wrong = "was given" if requested.rate else "was found"
        remedy = "leave out --capacity" if requested.rate else "repeat it on a quieter machine"
        yield f"Its capacity is not {figure(capacity, 0.05)} calls/s, which {wrong}: {result.capacity_doubt}; {remedy}."
    for step in result.steps:
        # Of a capacity that is not its capacity, no share is one.
        share = "" if result.capacity_doubt else f", {percent(step.answered_per_s / capacity)} of its capacity"
        asked = (
            f"{figure(step.asked_per_s, 0.05)} calls/s"
            if result.capacity_doubt
            else f"{given(step.factor)} times its capacity"
        )
        errors = "" if not step.errors else f"; failed: {errors_text(step.errors)}"
        yield (
            f"At {asked}, it answered {figure(step.answered_per_s, 0.05)} calls/s{share}{errors}. Recovered after that:"
            f" {_recovered(result, step)}."
        )
    # After the answer, which the title is about.
    if result.capacity_doubt is None:
        how = "as given" if requested.rate else f"with {requested.objective}, to within a tenth"
        yield f"Its capacity is {figure(capacity, 0.05)} calls/s, {how}."
    for death in result.deaths:
        yield f"It died after {death['calls']:,} calls, at {death['at_s']:.1f} s: {death['why']}."
    for side, (_, end, rested) in result.sizes.items():
        if end and rested and side != "client":
            back = end["resident_bytes"] - rested["resident_bytes"]
            had = mib(end["resident_bytes"])
            yield f"The {side} had {had} MiB at the end and released {mib(max(0, back))} MiB during the rest."


def _sections(result: OverloadResult) -> list[Section]:
    capacity, overs = result.capacity_per_s, result.steps
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
            *_memory(side, moments, result.lines),
            *(whole(moment["files"]) if moment else "" for moment in (moments[0], moments[2])),
        )
        for side, moments in result.sizes.items()
    ]
    sheets = [Sheet("Overload", COLUMNS, [_row(result, step, capacity) for step in overs])]
    sheets += [
        endpoints_sheet(step.endpoints, _LATENCY, f"Endpoints, {given(step.factor)} times the capacity")
        for step in overs
        if step.endpoints
    ]
    sheets += [Sheet("Memory and files", MEMORY_COLUMNS, rows)] if rows else []
    return [Section("overload", "Overload", about, sheets=sheets, charts=_charts(result, capacity), source=_SOURCE)]


def _memory(side: str, moments: Sequence[SideRead | None], lines: Sequence[OverloadTestLine]) -> list[str]:
    """A side's memory at the begin, at its peak over all of the overload, at the end and after the rest."""
    peaks = [
        line["sides"][side]["resident_peak"]
        for line in lines
        if (line["kind"] == "slice" or line["kind"] == "over") and side in line["sides"]
    ]
    sizes = [moment["resident_bytes"] if moment else None for moment in moments]
    peak = max([*peaks, *(size for size in sizes if size is not None)], default=None)
    return [mib(size) for size in (sizes[0], peak, *sizes[1:])]


def _recovered(result: OverloadResult, step: OverloadStep) -> str:
    if step.well_again is None and result.deaths and step is result.steps[-1]:
        return "not, as it died"
    return recovery_text(step.well_again, step.watched_s)


def _row(result: OverloadResult, step: OverloadStep, capacity: float) -> tuple[str, ...]:
    server = step.sides.get("server") or step.sides.get("both")
    return (
        f"{given(step.factor)} times",
        figure(step.asked_per_s, 0.05),
        figure(step.answered_per_s, 0.05),
        "" if result.capacity_doubt else percent(step.answered_per_s / capacity),
        microseconds(step.service.get("p50_us")),
        microseconds(step.service.get("p99_us")),
        errors_text(step.errors),
        "none" if step.last_answer_s is None else f"{step.last_answer_s:.1f}",
        _recovered(result, step),
        mib(server and server["resident_peak"]),
        whole(server and server["threads_peak"]),
    )


def _charts(result: OverloadResult, capacity: float) -> list[Chart]:
    lines = result.lines
    halves = [line for line in lines if line["kind"] == "slice"]
    rates = [(line["at_s"], window_of_line(line).per_s) for line in halves if line["seconds"]]
    marks: dict[float, str] = {}
    for line in lines:
        if line["kind"] == "over":
            marks |= {line["at_s"]: "begin", line["until_s"]: "end"}
            rates += _rates(line)
    times = [(line["at_s"], line["p50_us"] / 1e3) for line in halves if "p50_us" in line]
    panels = [
        Panel("answered, calls/s", "{value} calls/s answered", {"calls": sorted(rates)}, limits={"capacity": capacity}),
        Panel("median call, ms", "median call {value} ms", {"calls": times}, DECIMAL, _limit(result)),
    ]
    listed = " and ".join(given(step.factor) for step in result.steps)
    about = f"Between the broken lines: {listed} times the capacity. Before and after them: half of the capacity."
    about += " Level lines: the capacity, and the median within which it has recovered."
    drawn = chart("overload-time", "Overload over time", about, over_time(panels, marks), _SOURCE)
    return [drawn] if drawn else []


def _limit(result: OverloadResult) -> dict[str, float]:
    """Return the slowest median of a server that has recovered, in milliseconds, by what is said of it."""
    before = result.before
    return {} if before is None else {"recovered": before["limit_us"] / 1e3}


def _rates(line: OverloadLine) -> list[tuple[float, float]]:
    """The rate in each interval of an overload."""
    found, last = [], (0, 0)
    for at_ns, calls, _ in line["intervals"]:
        if at_ns > last[0]:
            found.append((line["at_s"] + at_ns / 1e9, (calls - last[1]) / (at_ns - last[0]) * 1e9))
        last = (at_ns, calls)
    return found
