"""A soak in tables, charts and sentences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callbench.analysis.stability import soak_findings
from callbench.analysis.stability.findings import FAILING, Finding, closing_sentence, title
from callbench.analysis.stability.formatting import episode_text, errors_text, mib, over_text, small, whole
from callbench.analysis.stability.other_programs import others_text
from callbench.analysis.stability.slices import window_of_line
from callbench.analysis.stability.soak_result import (
    GrowthResult,
    SideResources,
    Size,
    SoakResult,
    SoakStep,
    read,
    record,
    troubled_episodes,
)
from callbench.analysis.wording.words import sent_again_sentence
from callbench.report.charts.chart import chart
from callbench.report.charts.over_time import DECIMAL, Panel, over_time
from callbench.report.load.endpoints_sheet import endpoints_sheet, most_time
from callbench.report.record_report import RecordReport
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given
from callbench.store.lines.sides import SideRead
from callbench.store.record import Record
from callbench.store.requested.soak import RequestedSoak

if TYPE_CHECKING:
    from callbench.store.lines.soak import RestLine, SoakSliceLine

# So many episodes have a sentence each; the rest is in the table.
_MOST_TOLD = 6
# The median call of the last tenth against that of the first: a change of less is nothing to tell.
_DRIFT = 1.25
_WELL = "none failed, and nothing grew or became slower"
_SOURCE = "journal.jsonl: lines of kind slice, rest, moment, histogram, endpoints, death (docs/reference/run-folder.md)"
LOAD_COLUMNS = (
    "clients", "seconds", "calls", "calls/s", "5 to 95 % of slices", "p50 µs", "p99 µs", "p99.9 µs", "max µs",
    "errors",
)  # fmt: skip
HEALTH_COLUMNS = (
    "clients, side", "processor µs per call", "begin MiB", "peak MiB", "end MiB", "after the rest MiB",
    "KiB per 1,000 calls", "threads", "threads made per call", "files", "files after the rest",
)  # fmt: skip


def soak_report(run: Record) -> RecordReport:
    """Describe a soak.

    Raises:
        BadInput: the folder is damaged.
    """
    result = read(run)
    requested = run.requested(RequestedSoak)
    steps = ", ".join(map(str, requested.clients))
    think = f" with a think time of {given(requested.think_ms)} ms" if requested.think_ms else ""
    about = (
        f"{requested.name}{over_text(requested.link)}: {steps} clients{think}, {given(requested.seconds)} s each,"
        f" {given(requested.rest_s)} s of rest after each, a sample every {given(requested.every_s)} s."
    )
    findings = soak_findings.soak_findings(result)
    return RecordReport(
        run, about, list(_sentences(result, findings)), _sections(result), record(result), findings,
        verdict=title(findings, _WELL, FAILING["soak"]),
    )  # fmt: skip


def _sentences(result: SoakResult, findings: Sequence[Finding]) -> Iterator[str]:
    for death in result.deaths:
        why = "" if death["side"] == "server" else " (the client)"
        yield f"It died{why} after {death['calls']:,} calls, at {death['at_s']:.1f} s: {death['why']}."
    if result.restarts:
        yield f"It was restarted {'once' if result.restarts == 1 else f'{result.restarts} times'}."
    if result.over:
        yield f"It ended early: {result.over}."
    told_of = [(step, episode) for step in result.steps for episode in troubled_episodes(step)]
    for step, episode in told_of[:_MOST_TOLD]:
        yield f"{step.title}: {episode_text(episode)}."
    if len(told_of) > _MOST_TOLD:
        yield f"{len(told_of) - _MOST_TOLD} more episodes are in the table Episodes."
    for step in result.steps:
        if step.unserved:
            yield f"{step.title}: {soak_findings.unserved_text(step)}."
        yield from _grew(step)
        yield from _pace(step)
        if sentence := most_time(step.endpoints):
            yield f"{step.title}: {sentence}"
    if again := sum(line.get("sent_again", 0) for line in result.slices):
        yield sent_again_sentence(again)
    yield from result.notes
    calls = sum(step.calls for step in result.steps)
    seconds = sum(step.seconds for step in result.steps)
    work = f"{calls:,} calls in {seconds:,.0f} s, {_WELL}"
    yield closing_sentence(findings, work, FAILING["soak"])


def _pace(step: SoakStep) -> Iterator[str]:
    """State that calls became slower or faster, and who else was busy."""
    pace = step.pace
    if pace is not None and not 1 / _DRIFT < pace.ratio < _DRIFT:
        how = "slower" if pace.ratio > 1 else "faster"
        times = figure(max(pace.ratio, 1 / pace.ratio))
        beside_it = others_text(pace.last, pace.others_before)
        yield f"{step.title}: the median call became {times} times {how}; {beside_it}."


def _grew(step: SoakStep) -> Iterator[str]:
    for name, side in step.sides.items():
        who = f"{step.title}: the {name if name != 'both' else 'process'}"
        if side.memory.leaks and side.memory.per_thousand is not None:
            yield f"{who} grew by {small(side.memory.per_thousand / 1024)} KiB per 1,000 calls{_back(side)}."
        if side.threads.leaks and side.threads.per_thousand is not None:
            yield f"{who} grew by {small(side.threads.per_thousand)} threads per 1,000 calls."
        if side.files.leaks and side.files.per_thousand is not None:
            yield f"{who} grew by {small(side.files.per_thousand)} open files per 1,000 calls."


def _back(side: SideResources) -> str:
    if side.returned_bytes is None:
        return ""
    return f", and released {mib(max(0, side.returned_bytes))} MiB during the rest"


def _sections(result: SoakResult) -> list[Section]:
    if not result.steps:
        return []
    load = Sheet("Steps", LOAD_COLUMNS, [_load_row(step) for step in result.steps])
    rows = [_health_row(step, name, side) for step in result.steps for name, side in step.sides.items()]
    happened = [
        (
            str(step.clients),
            episode.state.value,
            f"{episode.start_s:.1f}",
            f"{episode.end_s - episode.start_s:.1f}",
            errors_text(episode.errors),
        )
        for step in result.steps
        for episode in troubled_episodes(step)
    ]
    columns = ("clients", "state", "from, s", "for, s", "errors")
    sections = [
        Section(
            "steps", "Steps",
            "Latency is of all calls of a step together. The range of the rate is over the slices.",
            sheets=[load, *_endpoints(result)], charts=_charts(result), source=_SOURCE,
        ),
        Section(
            "health", "Processes",
            "All processes of a side, with everything that they started. The slope is of the second half of a step,"
            " with its 95 % interval. Threads made is a lower limit. After the rest: without clients.",
            sheets=[Sheet("Processes", HEALTH_COLUMNS, rows)] if rows else [], source=_SOURCE,
        ),
    ]  # fmt: skip
    if happened:
        about = "An episode is a series of slices in the same state. A single slice counts with its own length."
        sections.append(Section("happened", "Episodes", about, sheets=[Sheet("Episodes", columns, happened)]))
    return sections


def _endpoints(result: SoakResult) -> list[Sheet]:
    """Make a table of the endpoints of each step, if clients call several."""
    return [
        endpoints_sheet(step.endpoints, title=f"Endpoints, {step.title}") for step in result.steps if step.endpoints
    ]


def _load_row(step: SoakStep) -> tuple[str, ...]:
    of = step.latency
    latency = [of.get("p50_us"), of.get("p99_us"), of.get("p99.9_us"), of.get("max_us")]
    return (
        str(step.clients),
        f"{step.seconds:,.1f}",
        whole(step.calls),
        figure(step.rate_per_s, 0.005),
        # A single slice has no range.
        "" if step.slices < 2 else f"{figure(step.rate_low, 0.05)} to {figure(step.rate_high, 0.05)}",
        *("" if value is None else figure(value, 0.005) for value in latency),
        errors_text(step.errors),
    )


def _health_row(step: SoakStep, name: str, side: SideResources) -> tuple[str, ...]:
    def of(there: SideRead | None, key: Size) -> float | None:
        return None if there is None else there[key]

    return (
        f"{step.clients}, {name}",
        small(side.processor_us),
        mib(of(side.begin, "resident_bytes")),
        mib(side.resident_peak),
        mib(of(side.end, "resident_bytes")),
        mib(of(side.rested, "resident_bytes")),
        _slope(side.memory, step),
        whole(side.threads_peak),
        small(side.threads_made),
        whole(side.files_peak),
        whole(of(side.rested, "files")),
    )


def _slope(grown: GrowthResult, step: SoakStep) -> str:
    if grown.per_thousand is None:
        return f"{step.slices} of {soak_findings.LEAST_SLICES} slices"
    if grown.low is None or grown.high is None:
        return small(grown.per_thousand / 1024)
    ends = " to ".join(small(value / 1024) for value in (grown.low, grown.high))
    return f"{small(grown.per_thousand / 1024)} ({ends})"


def _charts(result: SoakResult) -> Sequence[Chart]:
    slices = result.slices
    sides = [side for side in ("server", "client", "both") if any(side in line["sides"] for line in slices)]
    unsorted: list[SoakSliceLine | RestLine] = [*slices, *result.rests]
    every = sorted(unsorted, key=lambda line: line["at_s"])

    def of(name: Size, unit: float = 1.0) -> dict[str, list[tuple[float, float]]]:
        return {
            side: [
                (line["at_s"], value / unit)
                for line in every
                if side in line["sides"] and (value := line["sides"][side][name]) is not None
            ]
            for side in sides
        }

    rates = [(line["at_s"], window_of_line(line).per_s) for line in slices if line["seconds"]]
    failed = [(line["at_s"], sum(line["errors"].values()) / line["seconds"]) for line in slices if line["seconds"]]
    lines = {"calls/s": rates} | ({"errors/s": failed} if any(value for _, value in failed) else {})
    times = {
        "p50": [(line["at_s"], line["p50_us"] / 1e3) for line in slices if "p50_us" in line],
        "p99": [(line["at_s"], line["p99_us"] / 1e3) for line in slices if "p99_us" in line],
    }
    panels = [
        Panel("per second", "{value} {line}", lines),
        Panel("latency, ms", "{line} {value} ms", times, DECIMAL),
        Panel("resident memory, MiB", "{line}: {value} MiB", of("resident_bytes", 2.0**20)),
        Panel("threads", "{line}, threads: {value}", of("threads")),
        Panel("open files", "{line}, open files: {value}", of("files")),
    ]
    marks = {death["at_s"]: "died" for death in result.deaths}
    about = "Rests lie between the steps. A broken line marks the death of a process."
    drawn = chart("over-time", "Over time", about, over_time(panels, marks), _SOURCE)
    return [drawn] if drawn else []
