"""The tables and the map of an advice, the same in every format."""

import math
from collections.abc import Sequence

from callbench.analysis.advice.advice import Advice
from callbench.analysis.advice.checks import PROCESSOR_TIME, Check
from callbench.analysis.advice.savings import processor_line
from callbench.analysis.wording.words import listed
from callbench.model.situation import Goal
from callbench.report.advice.amounts import amount, known_end
from callbench.report.advice.situation import your_situation
from callbench.report.advice.words import alike, depends, goal, more_than_best, not_measured, saved
from callbench.report.charts.chart import chart
from callbench.report.charts.regions import regions
from callbench.report.text.section import Section, Sheet
from callbench.stats.decide.best import ComparedWithBest
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.digits import figure, percent

_SLEEPING = (
    "A process that waits for a link falls asleep before each call, and wakes up with cold caches. So a call takes"
    " several times the processor time that it takes in a loop without a link. How many times is taken from the other"
    " stacks that were measured over the link: those on the same channel, if there are any. The interval is that of a"
    " stack that was not measured. A busy server lies between the two."
)
_SIZES = (
    "Of each message, one channel is compared. Sizes that your payloads do not have are those of the same messages"
    " with longer or shorter lists or texts."
)
_OUTCOMES = {Outcome.PASSED: "met", Outcome.FAILED: "not met", Outcome.UNDECIDED: "undecided"}


def sections(
    advice: Advice, losses: Sequence[tuple[str, str, str]] = (), lacks: Sequence[tuple[str, str]] = ()
) -> list[Section]:
    """Write every section that has something to show.

    Args:
        advice: what was computed.
        losses: of an imported service: place, problem, and what it became.
        lacks: of the stack that is advised: what it cannot carry, and why.
    """
    made = (
        _candidates(advice), your_situation(advice), _languages(advice), _savings(advice),
        _objective(advice),
        _depends(advice), _moving(advice, losses, lacks), _checks(advice),
    )  # fmt: skip
    return [section for section in made if section is not None]


def _languages(advice: Advice) -> Section | None:
    if not advice.languages.measured:
        return None
    from callbench.report.advice.languages import languages  # noqa: PLC0415 - few advices name languages

    return languages(advice, goal(advice), _unit(advice))


def _candidates(advice: Advice) -> Section | None:
    comparison = advice.choice.comparison
    if comparison is None:
        return None
    unit, _ = _unit(advice)
    beside = {other.name: other for other in comparison.others}
    rows = []
    for name in [comparison.name, *beside]:
        rival = beside.get(name)
        gap = "" if rival is None or rival.ratio is None else more_than_best(advice, rival)
        result = "least" if rival is None else _result(rival)
        today = " (today)" if name == advice.situation.today else ""
        rows.append((f"{name}{today}", _amount(advice.amounts[name], name in advice.at_most), gap, result))
    about = (
        f"Every candidate, by {goal(advice)}. Each is compared with the least, fork by fork."
        f" Behind: shown to need more. Equivalent: shown to lie within {alike(advice)}."
        " No better: shown to save no more than that; it may need more."
        f" {_error(advice)}"
    )
    sheet = Sheet("Candidates", ("stack", f"{goal(advice)}, {unit}", "beside the least", "result"), rows)
    return Section("candidates", "Candidates", about, sheets=[sheet])


def _amount(known: Difference | None, at_most: bool) -> str:
    return known_end(known) if known is not None and at_most else amount(known)


def _result(rival: ComparedWithBest) -> str:
    """Say what is shown of a candidate beside the least."""
    if rival.behind:
        return "behind"
    if rival.equivalent:
        return "equivalent"
    return "no better" if rival.no_better else "undecided"


def _error(advice: Advice) -> str:
    off = percent(_grown(advice.error.log), 1)
    if not advice.error.log:
        return "Bytes are counted, not predicted."
    why = f"measured over {listed(advice.error.links)}" if advice.error.links else "an assumption"
    return f"A difference below {off} is never shown: that is the error of a comparison of predictions ({why})."


def _grown(log: float) -> float:
    return math.expm1(log)


def _unit(advice: Advice) -> tuple[str, float]:
    prices = advice.situation.prices
    match advice.situation.goal:
        case Goal.TIME:
            return "ms", 1e-3
        case Goal.MONEY:
            return prices.currency if prices else "", 1.0
        case Goal.PROCESSOR:
            return "µs", 1.0
        case Goal.BYTES:
            return "bytes", 1.0


def _savings(advice: Advice) -> Section | None:
    if not advice.lines:
        return None
    advised = advice.situation.today if advice.choice.verdict == "stay" else advice.choice.best
    columns = (advised, advice.beside, "saved") if advice.beside else (advised,)
    rows = []
    for line in advice.lines:
        name = f"{line.name}, {line.unit}{' (predicted)' if line.predicted else ''}"
        cells = (_amount(line.own, line.at_most[0]), _amount(line.other, line.at_most[1]), saved(line))
        rows.append((name, *cells[: len(columns)]))
    about = (
        f"{advised} beside {advice.beside}, with 95 % intervals. Below 0, it needs more."
        if advice.beside
        else f"The figures of {advised}, with 95 % intervals."
    )
    note = _note(advice)
    sheet = Sheet("Costs and savings", ("", *columns), rows, note)
    return Section("savings", "Costs and savings", about, sheets=[sheet])


def _note(advice: Advice) -> str:
    note = (
        "Predicted: intervals are widened by how far such predictions were off. That of a saving is widened by the"
        " error of a comparison of predictions. "
        if any(line.predicted for line in advice.lines)
        else ""
    )
    over = {processor_line("server", link.name) for link in advice.situation.links}
    if any(line.name in over for line in advice.lines):
        note += "Without a link, calls follow each other at once. Over a link, both sides sleep before each call."
        note += " A busy server lies between the two."
    return note.strip()


def _objective(advice: Advice) -> Section | None:
    objective = advice.situation.objective
    if objective is None or not advice.met:
        return None
    rows = [
        (
            check.stack,
            check.link,
            f"at least {figure(check.ms.middle)}" if check.at_least else amount(check.ms),
            "the link alone" if check.at_least else "measured" if check.measured else "predicted",
            _OUTCOMES[check.outcome],
        )
        for check in advice.met
    ]
    about = (
        f'Whether each candidate meets "{objective.text}", over each link, for the call in which it takes longest.'
        " It is met if the whole interval lies under the limit."
    )
    return Section(
        "objective", "Objective", about, sheets=[Sheet("Objective", ("stack", "link", "ms", "known", "result"), rows)]
    )


def _depends(advice: Advice) -> Section | None:
    map_ = advice.map
    if map_ is None:
        return None
    margin = percent(advice.situation.margin)
    about = (
        f"Who has the shortest time of a call for {map_.call}, at {map_.fixed}. Pale: others lie within {margin} of"
        " the named one. Grey: undecided. The circle is your situation."
    )
    if map_.x.unit == "bytes":
        about += " Between sizes that were measured, times and bytes are interpolated."
    if map_.extra:
        about += f" {_SIZES}"
    drawn = chart(
        "regions", "Who wins where", about, regions(map_), "the run's cells, trials and wire, as computed here"
    )
    cuts = f"Each sentence is a line through the map. Equal: within {margin}."
    charts = [drawn] if drawn else []
    return Section("depends", "What the choice depends on", cuts, found=depends(advice), charts=charts)


def _moving(advice: Advice, losses: Sequence[tuple[str, str, str]], lacks: Sequence[tuple[str, str]]) -> Section | None:
    sheets = []
    if losses:
        sheets.append(Sheet("Fields that do not map", ("place", "problem", "what it becomes"), losses))
    if lacks:
        sheets.append(Sheet("Values that cannot be sent", ("check", "why"), lacks))
    bound = advice.languages.bound
    ruled = [
        (refused.stack, "; ".join(refused.why))
        for refused in advice.left_out
        if refused.required and refused.stack not in bound
    ]
    if ruled:
        sheets.append(Sheet("Stacks ruled out", ("stack", "why"), ruled))
    lacking = [(refused.stack, "; ".join(refused.why)) for refused in advice.left_out if not refused.required]
    if lacking:
        sheets.append(Sheet("Stacks without the needed figures", ("stack", "why"), lacking))
    if not sheets:
        return None
    return Section("moving", "What it costs to move", "What does not map, and who cannot take part.", sheets=sheets)


def _checks(advice: Advice) -> Section | None:
    notes = not_measured(advice)
    if not advice.checks and not notes:
        return None
    rows = [_check(check) for check in advice.checks]
    about = (
        "Cells over a link were predicted from the same forks without a link, and then measured."
        if rows
        else "No cell over a link was measured, so no prediction was tested."
    )
    if any(check.what.startswith(PROCESSOR_TIME) for check in advice.checks):
        about += f" {_SLEEPING}"
    columns = ("stack", "call", "link", "figure", "predicted", "measured", "off by")
    sheets = [Sheet("Predictions tested", columns, rows)] if rows else []
    return Section(
        "checks", "How far predictions are off, and what was not measured", about, found=notes, sheets=sheets
    )


def _check(check: Check) -> tuple[str, ...]:
    scale, unit = (1e-3, "ms") if check.predicted.middle >= 1e3 else (1.0, "µs")
    parts = [f"{figure(each.middle * scale, each.half_width)} {unit}" for each in (check.predicted, check.measured)]
    low, middle, high = check.predicted.low, check.predicted.middle, check.predicted.high
    if check.what.startswith(PROCESSOR_TIME) and low is not None and high is not None:
        # The interval is wide, so the digits are those of its ends.
        low_, middle_, high_ = (figure(value * scale, 0.1) for value in (low, middle, high))
        parts[0] = f"{middle_} {unit} ({low_} to {high_})"
    off = check.off.middle - 1
    off_text = percent(off, 1, sign=True) if abs(off) < 1 else f"{figure(check.off.middle, check.off.half_width)} times"
    return check.stack, check.group, check.link, check.what, *parts, off_text
