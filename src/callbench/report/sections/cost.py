"""What a call costs in processor time, on each side, in user and in system mode."""

from collections.abc import Sequence

from callbench.analysis.cells.costs import WINE
from callbench.analysis.cells.results import Result
from callbench.analysis.cells.table_rows import TRIALS_SQL
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import conditions_of
from callbench.analysis.wording.words import processor_time_text
from callbench.report.text.section import INTERVAL, Section, Sheet
from callbench.stats.estimate.digits import percent, share

ABOUT = (
    "Microseconds of processor time per call, as the kernel counts them for each side's processes. A value is the sum"
    " over all trials, divided by their calls. A short waiting time can hide this cost. A value that is too small for"
    " its clock is written as under the smallest value of that clock. User time is the stack's own work, system time"
    " is the kernel's work for it. They are distinguished by the kernel's ticks, assumed to be 10 ms. Both sides"
    " together do not include a backend. A side that spins while it waits pays for its waiting too."
)
PARTS = ("client_user_us", "client_system_us", "server_user_us", "server_system_us")
COLUMNS = ("stack", "call", "client user", "client system", "server user", "server system", "both sides", INTERVAL)
BACKEND = "backend, in addition"
MOST_ROWS = 60
WINE_COLUMNS = ("stack", "call", "both sides", "Wine's server", INTERVAL, "share of Wine's server")
WINE_NOTE = (
    "One process of Wine, the wineserver, serves both sides. Every window message, write to a pipe and wait goes"
    " through it. Its time is not part of either side's time above. On Windows, the kernel does that work. The time"
    " comes from the kernel's counter of the thread."
)


def section(subject: Subject) -> Section | None:
    """List the cells by what a call costs, group by group, the cheapest first."""
    costs = [(cell, total.us) for cell in subject.results.cells if (total := cell.costs.get("cpu_us")) is not None]
    if not costs:
        return None
    groups = list(dict.fromkeys(cell.attributes["group"] for cell, _ in costs))
    costs.sort(key=lambda pair: (groups.index(pair[0].attributes["group"]), pair[1]))
    rows = [_row(cell) for cell, _ in costs[:MOST_ROWS]]
    columns: Sequence[str] = COLUMNS
    behind = [_part(cell, "backend_cpu_us") for cell, _ in costs[:MOST_ROWS]]
    if any(behind):
        columns = (*COLUMNS, BACKEND)
        rows = [(*row, value) for row, value in zip(rows, behind, strict=True)]
    note = f"The other {len(costs) - MOST_ROWS} are in `callbench show RUN --json`." if len(costs) > MOST_ROWS else ""
    sheet = Sheet("Processor time per call (µs)", columns, rows, note)
    sheets = [sheet, *_wine(costs)]
    return Section("cost", "Processor time", ABOUT, sheets=sheets, source=TRIALS_SQL.strip())


def _wine(costs: Sequence[tuple[Result, float]]) -> list[Sheet]:
    """Show what Wine's server took as a third's time, where stacks ran in Wine."""
    rows = []
    for cell, sides in costs:
        served = cell.costs.get(WINE)
        if served is not None:
            part = percent(served.us / (served.us + sides)) if served.us + sides else ""
            rows.append(
                (cell.attributes["stack"], conditions_of(cell), _part(cell, "cpu_us"), *_figure(cell, WINE), part)
            )
    return (
        [Sheet("Processor time of Wine's server (µs per call)", WINE_COLUMNS, rows[:MOST_ROWS], WINE_NOTE)]
        if rows
        else []
    )


def _row(cell: Result) -> Sequence[str]:
    parts = [_part(cell, name) for name in PARTS]
    return (cell.attributes["stack"], conditions_of(cell), *parts, *_figure(cell, "cpu_us"))


def _figure(cell: Result, name: str) -> tuple[str, str]:
    """Write a value and its interval."""
    interval = cell.interval(name)
    return _part(cell, name), share(interval.half_width) if interval else ""


def _part(cell: Result, name: str) -> str:
    """Write a figure: `3.1`, or `under 0.9`; nothing if no one told it."""
    spent = cell.costs.get(name)
    return "" if spent is None else processor_time_text(spent)
