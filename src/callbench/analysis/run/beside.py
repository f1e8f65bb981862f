"""The values of a run's cells beside something of the same run: the echo of their own rounds, or a chosen stack."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from callbench.analysis.cells.results import Result, Results, over_forks
from callbench.analysis.metrics.metric_values import by_fork, percentile_of, value_of
from callbench.analysis.run.tables import TableCell, table_cell
from callbench.analysis.wording.naming import named
from callbench.analysis.wording.words import ratio_text
from callbench.model.errors import BadInput
from callbench.model.metrics.latency import ECHOES
from callbench.model.metrics.metric import Better, Combination, ValueFormat
from callbench.model.metrics.registry import METRICS, OF_TIME, SHARED_SPREAD
from callbench.model.suggestions import allowed_names
from callbench.stats.estimate.contrast import fork_ratios
from callbench.stats.estimate.digits import figure, share, tells
from callbench.stats.estimate.interval import Interval

ECHO = "echo"
_EXACT = 1e-9


@dataclass(frozen=True)
class Beside:
    """What values are divided by, fork by fork.

    Attributes:
        name: `echo`, or a stack's id.
        results: the run's.
    """

    name: str
    results: Results

    def __post_init__(self) -> None:
        """Check that there is such a stack.

        Raises:
            BadInput: there is none.
        """
        stacks = list(dict.fromkeys(cell.attributes["stack"] for cell in self.results.cells))
        if self.name not in {ECHO, *stacks}:
            raise BadInput(f'--beside: the run has no stack "{self.name}": {allowed_names(self.name, [ECHO, *stacks])}')

    @property
    def sentence(self) -> str:
        """What the values of tables are."""
        if self.name == ECHO:
            return (
                "The values of the tables are beside the raw echo of their own rounds: times in times of an echo, and"
                " rates in calls in the time of an echo. What has no such ratio has no value."
            )
        return (
            f"The values of the tables are divided by those of {self.name}, of the same call with the same clients and"
            " link, fork by fork. What it has no value for has none."
        )

    def place(self, cell: Result, statistic: str) -> TableCell:
        """Write a value of a cell beside the other; where there is no ratio, why."""
        own = table_cell(cell, statistic)
        metric = METRICS[statistic]
        if metric.form is ValueFormat.WORDS or (own.value is None and not own.text):
            return own
        other = self._others.get(cell.identity[1:])
        if self.name != ECHO and other is None:
            return replace(
                _EMPTY, why="not measured", about=f"{named(cell)}: {self.name} was not measured so.", cell=cell.id
            )
        under = _echoes(cell, statistic) if other is None else by_fork(other, statistic)
        # Of a bound of processor time, which a clock that ticks could not tell, there is no ratio.
        known = own.value is not None and (other is None or table_cell(other, statistic).value is not None)
        ratio = self._ratio(cell, other, statistic, under) if known else None
        if ratio is None or not tells(ratio.half_width or 0.0):
            why = "varies" if ratio else "no echo" if other is None else "no value"
            return replace(_EMPTY, why=why, about=f"{named(cell)}: there is no ratio.", cell=cell.id)
        bound = _bound(cell, other, higher=metric.better is Better.HIGHER) if statistic in OF_TIME else ""
        exact = (ratio.half_width or 0.0) < _EXACT
        return TableCell(
            text=bound + (f"{ratio.middle:.4g}" if exact else figure(ratio.middle, ratio.half_width)),
            spread="" if exact else share(ratio.half_width),
            about=f"{named(cell)}: {ratio_text(ratio)} of {self.name}",
            value=ratio.middle,
            interval=ratio,
            cell=cell.id,
        )

    @cached_property
    def _others(self) -> Mapping[tuple[str, ...], Result]:
        """The chosen stack's cells by what other cells share with them; none for the echo."""
        return {cell.identity[1:]: cell for cell in self.results.where({"stack": self.name})}

    def _ratio(self, cell: Result, other: Result | None, statistic: str, under: Mapping[int, float]) -> Interval | None:
        """Divide fork by fork; None if no fork has both. Rates and times vary as all of the run's do."""
        values = fork_ratios([_positive(by_fork(cell, statistic))], [_positive(under)])
        if not values:
            return None
        known = cell.echo_spread if other is None else self.results.prior
        # A stack beside itself is exactly 1.
        ratio = over_forks(values, known if statistic in SHARED_SPREAD and cell is not other else None)
        own, its = value_of(cell, statistic), value_of(other, statistic) if other else None
        if METRICS[statistic].combined is Combination.FORKS or own is None or its is None:
            return ratio
        # What is no mean of forks: the ratio is that of the values which the other tables show.
        return percentile_of(ratio, own.middle / its.middle)


_EMPTY = TableCell(tried=True)


def _positive(values: Mapping[int, float]) -> dict[int, float]:
    """Leave out forks that a ratio cannot be taken of: one in which the clock of processor time saw nothing has 0."""
    return {fork: value for fork, value in values.items() if value > 0}


def _echoes(cell: Result, statistic: str) -> dict[int, float]:
    """Return what a metric is of the echo of the cell's own rounds, by fork: none of what is no time of a call."""
    multiples = cell.by_fork.get(ECHOES, {})
    if statistic == ECHOES or statistic not in OF_TIME:
        return {}
    times = {fork: us / multiples[fork] for fork, us in cell.by_fork.get("mean_us", {}).items() if multiples.get(fork)}
    return {fork: 1e6 / us for fork, us in times.items()} if statistic == "rate_per_s" else times


def _bound(cell: Result, other: Result | None, *, higher: bool) -> str:
    """Write on which side the true ratio may lie, where one of the two is a bound alone.

    Args:
        cell: above the line.
        other: below it; None: the echo, which is no bound.
        higher: whether more is better: a rate "at least" may be higher, and the times of such a cell may be lower.
    """
    ways = [higher] * cell.at_least + [not higher] * cell.at_most
    if other is not None:
        ways += [not higher] * other.at_least + [higher] * other.at_most
    return "" if not ways else "≥ " if all(ways) else "~ " if any(ways) else "≤ "
