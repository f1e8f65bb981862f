"""Calls that arrive whether or not the last one was answered: latency as callers see it beside what the server took."""

from collections.abc import Sequence

from callbench.analysis.cells.histograms import HISTOGRAMS_SQL
from callbench.analysis.cells.results import Latency, OpenLoop, Result
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.report.charts.chart import chart
from callbench.report.charts.open_loop import open_loop
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given

ABOUT = (
    "Calls arrive at a given rate, as from many independent users. Corrected latency begins when a call was due. Raw"
    " latency, the service time, begins when it was sent. A closed loop has only the raw latency. It makes no calls"
    " while it waits for a slow answer, so it hides the queue (coordinated omission). Lateness is the delay caused by"
    " the generator. A cell that missed its rate has no value and no rank."
)
COLUMNS = (
    "stack",
    "requested, calls/s",
    "reached",
    "raw p50, µs",
    "corrected p50",
    "raw p99",
    "corrected p99",
    "corrected p99.9",
    "lateness p99",
)
# Below this ratio of corrected to raw latency nothing to speak of had to wait.
ALIKE = 1.1
MOST_BARS = 24


def section(subject: Subject) -> Section | None:
    """Show every cell of an open loop, a sheet a group."""
    groups: dict[str, list[Result]] = {}
    for cell in subject.results.cells:
        if cell.open_loop is not None and cell.open_loop.reached is not None:
            groups.setdefault(cell.attributes["group"], []).append(cell)
    if not groups:
        return None
    sheets = [Sheet(f"Open loop: {name}", COLUMNS, [_row(cell) for cell in cells]) for name, cells in groups.items()]
    found = [sentence for name, cells in groups.items() for sentence in _findings(name, cells)]
    charts = [drawn for name, cells in groups.items() if (drawn := _chart(name, cells)) is not None]
    source = HISTOGRAMS_SQL.strip()
    return Section("open-loop", "Open loop", ABOUT, found=found, sheets=sheets, charts=charts, source=source)


def named(cell: Result) -> str:
    """Name a cell by its stack and its connections, if it has several."""
    clients = cell.attributes["clients"]
    return cell.attributes["stack"] + ("" if clients == "1" else f", {clients} clients")


def _row(cell: Result) -> list[str]:
    """Write one cell out; where its rate was missed, why stands in the place of values."""
    loop = _loop(cell)
    rate = table_cell(cell, "rate_per_s")
    reached = loop.reached
    target = given(loop.target_per_s)
    if loop.missed:
        seen = figure(reached.middle, reached.half_width) if reached else ""
        return [named(cell), target, f"not reached ({seen})", "", "", "", "", "", _share(loop.lateness, "p99")]
    return [
        named(cell),
        target,
        f"{rate.text} {rate.spread}".strip(),
        _share(loop.service, "p50"),
        _share(loop.latency, "p50"),
        _share(loop.service, "p99"),
        _share(loop.latency, "p99"),
        _share(loop.latency, "p999"),
        _share(loop.lateness, "p99"),
    ]


def _loop(cell: Result) -> OpenLoop:
    """Return what only an open loop has."""
    if cell.open_loop is None:
        raise ValueError(f"{cell.attributes['stack']} has no open loop here")
    return cell.open_loop


def _share(latency: Latency, name: str) -> str:
    """Write a percentile in microseconds with two digits, since it has no interval here."""
    known = (latency.percentiles or {}).get(name)
    return "" if known is None else figure(known)


def _p99(latency: Latency) -> float:
    """Return a 99th percentile in microseconds, or 0 if it is not known."""
    return (latency.percentiles or {}).get("p99", 0.0)


def _tails_known(loop: OpenLoop) -> bool:
    """Return whether enough calls were made for both of the 99th percentiles that are compared."""
    return bool(_p99(loop.service) and _p99(loop.latency))


def _findings(name: str, cells: Sequence[Result]) -> list[str]:
    """Describe what the difference between raw and corrected means in this group, and which rates were missed."""
    texts = []
    kept = [cell for cell in cells if not _loop(cell).missed and _tails_known(_loop(cell))]
    if kept:
        worst = max(kept, key=lambda cell: _p99(_loop(cell).latency) / _p99(_loop(cell).service))
        texts.append(f"{name}: {_meaning(worst)}")
    texts.extend(
        f"{name}: {named(cell)} has no result for {given(_loop(cell).target_per_s)} calls/s: {why}."
        for cell in cells
        if (why := _loop(cell).missed)
    )
    return texts


def _meaning(cell: Result) -> str:
    """Describe of the cell with the greatest difference what it hides from a closed loop."""
    loop = _loop(cell)
    raw, corrected, late = _p99(loop.service), _p99(loop.latency), _p99(loop.lateness)
    where = f"{named(cell)} at {given(loop.target_per_s)} calls/s"
    if corrected < ALIKE * raw:
        return (
            f"no call had to wait. The difference is largest for {where}. Even there, the corrected 99th percentile"
            f" ({figure(corrected)} µs) equals that of the service time ({figure(raw)} µs)."
        )
    fault = (
        f" The generator's own lateness is {figure(late)} µs of that."
        if late > (corrected - raw) / 2
        else " The cause is the wait for a free client, not the generator's lateness."
    )
    return (
        f"for {where}, 99 of 100 calls were answered within {figure(raw)} µs after they were sent. They were answered"
        f" within {figure(corrected)} µs after they were due, {figure(corrected / raw)} times as long. A closed loop"
        f" would show only the first value.{fault}"
    )


def _chart(name: str, cells: Sequence[Result]) -> Chart | None:
    """Draw raw beside corrected, for the cells where they differ most."""
    kept = [cell for cell in cells if not _loop(cell).missed and _tails_known(_loop(cell))]
    kept.sort(key=lambda cell: _p99(_loop(cell).service) / _p99(_loop(cell).latency))
    rows = [
        (f"{named(cell)}, {given(_loop(cell).target_per_s)}/s", kind, latency.percentiles)
        for cell in kept[:MOST_BARS]
        for kind, latency in (("raw", _loop(cell).service), ("corrected", _loop(cell).latency))
        if latency.percentiles
    ]
    about = "Median (mark), 99th percentile (thick line) and 99.9th (thin line) of raw and corrected latency."
    title = f"Raw and corrected latency: {name}"
    return chart(f"open-loop-{name}", title, about, open_loop(rows), HISTOGRAMS_SQL)
