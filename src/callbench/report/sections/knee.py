"""The highest rate, or the most clients, that still met an objective, with its interval over the forks."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.words import detectable_text, ratio_text, some
from callbench.model.objective import parse
from callbench.report.charts.chart import chart
from callbench.report.charts.knee import KneeStep, ObjectiveMark, knee_chart
from callbench.report.text.section import INTERVAL, Chart, Section, Sheet
from callbench.stats.decide.decision import DecidedComparison, Decision
from callbench.stats.estimate.digits import figure, share
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.knee import Knee, KneeOutcome, LevelTrial, knee
from callbench.stats.load.knee_comparison import compared
from callbench.store.requested.knee_search import Search
from callbench.store.rows import rows_of

STEPS_SQL = """
SELECT knee, cell, stack, fork, step, along, level, reached_per_s, value_us, holds, unsteady
FROM steps
ORDER BY knee, cell, fork, step"""
ABOUT = (
    "Each fork searches the highest level at which each stack meets the objective. The level is doubled or halved"
    " until one level meets it and one does not. Then the range is halved on a logarithmic scale. A step is a separate"
    " trial. A failed call counts as one that never ends. A rate that was not reached does not meet the objective. The"
    " interval is Student's t on the logarithms of the forks. Every other stack is compared with the highest one, fork"
    " by fork, with the Holm correction: worse, equivalent within the precision of the search, or undecided."
)


class _StepRow(TypedDict):
    """A step of a search: a trial at one level, and whether it met the objective.

    Attributes:
        value_us: what the objective is about, in microseconds; None if it could not be computed.
        unsteady: why the trial does not count, or "".
    """

    knee: str
    cell: str
    stack: str
    fork: int
    level: float
    reached_per_s: float
    value_us: float | None
    holds: bool
    unsteady: str


def section(subject: Subject) -> Section | None:
    """Show every knee, a sheet an objective."""
    searches = subject.requested.knees
    if not searches:
        return None
    with subject.run.connection() as connection:
        rows = rows_of(connection, STEPS_SQL, _StepRow)
    sheets: list[Sheet] = []
    found: list[str] = []
    charts: list[Chart | None] = []
    for name in dict.fromkeys(search.knee for search in searches):
        mine = [search for search in searches if search.knee == name]
        tried = [row for row in rows if row["knee"] == name]
        if tried:
            made = (_line(search, [row for row in tried if row["cell"] == search.cell]) for search in mine)
            lines = sorted((line for line in made if line), key=lambda line: -line.interval.middle)
            beside = _compared_with_highest(mine[0], lines)
            sheets.append(_sheet(mine[0], lines, beside))
            found += _findings(mine[0], lines, beside)
            found += _without(tried)
            charts.append(_chart(mine[0], tried))
    if not sheets:
        return None
    drawn = [picture for picture in charts if picture is not None]
    return Section("knee", "Knee", ABOUT, found=found, sheets=sheets, charts=drawn, source=STEPS_SQL.strip())


class _Line:
    """One stack's knee."""

    def __init__(self, stack: str, knees: Mapping[int, Knee], steps: int, rates: Sequence[float]) -> None:
        self.stack = stack
        self.knees = knees
        self.forks = len(knees)
        self.steps = steps
        ends = {of_fork.end for of_fork in knees.values()}
        self.end = next((end for end in (KneeOutcome.BELOW, KneeOutcome.AT_LEAST) if end in ends), KneeOutcome.WITHIN)
        self.interval: Interval = geometric_mean([of_fork.level for of_fork in knees.values()])
        self.rate = geometric_mean(rates) if rates else None

    @property
    def text(self) -> str:
        """The level, with what it is where the search met an end of its span."""
        word = {KneeOutcome.WITHIN: "", KneeOutcome.AT_LEAST: "at least ", KneeOutcome.BELOW: "below "}[self.end]
        return word + figure(self.interval.middle, self.interval.half_width)


def _line(search: Search, rows: Sequence[_StepRow]) -> _Line | None:
    """Compute one stack's knee from its steps, fork by fork."""
    knees: dict[int, Knee] = {}
    rates: list[float] = []
    for fork in sorted({row["fork"] for row in rows}):
        own = [row for row in rows if row["fork"] == fork]
        # A search goes where its steps send it: one that was not steady may have sent it wrong.
        if any(row["unsteady"] for row in own):
            continue
        at = knee([LevelTrial(row["level"], row["holds"]) for row in own], search.span)
        if at is not None:
            knees[fork] = at
            rates += [row["reached_per_s"] for row in own if row["level"] == at.level and row["reached_per_s"] > 0][:1]
    return _Line(rows[0]["stack"], knees, len(rows), rates) if knees else None


def _compared_with_highest(search: Search, lines: Sequence[_Line]) -> list[DecidedComparison | None]:
    """Decide what every knee is beside the highest, which comes first."""
    return compared(lines[0].knees, [line.knees for line in lines[1:]], search.precision) if lines else []


def _sheet(search: Search, lines: Sequence[_Line], beside: Sequence[DecidedComparison | None]) -> Sheet:
    """Write an objective's knees, the highest first."""
    level = "calls/s" if search.along == "rate" else "clients"
    rows = [
        (
            line.stack,
            line.text,
            share(line.interval.half_width),
            figure(line.rate.middle, line.rate.half_width) if line.rate else "",
            str(line.forks),
            str(line.steps),
            "" if known is None else f"{ratio_text(known.ratio)} {known.decision}",
        )
        for line, known in zip(lines, (None, *beside), strict=False)
    ]
    note = f"Precision of the search: {100 * search.precision:.0f} %. Levels between two steps are not distinguished."
    if search.along == "rate":
        note += f" Arrivals: {search.arrivals}."
    title = f"Knee: {search.knee} ({search.objective})"
    return Sheet(
        title,
        ("stack", f"highest {level}", INTERVAL, "calls/s there", "forks", "trials", "ratio to the highest"),
        rows,
        note,
    )


def _without(rows: Sequence[_StepRow]) -> list[str]:
    """Describe of which stacks searches do not count."""
    left_out: dict[str, set[int]] = {}
    for row in rows:
        if row["unsteady"]:
            left_out.setdefault(row["stack"], set()).add(row["fork"])
    return [
        f"{stack}: {len(forks)} of its searches do not count, because they had a trial that was not steady."
        for stack, forks in left_out.items()
    ]


def _findings(search: Search, lines: Sequence[_Line], beside: Sequence[DecidedComparison | None]) -> list[str]:
    """Name which stack carries most under the objective, and which of the others may carry as much."""
    if not lines:
        return []
    best = lines[0]
    unit = "calls/s" if search.along == "rate" else "clients"
    spread = share(best.interval.half_width)
    texts = f"{search.knee}: with {search.objective}, {best.stack} reaches {best.text} {unit}"
    texts += f" ({spread})" if spread else ""
    known = [
        (line.stack, compared_with)
        for line, compared_with in zip(lines[1:], beside, strict=True)
        if compared_with is not None
    ]
    alike = [stack for stack, compared_with in known if compared_with.decision is Decision.EQUIVALENT]
    if alike:
        texts += f"; within {100 * search.precision:.0f} % of that: {some(alike, 3)}"
    open_ = [(stack, compared_with) for stack, compared_with in known if compared_with.decision is Decision.UNDECIDED]
    if open_:
        worst = max((compared_with for _, compared_with in open_), key=lambda compared_with: compared_with.detectable)
        texts += f"; not distinguished from {some([stack for stack, _ in open_], 3)}:"
        texts += f" {detectable_text(worst.detectable, worst.more_forks)}"
    return [f"{texts}."]


def _chart(search: Search, rows: Sequence[_StepRow]) -> Chart | None:
    """Draw every step of every search of an objective."""
    tried = [
        KneeStep(row["stack"], row["level"], row["value_us"], bool(row["holds"]))
        for row in rows
        if row["value_us"] is not None
    ]
    axis = "requested calls/s, logarithmic" if search.along == "rate" else "clients, logarithmic"
    about = (
        "Each mark is a trial of a search: a circle if it met the objective, a cross if it did not. The broken line is"
        " the objective."
    )
    limit = ObjectiveMark(search.objective, parse(search.objective).limit_us)
    spec = knee_chart(tried, axis, f"{search.objective.partition(' ')[0]}, ms, logarithmic", limit)
    return chart(f"knee-{search.knee}", f"Steps to the knee: {search.knee}", about, spec, STEPS_SQL)
