"""Ladders that a study asks for: calls a millisecond, milliseconds a call or the gain, by clients."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.cells.results import Results
from callbench.analysis.judge.lower_bounds import is_below
from callbench.analysis.run.subject import Subject
from callbench.catalog.study.published import Published
from callbench.catalog.study.report_parts import ChartPoint, LadderPart, Line
from callbench.report.charts.chart import chart
from callbench.report.charts.steps import Axes, Point, steps
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.decide.ranking import faster
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.digits import figure, given
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.load.slope import slope
from callbench.stats.wire.mixture import hidden, mean_by_fork

ABOUT = (
    "Values by number of clients, each beside its published value. Calls per millisecond: all calls over the time from"
    " the first start to the last end. Milliseconds per call: the mean time of a call. Slope: the time that each"
    " client adds, from the fewest to the most clients. Level broken lines are published means over clients, from"
    " other machines. Compare their orders and shapes, not their heights. If a value is a mean over sizes, a table"
    " below shows what the mean hides."
)
_PER = {"calls_per_ms": ("rate_per_s", 1e-3), "ms_per_call": ("mean_us", 1e-3), "gain": ("rate_per_s", 1.0)}
_AXES = {
    "calls_per_ms": "calls per millisecond, logarithmic",
    "ms_per_call": "milliseconds per call, logarithmic",
    "gain": "multiple of the rate with the fewest clients, logarithmic",
}
# By row and number of clients, a value a fork.
Steps = Mapping[str, Mapping[int, Mapping[int, float]]]


@dataclass(frozen=True)
class LadderView:
    """What one ladder shows."""

    found: Sequence[str]
    sheets: Sequence[Sheet]
    chart: Chart | None

    @property
    def whole(self) -> Chart | None:
        """The chart with its sheets below it."""
        return replace(self.chart, sheets=tuple(self.sheets)) if self.chart else None


def section(subject: Subject) -> Section | None:
    """Show every ladder of the study that has values."""
    shown = [
        _view(part, found, subject)
        for part in subject.study.ladders
        if any((found := figures(part, subject.results)).values())
    ]
    if not shown:
        return None
    return Section(
        "ladders",
        "Results by number of clients",
        ABOUT,
        found=[text for view in shown for text in view.found],
        sheets=[sheet for view in shown if view.chart is None for sheet in view.sheets],
        charts=[whole for view in shown if (whole := view.whole) is not None],
        source=TRIALS_SQL.strip(),
    )


def figures(part: LadderPart, results: Results) -> Steps:
    """Look up what a ladder shows: the mean over its points, by row, clients and fork.

    A number of clients at which one of the points has no cell, or several, has no value.
    """
    statistic, unit = _PER[part.statistic]
    points = there(part, results)
    found: dict[str, dict[int, dict[int, float]]] = {}
    for row in part.rows:
        by_point = [_by_clients(results, row, point.group, statistic) for point in points]
        common = sorted(set[int].intersection(*(set(by_clients) for by_clients in by_point))) if by_point else []
        line = {clients: mean_by_fork([by_clients[clients] for by_clients in by_point]) for clients in common}
        line = {clients: {fork: unit * value for fork, value in forks.items()} for clients, forks in line.items()}
        found[row.label] = {clients: forks for clients, forks in line.items() if forks}
        if part.statistic == "gain" and found[row.label]:
            found[row.label] = _gains(found[row.label])
    return found


def there(part: LadderPart, results: Results) -> list[ChartPoint]:
    """Return the points whose group the run has, the smallest first: a quick run may leave some out."""
    groups = {cell.attributes["group"] for cell in results.cells}
    return sorted((point for point in part.points if point.group in groups), key=lambda point: point.at)


def _by_clients(results: Results, row: Line, group: str, statistic: str) -> dict[int, Mapping[int, float]]:
    """Find a row's cells in a group, by clients; numbers that two cells have are left out."""
    cells = results.where({"group": group, **row.where.conditions()})
    numbers = [int(cell.attributes["clients"]) for cell in cells]
    return {
        number: cell.by_fork.get(statistic, {})
        for number, cell in zip(numbers, cells, strict=True)
        if numbers.count(number) == 1 and cell.by_fork.get(statistic)
    }


def _bounds(part: LadderPart, results: Results) -> Mapping[str, set[int]]:
    """Return by row the numbers of clients at which a rate is only a lower bound."""
    return {
        row.label: {
            int(cell.attributes["clients"])
            for point in part.points
            for cell in results.where({"group": point.group, **row.where.conditions()})
            if cell.at_least
        }
        for row in part.rows
    }


def _gains(line: Mapping[int, Mapping[int, float]]) -> dict[int, dict[int, float]]:
    """Divide by the fewest clients, fork by fork."""
    least = line[min(line)]
    return {
        clients: {fork: value / least[fork] for fork, value in forks.items() if fork in least}
        for clients, forks in line.items()
    }


def _view(part: LadderPart, by_row: Steps, subject: Subject) -> LadderView:
    """Write one ladder."""
    published = subject.study.published
    sheets = [_sheet(part, by_row, published, _bounds(part, subject.results))]
    if part.slopes:
        sheets.append(_slopes(part, by_row, published))
    texts: list[str] = []
    if len(part.points) > 1 and part.statistic == "calls_per_ms":
        sheet, texts = _behind_the_mean(part, subject.results)
        sheets += [sheet] if sheet.rows else []
    return LadderView(texts, sheets, _chart(part, by_row, published))


def _published_row(published: Published | None, path: str | None, row: Line) -> float | None:
    """Find what was published of a row."""
    return published.beside(path, row.published) if published and path and row.published else None


def _sheet(part: LadderPart, by_row: Steps, published: Published | None, bounds: Mapping[str, set[int]]) -> Sheet:
    """Write a row a middleware and a column a number of clients."""
    numbers = sorted({clients for line in by_row.values() for clients in line})
    rows, absent = [], []
    for row in part.rows:
        line = {clients: geometric_mean(list(forks.values())) for clients, forks in by_row[row.label].items()}
        value = _published_row(published, part.published, row)
        last = ([] if part.statistic == "gain" else [_peak(part, line, bounds[row.label])]) + (
            [] if part.published is None else ["" if value is None else f"{value:g}"]
        )
        if line:
            rows.append((row.label, *(_text(line.get(clients)) for clients in numbers), *last))
        else:
            absent.append(row.label)
    columns = ["clients", *map(str, numbers)]
    columns += [] if part.statistic == "gain" else ["best with"]
    columns += [] if part.published is None else ["published mean"]
    note = f"Not part of this run: {', '.join(absent)}." if absent else ""
    return Sheet(f"{part.title}: values", columns, rows, note)


def _text(interval: Interval | None) -> str:
    """Write a value, or nothing."""
    return "" if interval is None else figure(interval.middle, interval.half_width)


def _peak(part: LadderPart, line: Mapping[int, Interval], bounds: Collection[int]) -> str:
    """Name the number of clients with the best value; none where a value that is only a bound reaches it."""
    known = {clients: value for clients, value in line.items() if clients not in bounds}
    if not known:
        return ""
    highest = part.statistic == "calls_per_ms"
    best = (max if highest else min)(known, key=lambda clients: known[clients].middle)
    beside = [line[clients] for clients in bounds if clients in line]
    clear = all(is_below(value, line[best]) if highest else is_below(line[best], value) for value in beside)
    return str(best) if clear else "not known"


def _slopes(part: LadderPart, by_row: Steps, published: Published | None) -> Sheet:
    """Write what each client adds, the least first, and the rank by it here and there."""
    assert part.slopes is not None  # noqa: S101 - the caller has looked
    known = [(row, rising) for row in part.rows if (rising := slope(by_row[row.label])) is not None]
    known.sort(key=lambda entry: entry[1].middle)
    theirs = {
        row.label: value
        for row, _ in known
        if (value := _published_row(published, part.slopes.published, row)) is not None
    }
    rows = []
    for rank, (row, rise) in enumerate(known, 1):
        value = theirs.get(row.label)
        rank_there = "" if value is None else str(1 + sum(other < value for other in set(theirs.values())))
        rows.append((row.label, _slope(rise), str(rank), "" if value is None else f"{value:g}", rank_there))
    note = (
        "Ranks follow the middle values. Two rows with overlapping intervals may be in either order. Published ranks"
        " are among these rows."
    )
    return Sheet(part.slopes.title, ("", "ms per client", "rank", "published", "published rank"), rows, note)


def _slope(rise: Difference) -> str:
    """Write a slope with its interval."""
    if rise.low is None or rise.high is None:
        return f"{rise.middle:.3g}"
    return f"{rise.middle:.3g} ({rise.low:.3g} to {rise.high:.3g})"


def _behind_the_mean(part: LadderPart, results: Results) -> tuple[Sheet, list[str]]:
    """Write what the mean over sizes hides, at the fewest clients."""
    points = there(part, results)
    lines = {row.label: [_by_clients(results, row, point.group, "rate_per_s") for point in points] for row in part.rows}
    lines = {label: line for label, line in lines.items() if line and all(line)}
    fewest = min((min(by_clients) for line in lines.values() for by_clients in line), default=0)
    by_row = {
        label: [by_clients[fewest] for by_clients in line]
        for label, line in lines.items()
        if all(fewest in by_clients for by_clients in line)
    }
    rows = []
    for label, forks in by_row.items():
        rates = _rates(forks)
        behind = hidden(rates)
        rows.append((label, *map(figure, rates), figure(behind.mean), figure(behind.mixed), f"{behind.stretch:.2f}"))
    columns = ("", *(given(point.at) for point in points), "mean", "equal mix", "first over last")
    clients = "one client" if fewest == 1 else f"{fewest} clients"
    note = (
        "Equal mix: the rate of a program that sends each size equally often. It is the harmonic mean, because times"
        " can be added and rates cannot."
    )
    title = f"Rates behind the mean: {part.title}, {clients}, calls per millisecond by {part.over}"
    return Sheet(title, columns, rows, note), _hidden_by_mean(part, points, by_row) if len(by_row) > 1 else []


def _rates(forks: Sequence[Mapping[int, float]]) -> list[float]:
    """Return calls a millisecond of each size."""
    return [geometric_mean(list(by_fork.values())).middle / 1e3 for by_fork in forks]


def _hidden_by_mean(
    part: LadderPart, points: Sequence[ChartPoint], by_row: Mapping[str, Sequence[Mapping[int, float]]]
) -> list[str]:
    """Describe what the mean hides: how far the sizes lie apart, and who changes places between the ends."""
    stretch = {label: hidden(_rates(forks)).stretch for label, forks in by_row.items()}
    least, most = min(stretch, key=lambda name: stretch[name]), max(stretch, key=lambda name: stretch[name])
    small, large = given(points[0].at), given(points[-1].at)
    names = list(by_row)
    first, last = (faster([by_row[name][place] for name in names]) for place in (0, -1))
    swaps = [
        f"{ahead} is ahead of {other} at {small} and behind it at {large}"
        for row, ahead in enumerate(names)
        for column, other in enumerate(names)
        if first[row, column] and last[column, row]
    ]
    sentence = (
        f"{part.title}: the mean over {len(points)} sizes hides a difference."
        f" At {small} {part.over}, {most} makes {stretch[most]:.3g} times as many calls as at {large}, {least}"
        f" {stretch[least]:.3g} times. "
        + ("; ".join(swaps) if swaps else "No two rows are shown to swap their order between the two")
    )
    return [sentence + "."]


def _chart(part: LadderPart, by_row: Steps, published: Published | None) -> Chart | None:
    """Draw a ladder, and published means as level lines over the same clients."""
    points = [
        Point.of(label, float(clients), geometric_mean(list(forks.values())))
        for label, line in by_row.items()
        for clients, forks in line.items()
    ]
    numbers = sorted({point.x for point in points})
    level = [
        (row.label, at, value)
        for row in part.rows
        if by_row[row.label] and (value := _published_row(published, part.published, row)) is not None
        for at in (numbers[0], numbers[-1])
    ]
    about = part.about or "Each mark is a number of clients, with the 95 % interval over the forks."
    about += " Broken lines: the published mean over clients, from other machines." if level else ""
    axes = Axes("clients", _AXES[part.statistic], whole_curve=True, y_format="~g")
    return chart(f"ladder-{part.id}", part.title, about, steps(points, level, axes), TRIALS_SQL)
