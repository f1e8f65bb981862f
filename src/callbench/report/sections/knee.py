"""The highest rate, or the most clients, that still met an objective, with its interval over the blocks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from callbench.knees import Search
from callbench.objective import parse
from callbench.report.charts.draw import chart
from callbench.report.charts.knee import Limit, Tried, knee_chart
from callbench.report.section import Chart, Section, Sheet
from callbench.report.subject import Subject
from callbench.stats.digits import figure, share
from callbench.stats.interval import Interval, geometric_mean
from callbench.stats.knee import End, Knee, Step, knee

STEPS_SQL = """
SELECT knee, cell, stack, block, step, along, level, reached_per_s, value_us, holds, unsteady
FROM steps
ORDER BY knee, cell, block, step"""
ABOUT = (
    "For each stack the highest level that met the objective was searched for once a block: doubled or halved until"
    " one level met it and one did not, then bisected on the logarithm. A step is a trial of its own; a call that"
    " failed counts as one that never ended, and a rate that was not reached does not meet anything. The interval is"
    " Student's t on the logarithms of the blocks."
)
Row = Mapping[str, Any]


def section(subject: Subject) -> Section | None:
    """Show every knee, a sheet an objective."""
    searches = [Search(**record) for record in subject.run.info.get("knees", [])]
    if not searches:
        return None
    with subject.run.connection() as connection:
        cursor = connection.execute(STEPS_SQL)
        names = [column[0] for column in cursor.description or []]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    sheets: list[Sheet] = []
    found: list[str] = []
    charts: list[Chart | None] = []
    for name in dict.fromkeys(search.knee for search in searches):
        mine = [search for search in searches if search.knee == name]
        tried = [row for row in rows if row["knee"] == name]
        if tried:
            lines = [_line(search, [row for row in tried if row["cell"] == search.cell]) for search in mine]
            sheets.append(_sheet(mine[0], [line for line in lines if line]))
            found += _found(mine[0], [line for line in lines if line])
            found += _without(tried)
            charts.append(_chart(mine[0], tried))
    if not sheets:
        return None
    drawn = [one for one in charts if one is not None]
    return Section("knee", "Knee", ABOUT, found=found, sheets=sheets, charts=drawn, source=STEPS_SQL.strip())


class _Line:
    """One stack's knee."""

    def __init__(self, stack: str, knees: Sequence[Knee], steps: int, rates: Sequence[float]) -> None:
        self.stack = stack
        self.blocks = len(knees)
        self.steps = steps
        self.end = next((end for end in (End.BELOW, End.AT_LEAST) if any(one.end is end for one in knees)), End.WITHIN)
        self.interval: Interval = geometric_mean([one.level for one in knees])
        self.rate = geometric_mean(rates) if rates else None

    @property
    def text(self) -> str:
        """The level, with what it is where the search met an end of its span."""
        word = {End.WITHIN: "", End.AT_LEAST: "at least ", End.BELOW: "below "}[self.end]
        return word + figure(self.interval.middle, self.interval.half_width)


def _line(search: Search, rows: Sequence[Row]) -> _Line | None:
    """Reckon one stack's knee from its steps, block by block."""
    knees: list[Knee] = []
    rates: list[float] = []
    for block in sorted({row["block"] for row in rows}):
        own = [row for row in rows if row["block"] == block]
        # A search goes where its steps send it: one that was not steady may have sent it wrong.
        if any(row["unsteady"] for row in own):
            continue
        at = knee([Step(row["level"], row["holds"]) for row in own], search.span)
        if at is not None:
            knees.append(at)
            rates += [row["reached_per_s"] for row in own if row["level"] == at.level and row["reached_per_s"] > 0][:1]
    return _Line(rows[0]["stack"], knees, len(rows), rates) if knees else None


def _sheet(search: Search, lines: Iterable[_Line]) -> Sheet:
    """Write an objective's knees, the highest first."""
    ranked = sorted(lines, key=lambda one: -one.interval.middle)
    level = "calls/s" if search.along == "rate" else "clients"
    rows = [
        (
            one.stack,
            one.text,
            share(one.interval.half_width),
            figure(one.rate.middle, one.rate.half_width) if one.rate else "",
            str(one.blocks),
            str(one.steps),
        )
        for one in ranked
    ]
    note = f"Searched to {100 * search.precision:.0f} %: what lies between two steps is not told apart."
    if search.along == "rate":
        note += f" Arrivals: {search.arrivals}."
    title = f"Knee: {search.knee} ({search.objective})"
    return Sheet(title, ("stack", f"highest {level}", "", "calls/s there", "blocks", "trials"), rows, note)


def _without(rows: Sequence[Row]) -> list[str]:
    """Say of which stacks searches do not count."""
    left_out: dict[str, set[int]] = {}
    for row in rows:
        if row["unsteady"]:
            left_out.setdefault(row["stack"], set()).add(row["block"])
    return [
        f"{stack}: {len(blocks)} of its searches had a trial that was not steady, and do not count."
        for stack, blocks in left_out.items()
    ]


def _found(search: Search, lines: Sequence[_Line]) -> list[str]:
    """Say which stack carries most under the objective."""
    if not lines:
        return []
    best = max(lines, key=lambda one: one.interval.middle)
    unit = "calls/s" if search.along == "rate" else "clients"
    spread = share(best.interval.half_width)
    told = f"{search.knee}: with {search.objective}, {best.stack} carries {best.text} {unit}"
    return [told + (f" ({spread})." if spread else ".")]


def _chart(search: Search, rows: Sequence[Row]) -> Chart | None:
    """Draw every step of every search of an objective."""
    tried = [
        Tried(row["stack"], row["level"], row["value_us"], bool(row["holds"]))
        for row in rows
        if row["value_us"] is not None
    ]
    axis = "calls a second asked for, logarithmic" if search.along == "rate" else "clients, logarithmic"
    about = (
        "Each mark is a trial of a search: a circle where it met the objective, a cross where it did not. The broken"
        " line is the objective."
    )
    limit = Limit(search.objective, parse(search.objective).limit_us)
    spec = knee_chart(tried, axis, f"{search.objective.partition(' ')[0]}, microseconds, logarithmic", limit)
    return chart(f"knee-{search.knee}", f"Steps to the knee: {search.knee}", about, spec, STEPS_SQL)
