"""Whether each trial was steady, and the warm-up before it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from callbench.analysis.cells.table_rows import WARM_UPS_SQL
from callbench.analysis.cells.validity import Curve
from callbench.analysis.run.subject import Subject
from callbench.analysis.wording.naming import by_id, conditions_of
from callbench.report.charts.draw import to_svg
from callbench.report.charts.marks import answering_line
from callbench.report.charts.palette import SERIES, WIDTH, Spec
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure

if TYPE_CHECKING:
    from callbench.analysis.cells.unsteady import WarmUpSummary

ABOUT = (
    "If a side compiles while it runs, the call is driven for up to a minute before each trial. The warm-up ends when"
    " its rate is steady and the compiler is idle. A trial was not steady in three cases: its warm-up reached the"
    " limit, a compiler worked during the trial, or its rate rose. Such a trial does not count. If nothing compiles, a"
    " few short pieces are enough. If the rate of such a trial changes, the machine is the cause. The trial is noted"
    " and counts. The test of a trial uses its own rates, ten per second. Chance explains a change in less than one"
    " trial of a hundred, and the change is over 5 %."
)
WARM_COLUMNS = (
    "stack",
    "longest until steady",
    "steady warm-ups",
    "total seconds",
    "total calls",
    "client's compiler s",
    "server's compiler s",
)
WARM_NOTE = "Compiler time is processor time of all warm-ups. It is empty if it cannot be read from outside."
MOST_CHARTS = 6
MOST_ROWS = 40
# A warm-up that gains less shows nothing but noise.
GAIN = 1.25


def section(subject: Subject) -> Section | None:
    """Show the trials that were not steady, and the longest ways to a steady state."""
    validity = subject.results.validity.cells
    cells = by_id(subject.results.cells)
    stack_of = {name: cell.attributes["stack"] for name, cell in cells.items()}
    curves = [curve for known in validity.values() for curve in known.curves]
    if not any(curve.warm_up for curve in curves):
        return None
    unsteady = [curve for curve in curves if curve.unsteady]
    left_out = sum(bool(curve.left_out) for curve in curves)
    tested = sum(curve.shift is not None for curve in curves)
    sentence = (
        f"{left_out} of {len(curves)} trials were not steady and do not count. {len(unsteady) - left_out} others"
        f" changed their rate and count. {tested} were long enough for the test of their own rates."
    )
    unsteady.sort(key=lambda curve: not curve.left_out)
    rows = [
        (
            stack_of[trial.cell],
            conditions_of(cells[trial.cell]),
            str(trial.fork),
            "no" if trial.left_out else "yes",
            trial.unsteady,
        )
        for trial in unsteady[:MOST_ROWS]
    ]
    note = f"{len(unsteady) - MOST_ROWS} more were not steady." if len(unsteady) > MOST_ROWS else ""
    columns = ("stack", "call", "fork", "counts", "reason")
    sheets = [Sheet("Trials that were not steady", columns, rows, note)] if rows else []
    sheets += _warm(subject)
    charts = _charts(curves, stack_of)
    return Section("steadiness", "Steady state", ABOUT, [sentence], sheets, charts, source=WARM_UPS_SQL)


def _warm(subject: Subject) -> list[Sheet]:
    """List how long each stack whose runtime compiles was warmed up."""
    by_stack: dict[str, list[WarmUpSummary]] = {}
    for cell in subject.results.cells:
        known = subject.results.validity.cells.get(cell.id)
        if known is not None and known.warm is not None and known.warm.compiles:
            by_stack.setdefault(cell.attributes["stack"], []).append(known.warm)
    rows = []
    for stack, cells in list(by_stack.items())[:MOST_ROWS]:
        until = max((summary.until_steady_s for summary in cells if summary.until_steady_s is not None), default=None)
        trials = sum(summary.trials for summary in cells)
        compilers = [
            sum(summary.client_compiler_s for summary in cells),
            sum(summary.server_compiler_s for summary in cells),
        ]
        rows.append(
            (
                stack,
                "" if until is None else f"{until:.0f} s",
                f"{sum(summary.steady for summary in cells)} of {trials}",
                figure(sum(summary.seconds * summary.trials for summary in cells)),
                f"{sum(summary.calls for summary in cells):,}",
                *(figure(seconds) if seconds else "" for seconds in compilers),
            )
        )
    return [Sheet("Warm-up of stacks that compile", WARM_COLUMNS, rows, WARM_NOTE)] if rows else []


def _charts(curves: Sequence[Curve], stack_of: Mapping[str, str]) -> list[Chart]:
    """Draw the warm-ups of the stacks that gained most, a chart each."""
    gains: dict[str, float] = {}
    for curve in curves:
        rates = [rate for _, rate in curve.warm_up if rate > 0]
        if len(rates) >= 4:
            stack = stack_of[curve.cell]
            gains[stack] = max(gains.get(stack, 0.0), max(rates[-2:]) / rates[0])
    most = sorted((stack for stack in gains if gains[stack] > GAIN), key=lambda stack: -gains[stack])[:MOST_CHARTS]
    charts = []
    for stack in most:
        spec = _curve_of([curve for curve in curves if stack_of[curve.cell] == stack])
        title = f"Warm-up: {stack}"
        about = "Calls/s in each piece of the warm-up, by the seconds of warm-up before it. Each line is a trial."
        draw = partial(to_svg, spec, f"{title}. {about}")
        charts.append(Chart(f"warm-up-{stack.replace('/', '-')}", title, about, draw, WARM_UPS_SQL, spec=spec))
    return charts


def _curve_of(curves: Sequence[Curve]) -> Spec:
    """Describe one stack's chart."""
    values = [
        {"trial": curve.trial, "seconds": at, "rate": rate}
        for curve in curves
        for at, rate in curve.warm_up
        if rate > 0
    ]
    line = {"type": "line", "strokeWidth": 1, "opacity": 0.6, "color": SERIES[0]}
    return {
        "width": WIDTH,
        "height": 180,
        "data": {"values": values},
        "layer": answering_line({"mark": {**line, "point": {"size": 12, "color": SERIES[0]}}}, values),
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "axis": {"title": "seconds of warm-up"}},
            "y": {
                "field": "rate",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False},
                "axis": {"title": "calls/s, logarithmic", "format": "~s", "tickCount": 5},
            },
            "detail": {"field": "trial", "type": "nominal"},
        },
    }
