"""What a call costs in processor time, on each side, in user and in system mode."""

from collections.abc import Sequence

from callbench.belief import TRIALS_SQL
from callbench.report.section import Section, Sheet
from callbench.report.subject import Subject
from callbench.results import Result
from callbench.stats.digits import figure, percent, share

ABOUT = (
    "Microseconds of processor time a call, by the account of each side's own process, geometric means over the blocks:"
    " what a call costs whoever pays for the machine, which a short wait does not show. User is the stack's own work,"
    " system the kernel's on its behalf. What stands behind a server is not among what both sides took. Where a client"
    " or server spins while it waits, its waiting is in it."
)
PARTS = ("client_user_us", "client_system_us", "server_user_us", "server_system_us")
COLUMNS = ("stack", "cell", "client user", "client system", "server user", "server system", "both sides", "")
BACKEND = "backend, besides"
MOST_ROWS = 60
WINE_COLUMNS = ("stack", "cell", "both sides", "Wine's server", "", "its share of the three")
WINE_NOTE = (
    "One process of Wine, the wineserver, serves both sides: every window message, every write to a pipe and every wait"
    " goes through it, and it is no part of either side's time above. On Windows the kernel does that work. Seen from"
    " outside, as the kernel counts the thread's time on a processor."
)


def section(subject: Subject) -> Section | None:
    """List the cells by what a call costs, group by group, the cheapest first."""
    costs = [(one, total.middle) for one in subject.results.cells if (total := one.interval("cpu_us")) is not None]
    if not costs:
        return None
    groups = list(dict.fromkeys(one.attributes["group"] for one, _ in costs))
    costs.sort(key=lambda pair: (groups.index(pair[0].attributes["group"]), pair[1]))
    rows = [_row(one) for one, _ in costs[:MOST_ROWS]]
    columns: Sequence[str] = COLUMNS
    behind = [_part(one, "backend_cpu_us") for one, _ in costs[:MOST_ROWS]]
    if any(behind):
        columns = (*COLUMNS, BACKEND)
        rows = [(*row, value) for row, value in zip(rows, behind, strict=True)]
    note = f"The other {len(costs) - MOST_ROWS} are in `callbench show --json`." if len(costs) > MOST_ROWS else ""
    sheet = Sheet("Processor time a call (µs)", columns, rows, note)
    sheets = [sheet, *_wine(costs)]
    return Section("cost", "Cost", ABOUT, sheets=sheets, source=TRIALS_SQL.strip())


def _wine(costs: Sequence[tuple[Result, float]]) -> list[Sheet]:
    """Show what Wine's server took as a third's time, where stacks ran in Wine."""
    rows = []
    for one, sides in costs:
        served = one.interval("wineserver_us")
        if served is not None:
            whole = (figure(served.middle, served.half_width), share(served.half_width))
            cell = f"{one.id} {one.attributes['group']}"
            part = percent(served.middle / (served.middle + sides))
            rows.append((one.attributes["stack"], cell, figure(sides, None), *whole, part))
    return [Sheet("Wine's server beside them (µs a call)", WINE_COLUMNS, rows[:MOST_ROWS], WINE_NOTE)] if rows else []


def _row(one: Result) -> Sequence[str]:
    parts = [_part(one, name) for name in PARTS]
    total = one.interval("cpu_us")
    whole = (figure(total.middle, total.half_width), share(total.half_width)) if total else ("", "")
    return (one.attributes["stack"], f"{one.id} {one.attributes['group']}", *parts, *whole)


def _part(one: Result, name: str) -> str:
    interval = one.interval(name) if all(one.by_block.get(name, {}).values()) else None
    return figure(interval.middle, interval.half_width) if interval else "0" if name in one.by_block else ""
