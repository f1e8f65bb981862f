"""Ladders: what more clients or a higher rate do to a stack."""

from collections.abc import Mapping, Sequence

import numpy as np

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Result
from callbench.analysis.run.subject import Subject
from callbench.analysis.run.tables import table_cell
from callbench.report.charts.chart import chart
from callbench.report.charts.steps import Axes, Point, steps
from callbench.report.text.section import INTERVAL, Chart, Section, Sheet
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.digits import figure, share
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.slope import slope
from callbench.stats.load.usl import Scalability, fitted

ABOUT = (
    "The same cell with more clients, or at a higher rate. Relative rates compare with the fewest clients. A stack"
    " that scales perfectly makes n times the calls with n clients. The slope is the time that each client adds to a"
    " call, from the fewest to the most clients. Contention and coherency come from the universal scalability law,"
    " fitted to the rates. Contention is the share of work that cannot run in parallel, coherency the cost of each"
    " pair of clients."
)
MOST_LINES = 8
# A peak that many times beyond what was measured is no peak.
_NO_END = 10
Ladder = Mapping[int, Result]


def section(subject: Subject) -> Section | None:
    """Show every ladder of clients and of rates."""
    sheets: list[Sheet] = []
    charts: list[Chart | None] = []
    found: list[str] = []
    for name in dict.fromkeys(cell.attributes["group"] for cell in subject.results.cells):
        cells = [cell for cell in subject.results.cells if cell.attributes["group"] == name and cell.rate]
        clients = _of_clients([cell for cell in cells if cell.open_loop is None])
        if clients:
            laws = {stack: _law(ladder) for stack, ladder in clients.items()}
            sheets += [_rates(name, clients), _laws(name, clients, laws)]
            found += _guesses(name, laws)
            charts += _charts(name, clients, laws)
        rates = _of_rates([cell for cell in cells if cell.open_loop is not None])
        if rates:
            charts.append(_rate_chart(name, rates))
    drawn = [drawn for drawn in charts if drawn is not None]
    if not sheets and not drawn:
        return None
    return Section("steps", "Steps", ABOUT, found=found, sheets=sheets, charts=drawn, source=TRIALS_SQL.strip())


def _of_clients(cells: Sequence[Result]) -> dict[str, dict[int, Result]]:
    """Gather ladders of clients by stack and link: those of at least two steps."""
    ladders: dict[str, dict[int, Result]] = {}
    links = {cell.attributes["link"] for cell in cells}
    for cell in cells:
        name = cell.attributes["stack"] + (f", {cell.attributes['link']}" if len(links) > 1 else "")
        ladders.setdefault(name, {})[int(cell.attributes["clients"])] = cell
    return {name: dict(sorted(ladder.items())) for name, ladder in ladders.items() if len(ladder) > 1}


def _of_rates(cells: Sequence[Result]) -> dict[str, list[Result]]:
    """Gather ladders of rates by stack and clients."""
    ladders: dict[str, list[Result]] = {}
    for cell in cells:
        clients = cell.attributes["clients"]
        name = cell.attributes["stack"] + ("" if clients == "1" else f", {clients} clients")
        ladders.setdefault(name, []).append(cell)
    return {name: ladder for name, ladder in ladders.items() if len(ladder) > 1}


def _law(ladder: Ladder) -> Scalability | None:
    """Fit the scalability law to a ladder's rates."""
    rates = {clients: cell.rate.middle for clients, cell in ladder.items() if cell.rate}
    return fitted(list(rates), list(rates.values()))


def _relative(ladder: Ladder, clients: int) -> Interval | None:
    """Compute the rate relative to that of the fewest clients, fork by fork."""
    ratios = fork_ratios([ladder[clients].by_fork["rate_per_s"]], [ladder[min(ladder)].by_fork["rate_per_s"]])
    return geometric_mean(ratios) if ratios else None


def _rates(name: str, ladders: Mapping[str, Ladder]) -> Sheet:
    """Write the steps of a group."""
    rows = []
    for stack, ladder in ladders.items():
        for clients, cell in ladder.items():
            rate, mean, p99 = (table_cell(cell, statistic) for statistic in ("rate_per_s", "mean_us", "p99_us"))
            relative = _relative(ladder, clients) if clients > min(ladder) else None
            times = "" if relative is None else figure(relative.middle, relative.half_width)
            spread = "" if relative is None else share(relative.half_width)
            perfect = "" if relative is None else f"{100 * relative.middle * min(ladder) / clients:.0f} %"
            rows.append((stack, str(clients), rate.text, rate.spread, mean.text, p99.text, times, spread, perfect))
    fewest = sorted({min(ladder) for ladder in ladders.values()})
    note = (
        "" if fewest == [1] else f"Relative to {' or '.join(map(str, fewest))} clients, the smallest measured number."
    )
    columns = ("stack", "clients", "calls/s", INTERVAL, "mean, µs", "p99, µs", "relative", INTERVAL, "share of perfect")
    return Sheet(f"Steps: {name}", columns, rows, note)


def _laws(name: str, ladders: Mapping[str, Ladder], laws: Mapping[str, Scalability | None]) -> Sheet:
    """Write slope and law of each stack."""
    rows = []
    for stack, ladder in ladders.items():
        times = {clients: cell.by_fork["mean_us"] for clients, cell in ladder.items()}
        law = laws[stack]
        fit = ("", "", "") if law is None else (_small(law.contention), _small(law.coherency), _peak(law))
        rows.append((stack, _slope(slope(times)), *fit))
    columns = ("stack", "slope, µs per client", "contention", "coherency", "highest rate with")
    note = "" if all(laws.values()) else "The law has three coefficients, so a fit needs at least four steps."
    return Sheet(f"Slope and scalability: {name}", columns, rows, note)


def _small(value: float) -> str:
    """Write a coefficient."""
    return "0" if value < 1e-9 else f"{value:.2g}"


def _slope(rise: Difference | None) -> str:
    """Write a slope with its interval."""
    if rise is None:
        return ""
    if rise.low is None or rise.high is None:
        return f"{rise.middle:.3g}"
    return f"{rise.middle:.3g} ({rise.low:.3g} to {rise.high:.3g})"


def _peak(law: Scalability) -> str:
    """Write where the rate is highest, and whether that was measured."""
    if law.peak > _NO_END * law.measured[1]:
        return "no peak seen"
    outside = "" if law.measured[0] <= law.peak <= law.measured[1] else ", not measured"
    return f"{law.peak:,.0f} clients{outside}"


def _guesses(name: str, laws: Mapping[str, Scalability | None]) -> list[str]:
    """Warn of peaks that lie if nothing was measured."""
    beyond = [
        stack
        for stack, law in laws.items()
        if law is not None and law.measured[1] < law.peak <= _NO_END * law.measured[1]
    ]
    if not beyond:
        return []
    law = laws[beyond[0]]
    most = f"{law.measured[1]:g}" if law else ""
    warning = (
        f"{name}: for {len(beyond)} of {len(laws)} stacks, for example {beyond[0]}, the law predicts the highest rate"
        f" outside the measured range (up to {most} clients). Measure with more clients to confirm it."
    )
    return [warning]


def _charts(name: str, ladders: Mapping[str, Ladder], laws: Mapping[str, Scalability | None]) -> list[Chart | None]:
    """Draw rate and latency over clients."""
    best = sorted(
        ladders, key=lambda stack: -max(cell.rate.middle if cell.rate else 0 for cell in ladders[stack].values())
    )
    shown = best[:MOST_LINES]
    some = f" The chart shows the {MOST_LINES} fastest of {len(ladders)} stacks." if len(ladders) > MOST_LINES else ""
    curve = [
        (stack, float(clients), law.rate(float(clients)))
        for stack in shown
        if (law := laws[stack]) is not None
        for clients in np.linspace(*law.measured, 40)
    ]
    made = []
    for statistic, title, y in (
        ("rate_per_s", "Rate over clients", "calls/s, logarithmic"),
        ("mean_us", "Time of a call over clients", "mean, microseconds, logarithmic"),
    ):
        points = [
            Point.of(stack, clients, interval)
            for stack in shown
            for clients, cell in ladders[stack].items()
            if (interval := table_cell(cell, statistic).interval) is not None
        ]
        fit = curve if statistic == "rate_per_s" else []
        about = f"Each mark is a step with its 95 % interval over the forks.{some}"
        about += " Broken lines: the scalability law fitted to the marks." if fit else ""
        spec = steps(points, fit, Axes("clients", y))
        made.append(chart(f"steps-{statistic}-{name}", f"{title}: {name}", about, spec, TRIALS_SQL))
    return made


def _rate_chart(name: str, ladders: Mapping[str, Sequence[Result]]) -> Chart | None:
    """Draw latency from the intended start over the rate asked for."""
    points = [
        Point.of(stack, cell.open_loop.target_per_s, interval)
        for stack, ladder in list(ladders.items())[:MOST_LINES]
        for cell in ladder
        if cell.open_loop and (interval := table_cell(cell, "p99_us").interval) is not None
    ]
    about = "99th percentile from the intended start, with its 95 % interval. Rates that were not reached are left out."
    spec = steps(points, [], Axes("requested calls/s, logarithmic", "p99, microseconds, logarithmic", True))
    return chart(f"steps-open-{name}", f"Latency over rate: {name}", about, spec, TRIALS_SQL)
