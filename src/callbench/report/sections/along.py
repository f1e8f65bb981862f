"""Charts that a study asks for: one statistic along a parameter, a line a series, as a table beneath too."""

from callbench.analysis.cells.read_results import TRIALS_SQL
from callbench.analysis.run.subject import Subject
from callbench.catalog.study.report_parts import ChartPart
from callbench.model.metrics.registry import METRICS
from callbench.report.charts.chart import chart
from callbench.report.charts.steps import Axes, Point, steps
from callbench.report.text.along import Figures, figures
from callbench.report.text.section import Chart, Section, Sheet
from callbench.stats.estimate.digits import figure, given
from callbench.stats.estimate.interval import Interval

ABOUT = (
    "One statistic for several values of a parameter. Each mark is a cell with its 95 % interval over the forks."
    " Charts and tables show the same values. Ratios are computed fork by fork."
)


def section(subject: Subject) -> Section | None:
    """Show every chart of the study that has values."""
    charts: list[Chart] = []
    sheets: list[Sheet] = []
    for part in subject.study.charts:
        lines = figures(part, subject.results)
        if not any(lines.values()):
            continue
        sheets.append(_sheet(part, lines))
        drawn = _chart(part, lines)
        if drawn is not None:
            charts.append(drawn)
    if not sheets:
        return None
    return Section("along", "Results by parameter", ABOUT, sheets=sheets, charts=charts, source=TRIALS_SQL.strip())


def _unit(part: ChartPart) -> str:
    """Name what the values are."""
    metric = METRICS[part.statistic]
    return f"{metric.title}, ratio" if part.over is not None else f"{metric.title}, {metric.unit}"


def _sheet(part: ChartPart, values: Figures) -> Sheet:
    """Write the values of a chart: a row a place, a column a series."""
    lines = [label for label, line in values.items() if line]
    rows = []
    for point in sorted({named.at for named in part.points}):
        texts = [_text(values[label].get(point)) for label in lines]
        rows.append((given(point), *texts))
    absent = [label for label, line in values.items() if not line]
    note = f"Not part of this run: {', '.join(absent)}." if absent else ""
    return Sheet(f"{part.title} ({_unit(part)})", (part.x, *lines), rows, note)


def _text(interval: Interval | None) -> str:
    """Write a value, or nothing."""
    return "" if interval is None else figure(interval.middle, interval.half_width)


def _chart(part: ChartPart, values: Figures) -> Chart | None:
    """Draw a chart."""
    points = [Point.of(label, at, interval) for label, line in values.items() for at, interval in sorted(line.items())]
    about = part.about or "Higher marks are larger values."
    return chart(f"along-{part.id}", part.title, about, steps(points, [], Axes(part.x, _unit(part))), TRIALS_SQL)
