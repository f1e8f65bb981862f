"""What each stack's processes took: memory, threads, files, switches; how they grew; how they ended."""

from collections.abc import Sequence
from functools import partial

from callbench.analysis.judge.health import CALLS_SQL, DEATHS_SQL, PROCESSES_SQL, SAMPLES_SQL, Growth, Health
from callbench.analysis.run.subject import Subject
from callbench.report.charts.draw import to_svg
from callbench.report.charts.processes import MOST_LINES
from callbench.report.charts.processes import processes as chart_of
from callbench.report.text.growth import deaths, leaks, named
from callbench.report.text.section import Chart, Section, Sheet
from callbench.report.text.summary import groups
from callbench.stats.estimate.digits import figure

ABOUT = (
    "Values of all processes of a side, with the registries and helpers that it started. Memory is resident memory."
    " Unique memory would become free if only this side ended. The heap is what the runtime still holds after the"
    " load. Threads made is a lower limit: threads between two samples are visible only if thread ids are given out in"
    " order. Switches count only threads that are alive at the end. Slopes are of the second half of a trial, and need"
    " a trial of at least seven seconds."
)
CHART_ABOUT = (
    "Resident memory and threads during the load, ten samples per second. Sides that grow come first, then the largest."
)
COLUMNS = (
    "stack",
    "side",
    "peak MiB",
    "unique MiB",
    "heap MiB",
    "peak threads",
    "threads made",
    "files",
    "switches per call, waiting",
    "switches per call, preempted",
    "page faults per call",
    "processor per call, µs",
)
GROWTH_COLUMNS = (
    "stack",
    "side",
    "memory, KiB per 1,000 calls",
    "threads per 1,000 calls",
    "begin MiB",
    "end MiB",
    "after the rest MiB",
)
_MIB = 2.0**20


def section(subject: Subject) -> Section | None:
    """Show every group's processes, what grew, and the chart of cells that were watched for long."""
    every = subject.health
    if not every and not subject.deaths:
        return None
    sheets = []
    for name in groups(subject):
        own = [health for health in every if health.cell.attributes["group"] == name]
        if own:
            sheets.append(Sheet(f"Processes: {name}", COLUMNS, [_row(health) for health in own]))
    followed = [health for health in every if health.memory is not None or health.figures["resident_rest"] is not None]
    if followed:
        sheets.append(
            Sheet("Growth and memory after a rest", GROWTH_COLUMNS, [_growth_row(health) for health in followed])
        )
    charts = []
    spec = chart_of(_chosen(every))
    if spec is not None:
        label = f"Memory and threads over time. {CHART_ABOUT} The values are in the table processes."
        charts.append(
            Chart(
                "processes-time",
                "Memory and threads over time",
                CHART_ABOUT,
                partial(to_svg, spec, label),
                SAMPLES_SQL,
                spec=spec,
            )
        )
    source = ";\n".join(query.strip() for query in (PROCESSES_SQL, SAMPLES_SQL, CALLS_SQL, DEATHS_SQL))
    return Section(
        id="processes",
        title="Processes",
        about=ABOUT,
        found=_summary(subject),
        sheets=sheets,
        charts=charts,
        source=source,
    )


def _chosen(every: Sequence[Health]) -> list[Health]:
    """Choose whom to draw: those that grow, then the largest."""
    drawable = [health for health in every if health.track is not None]

    def weight(health: Health) -> tuple[bool, float]:
        return health.leaks_memory or health.leaks_threads, health.figures["resident_peak"] or 0.0

    return sorted(drawable, key=weight, reverse=True)[:MOST_LINES]


def _summary(subject: Subject) -> list[str]:
    """Name who took most, who grew and who died."""
    texts = []
    measured = [health for health in subject.health if health.figures["resident_peak"]]
    if measured:
        most = max(measured, key=lambda health: health.figures["resident_peak"] or 0.0)
        threads = max(measured, key=lambda health: health.figures["threads_peak"] or 0.0)
        texts.append(
            f"Most memory: {named(most)}, {_mib(most.figures['resident_peak'])} MiB. Most threads: {named(threads)},"
            f" {threads.figures['threads_peak']:.0f}."
        )
    texts += leaks(subject.health)
    followed = [health for health in subject.health if health.memory is not None]
    grown = sum(health.leaks_memory or health.leaks_threads for health in followed)
    if followed:
        texts.append(f"{len(followed)} sides were measured long enough for a slope. {grown} of them are shown to grow.")
    return texts + deaths(subject.deaths)


def _row(health: Health) -> tuple[str, ...]:
    """Write one side."""
    counts = health.per_call
    processor = None if counts["user_ms"] is None else 1e3 * (counts["user_ms"] + (counts["system_ms"] or 0.0))
    return (
        health.cell.attributes["stack"],
        health.side,
        _mib(health.figures["resident_peak"]),
        _mib(health.figures["unique_end"]),
        _mib(health.figures["heap_bytes"]),
        _whole(health.figures["threads_peak"]),
        _whole(health.figures["threads_made"]),
        _whole(health.figures["files_end"]),
        _some(counts["voluntary"]),
        _some(counts["involuntary"]),
        _some(counts["minor_faults"]),
        _some(processor),
    )


def _growth_row(health: Health) -> tuple[str, ...]:
    """Write what grew and what came back of one side."""
    return (
        health.cell.attributes["stack"],
        health.side,
        _slope(health.memory, 1024),
        _slope(health.threads, 1),
        _mib(health.figures["resident_begin"]),
        _mib(health.figures["resident_end"]),
        _mib(health.figures["resident_rest"]),
    )


def _slope(growth: Growth | None, unit: float) -> str:
    """Write a slope with its interval."""
    if growth is None:
        return "too short"
    slope = growth.per_thousand
    if slope.low is None or slope.high is None:
        return figure(slope.middle / unit)
    return f"{_some(slope.middle / unit)} ({_some(slope.low / unit)} to {_some(slope.high / unit)})"


def _mib(value: float | None) -> str:
    return "" if value is None else f"{value / _MIB:.1f}"


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _some(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"
