"""The same calls over links of rising delay: which message is ahead where, and where one overtakes another."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.report.charts.chart import chart
from callbench.report.charts.steps import Axes, Point, steps
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.decide.crossing import Crossing, crossings
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.interval import geometric_mean
from callbench.stats.wire.link import Wires, round_trip_ns

ABOUT = (
    "Each stack makes the same calls over links with different delays. With a longer delay, the encoding of a call"
    " matters less, and its number of round trips matters more. A change of order is listed only if both are shown: one"
    " stack is faster before it, the other after it. Each is shown by an interval of the ratios fork by fork. The"
    " point between the two delays is interpolated."
)
FEWEST_LINKS = 3
MOST_LINES = 8
_MS = 1_000_000
# Stacks by name, each with its cells by round trip in ms.
Curves = Mapping[str, Mapping[float, Result]]


def section(subject: Subject) -> Section | None:
    """Show every group that lies over at least three links of different delay."""
    delays = round_trips_ms(subject.run.plan().get("links") or {})
    sheets, charts, found = [], [], []
    for name in dict.fromkeys(cell.attributes["group"] for cell in subject.results.cells):
        curves = _curves([cell for cell in subject.results.cells if cell.attributes["group"] == name], delays)
        scale = sorted({delay for curve in curves.values() for delay in curve})
        if len(scale) < FEWEST_LINKS:
            continue
        sheets.append(_sheet(name, curves, scale))
        found += _findings(name, curves, scale)
        charts.append(_chart(name, curves))
    drawn = [drawn for drawn in charts if drawn is not None]
    if not sheets:
        return None
    return Section(
        id="delay",
        title="Rate over delay",
        about=ABOUT,
        found=found,
        sheets=sheets,
        charts=drawn,
        source=TRIALS_SQL.strip(),
    )


def round_trips_ms(wires: Wires) -> dict[str, float]:
    """Return the delay of each link there and back, in ms, from what the network lab was asked to make."""
    return {name: round_trip_ns(wire) / _MS for name, wire in wires.items()}


def _curves(cells: Sequence[Result], delays: Mapping[str, float]) -> dict[str, dict[float, Result]]:
    """Gather the fewest clients' cells by stack and delay."""
    kept = [cell for cell in cells if cell.rate and not cell.open_loop and cell.attributes["link"] in delays]
    fewest = min((int(cell.attributes["clients"]) for cell in kept), default=0)
    curves: dict[str, dict[float, Result]] = {}
    for cell in kept:
        if cell.attributes["clients"] == str(fewest):
            curves.setdefault(cell.attributes["stack"], {})[delays[cell.attributes["link"]]] = cell
    return curves


def _sheet(name: str, curves: Curves, scale: Sequence[float]) -> Sheet:
    """Write a row a stack, a column a delay."""
    rows = []
    for stack, curve in curves.items():
        rates = [table_cell(curve[delay], "rate_per_s") if delay in curve else None for delay in scale]
        rows.append([stack, *("" if rate is None else f"{rate.text} {rate.spread}".strip() for rate in rates)])
    columns = ("stack", *(f"{delay:g} ms" for delay in scale))
    return Sheet(
        f"Calls/s by round trip: {name}", columns, rows, "Beside each value: how far its 95 % interval reaches up."
    )


def _findings(name: str, curves: Curves, scale: Sequence[float]) -> list[str]:
    """Name who overtakes whom, and how much is left of the differences at the greatest delay."""
    texts = []
    for one, other in combinations(curves, 2):
        texts += [
            f"{name}: {_crossing_text(one, other, crossing)}." for crossing in _crossings(curves[one], curves[other])
        ]
    if not texts and len(curves) > 1:
        texts.append(f"{name}: between {scale[0]:g} and {scale[-1]:g} ms, no stack is shown to overtake another.")
    spreads = [spread for delay in (scale[0], scale[-1]) if (spread := _spread(curves, delay))]
    if len(spreads) == 2:
        near, far = (figure(spread) for spread in spreads)
        texts.append(
            f"{name}: the fastest stack is {near} times as fast as the slowest at {scale[0]:g} ms, and {far} times at"
            f" {scale[-1]:g} ms."
        )
    return texts


def _crossings(one: Mapping[float, Result], other: Mapping[float, Result]) -> list[Crossing]:
    """Find where two stacks change places."""
    scale, ratios = [], []
    for delay in sorted(one.keys() & other.keys()):
        if one[delay].at_least or other[delay].at_least:
            continue
        values = fork_ratios([one[delay].by_fork["rate_per_s"]], [other[delay].by_fork["rate_per_s"]])
        if values:
            scale.append(delay)
            ratios.append(geometric_mean(values))
    return crossings(scale, ratios)


def _crossing_text(one: str, other: str, crossing: Crossing) -> str:
    """Write one crossing."""
    between = f"between {crossing.low:g} and {crossing.high:g} ms"
    return f"{one} and {other} swap their order {between}, at about {crossing.at:.3g} ms"


def _spread(curves: Curves, delay: float) -> float | None:
    """Compute the fastest over the slowest at a delay; None where a rate is only a lower bound."""
    if any(delay in curve and curve[delay].at_least for curve in curves.values()):
        return None
    rates = [
        at_delay.rate.middle
        for curve in curves.values()
        if (at_delay := curve.get(delay)) is not None and at_delay.rate
    ]
    return max(rates) / min(rates) if len(rates) > 1 else None


def _chart(name: str, curves: Curves) -> Chart | None:
    """Draw a line a stack."""
    shown = list(curves)[:MOST_LINES]
    points = [
        Point.of(stack, delay, rate)
        for stack in shown
        for delay, cell in sorted(curves[stack].items())
        if (rate := cell.rate) is not None
    ]
    some = f" The chart shows the first {MOST_LINES} of {len(curves)} stacks." if len(curves) > MOST_LINES else ""
    about = f"Each mark is a cell with its 95 % interval over the forks.{some}"
    spec = steps(points, [], Axes("round trip of the link, ms", "calls/s, logarithmic"))
    return chart(f"delay-{name}", f"Rate over delay: {name}", about, spec, TRIALS_SQL)
