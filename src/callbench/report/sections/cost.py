"""What a call costs in processor time, on each side, in user and in system mode."""

from collections.abc import Sequence

from callbench.analysis.costs import WINE
from callbench.analysis.naming import place
from callbench.analysis.results import Result
from callbench.analysis.subject import Subject
from callbench.analysis.validity import TRIALS_SQL
from callbench.analysis.words import spent_text
from callbench.report.text.section import Section, Sheet
from callbench.stats.digits import percent, share

ABOUT = (
    "Microseconds of processor time a call, by the account of each side's own process: the sum over all trials, by the"
    " calls made in them. It is what a call costs whoever pays for the machine, which a short wait does not show. What"
    " is too little for the clock that counts it stands as under what that clock can tell; user and system are told"
    " apart by the kernel's ticks, which are taken for 10 ms. User is the stack's own work, system the kernel's on its"
    " behalf. What stands behind a server is not among what both sides took. Where a client or server spins while it"
    " waits, its waiting is in it."
)
PARTS = ("client_user_us", "client_system_us", "server_user_us", "server_system_us")
COLUMNS = ("stack", "call", "client user", "client system", "server user", "server system", "both sides", "")
BACKEND = "backend, besides"
MOST_ROWS = 60
WINE_COLUMNS = ("stack", "call", "both sides", "Wine's server", "", "its share of the three")
WINE_NOTE = (
    "One process of Wine, the wineserver, serves both sides: every window message, every write to a pipe and every wait"
    " goes through it, and it is no part of either side's time above. On Windows the kernel does that work. Seen from"
    " outside, as the kernel counts the thread's time on a processor."
)


def section(subject: Subject) -> Section | None:
    """List the cells by what a call costs, group by group, the cheapest first."""
    costs = [(one, total.us) for one in subject.results.cells if (total := one.costs.get("cpu_us")) is not None]
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
    note = f"The other {len(costs) - MOST_ROWS} are in `callbench show RUN --json`." if len(costs) > MOST_ROWS else ""
    sheet = Sheet("Processor time a call (µs)", columns, rows, note)
    sheets = [sheet, *_wine(costs)]
    return Section("cost", "Cost", ABOUT, sheets=sheets, source=TRIALS_SQL.strip())


def _wine(costs: Sequence[tuple[Result, float]]) -> list[Sheet]:
    """Show what Wine's server took as a third's time, where stacks ran in Wine."""
    rows = []
    for one, sides in costs:
        served = one.costs.get(WINE)
        if served is not None:
            part = percent(served.us / (served.us + sides)) if served.us + sides else ""
            rows.append((one.attributes["stack"], place(one), _part(one, "cpu_us"), *_whole(one, WINE), part))
    return [Sheet("Wine's server beside them (µs a call)", WINE_COLUMNS, rows[:MOST_ROWS], WINE_NOTE)] if rows else []


def _row(one: Result) -> Sequence[str]:
    parts = [_part(one, name) for name in PARTS]
    return (one.attributes["stack"], place(one), *parts, *_whole(one, "cpu_us"))


def _whole(one: Result, name: str) -> tuple[str, str]:
    """Write a figure and its interval."""
    interval = one.interval(name)
    return _part(one, name), share(interval.half_width) if interval else ""


def _part(one: Result, name: str) -> str:
    """Write a figure: `3.1`, or `under 0.9`; nothing where nobody told it."""
    spent = one.costs.get(name)
    return "" if spent is None else spent_text(spent)
