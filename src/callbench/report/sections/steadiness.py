"""Whether each trial was steady, and the warm-up before it."""

from collections.abc import Mapping, Sequence

from callbench.belief import WARM_UPS_SQL, Curve
from callbench.report.charts.draw import drawn
from callbench.report.charts.palette import SERIES, WIDTH, Spec
from callbench.report.section import Chart, Section, Sheet
from callbench.report.subject import Subject

ABOUT = (
    "Before each trial the same call is driven in short pieces until it does not get faster any more, or a limit is"
    " reached; the pieces are kept, so that a compiler at work shows. The trial's own rates, ten a second, are then"
    " tested for a change of level: flagged where chance explains it in less than one trial of a hundred and it moves"
    " the rate by more than 5 %."
)
MOST_CHARTS = 6
MOST_ROWS = 40
# A warm-up that gains less shows nothing but noise.
GAIN = 1.25


def section(subject: Subject) -> Section | None:
    """Show the trials that were not steady, and the longest ways to a steady state."""
    beliefs = subject.results.beliefs.cells
    stack_of = {one.id: one.attributes["stack"] for one in subject.results.cells}
    curves = [curve for known in beliefs.values() for curve in known.curves]
    if not any(curve.warm_up for curve in curves):
        return None
    unsteady = [curve for curve in curves if curve.unsteady]
    tested = sum(curve.shift is not None for curve in curves)
    found = (
        f"{len(unsteady)} of {len(curves)} trials were not steady. {tested} were long enough to be tested by their own"
        " rates; of the others only the warm-up says something."
    )
    rows = [(stack_of[one.cell], one.cell, str(one.block), one.unsteady) for one in unsteady[:MOST_ROWS]]
    note = f"{len(unsteady) - MOST_ROWS} more were not." if len(unsteady) > MOST_ROWS else ""
    sheets = [Sheet("Trials that were not steady", ("stack", "cell", "block", "what was seen"), rows, note)]
    charts = _charts(curves, stack_of)
    return Section("steadiness", "Steady state", ABOUT, [found], sheets if rows else (), charts, source=WARM_UPS_SQL)


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
        title = f"Warming up: {stack}"
        about = (
            "Calls a second in each piece of the warm-up, a line a trial, by the seconds spent warming up before it."
        )
        svg = drawn(spec, f"{title}. {about}")
        charts.append(Chart(f"warm-up-{stack.replace('/', '-')}", title, about, svg, WARM_UPS_SQL))
    return charts


def _curve_of(curves: Sequence[Curve]) -> Spec:
    """Describe one stack's chart."""
    values = [
        {"trial": curve.trial, "seconds": at, "rate": rate}
        for curve in curves
        for at, rate in curve.warm_up
        if rate > 0
    ]
    return {
        "width": WIDTH,
        "height": 180,
        "data": {"values": values},
        "mark": {
            "type": "line",
            "strokeWidth": 1,
            "opacity": 0.6,
            "color": SERIES[0],
            "point": {"size": 12, "color": SERIES[0]},
        },
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "axis": {"title": "seconds of warming up"}},
            "y": {
                "field": "rate",
                "type": "quantitative",
                "scale": {"type": "log", "nice": False},
                "axis": {"title": "calls a second, logarithmic", "format": "~s", "tickCount": 5},
            },
            "detail": {"field": "trial", "type": "nominal"},
        },
    }
