"""Bytes, processor time and p99 of the stacks of a ranking: a scatter, and in words who is beaten in none of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from callbench.analysis.cells.results import Result
from callbench.analysis.cells.table_rows import TRIALS_SQL
from callbench.analysis.metrics.metric_values import value_of
from callbench.analysis.run.tables import table_cell
from callbench.model.metrics.registry import METRICS
from callbench.report.charts.chart import chart
from callbench.report.charts.trade_offs import CostMark, trade_offs
from callbench.report.text.section import INTERVAL, Chart, Sheet
from callbench.stats.decide.frontier import CostInterval, Standing, standings
from callbench.stats.estimate.interval import Interval

ABOUT = (
    "Each mark is a stack. Further left is fewer bytes, further down less processor time on both sides, and a smaller"
    " mark a lower p99. A line is the 95 % interval of the processor time. Worse: another stack is better in all"
    " three, beyond all intervals. What reaches the frontier may be as good as what is on it."
)
_BYTES = ("wire_bytes", "bytes")
_TIMES = ("cpu_us", "p99_us")
_FEWEST = 3
_MOST_ROWS = 16
_COLUMNS = ("stack", "bytes", "processor time, µs", INTERVAL, "p99, µs", INTERVAL, "standing")


@dataclass(frozen=True)
class _Compared:
    """A stack that has all three: bytes, processor time and p99 as they were measured, and as they are compared."""

    cell: Result
    measured: Sequence[Interval]
    costs: Sequence[CostInterval]


def frontier(id_: str, title: str, cells: Sequence[Result], left_out: str) -> Chart | None:
    """Draw the costs of the cells of one ranking; None if fewer than three have all of them.

    The bytes are those on the wire, or those of messages if more stacks have them.

    Args:
        id_: the anchor of the chart.
        title: what it is called.
        cells: of the ranking.
        left_out: a sentence about the cells of the group that are not among them, or "".
    """
    name = max(_BYTES, key=lambda metric: sum(compared(cell, metric) is not None for cell in cells))
    stacks = [stack for cell in cells if (stack := compared(cell, name)) is not None]
    if len(stacks) < _FEWEST:
        return None
    found = standings([stack.costs for stack in stacks])
    marks = [_mark(stack, standing) for stack, standing in zip(stacks, found, strict=True)]
    without = len(cells) - len(stacks)
    about = ABOUT + (f" Not drawn: {without} that lack one of the three, or have no rank." if without else "")
    made = chart(id_, title, about + left_out, trade_offs(marks, METRICS[name].title), TRIALS_SQL)
    return made and replace(made, sheets=[_sheet(title, name, stacks, found)])


def compared(cell: Result, name: str) -> _Compared | None:
    """Return what a cell costs; None if it lacks a value, or if its values must not be ranked.

    A bound is no value: a cell whose rate is "at least" may take less time, so it is never worse than another. One
    whose rate is "at most" may take more, so no other is worse than it. Likewise of a time without an interval.

    Args:
        cell: of the ranking.
        name: the metric of its bytes.
    """
    if not (cell.ranked or cell.at_least or cell.at_most):
        return None
    measured = [value for metric in (name, *_TIMES) if (value := value_of(cell, metric)) is not None]
    if len(measured) < 1 + len(_TIMES):
        return None
    size, *times = measured
    exact = CostInterval(size.middle, *(size.middle if end is None else end for end in (size.low, size.high)))
    costs = [
        CostInterval(
            time.middle,
            0.0 if time.low is None or cell.at_least else time.low,
            math.inf if time.high is None or cell.at_most else time.high,
        )
        for time in times
    ]
    return _Compared(cell, measured, [exact, *costs])


def _mark(stack: _Compared, standing: Standing) -> CostMark:
    size, cpu, p99 = stack.measured
    # A logarithmic axis has no place for an end at 0.
    low, high = (cpu.middle if end is None else max(end, cpu.middle / 10) for end in (cpu.low, cpu.high))
    return CostMark(
        stack.cell.attributes["stack"],
        size=size.middle,
        cpu_us=cpu.middle,
        cpu_low=low,
        cpu_high=high,
        p99_us=p99.middle,
        standing=standing,
    )


def _sheet(title: str, name: str, stacks: Sequence[_Compared], found: Sequence[Standing]) -> Sheet:
    """List those that are not worse, the fewest bytes first."""
    best = sorted(
        ((standing, stack) for standing, stack in zip(found, stacks, strict=True) if standing is not Standing.WORSE),
        key=lambda pair: (pair[0] is not Standing.FRONTIER, pair[1].costs[0].middle),
    )
    worse, more = len(stacks) - len(best), len(best) - _MOST_ROWS
    notes = [f"{more} more reach the frontier or stand on it."] if more > 0 else []
    notes += [f"Worse than another in all three: {worse}."] if worse else []
    rows = [_row(stack.cell, name, standing) for standing, stack in best[:_MOST_ROWS]]
    return Sheet(f"{title}: not worse", _COLUMNS, rows, " ".join(notes))


def _row(cell: Result, name: str, standing: Standing) -> Sequence[str]:
    size, cpu, p99 = (table_cell(cell, metric) for metric in (name, *_TIMES))
    return (cell.attributes["stack"], size.text, cpu.text, cpu.spread, p99.text, p99.spread, standing.value)
