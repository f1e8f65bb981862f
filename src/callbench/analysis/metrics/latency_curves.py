"""The latencies of chosen cells, percentile by percentile, each with its interval over the forks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells import histograms
from callbench.analysis.cells.cell_results import percentiles_by_fork
from callbench.analysis.cells.histograms import together
from callbench.analysis.cells.read_results import forks_of
from callbench.analysis.cells.results import Result, over_forks
from callbench.analysis.cells.table_rows import ForkRow
from callbench.analysis.metrics.metric_values import percentile_of, value_of
from callbench.model.metrics.registry import PERCENTILES
from callbench.stats.estimate.histogram import TOP, Buckets
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.prior import Prior, prior_of_rates
from callbench.store.record import Record

# From the fastest call of a hundred to the slowest of ten thousand: so close that a bend between two is seen.
SHARES = (
    *(0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9),
    *(0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999),
)
_METRICS = {share: name for name, share in PERCENTILES.items()}


@dataclass(frozen=True)
class LatencyCurve:
    """The latencies of a cell.

    Attributes:
        points: by the share of the calls that take no longer, rising; in microseconds. Those are left out that the
            calls of two forks, or of the only one, are too few for, and those of which the forks say nothing.
        calls: of each fork, the fewest first.
    """

    cell: Result
    points: Mapping[float, Interval]
    calls: Sequence[int]


@dataclass(frozen=True)
class _Timed:
    """What a cell's curve is made from: its forks, their histograms, and their percentiles by share and fork."""

    rows: Sequence[ForkRow]
    own: Mapping[int, Buckets]
    known: Mapping[float, Mapping[int, float]]


def latency_curves(run: Record, cells: Sequence[Result], chosen: Collection[str]) -> dict[str, LatencyCurve]:
    """Read the latencies of chosen cells, by id. Cells that have no percentiles are left out.

    A percentile that is a metric has the value and the interval that every table has. Any other is computed as those
    are: its value from all calls, its interval from the forks, with what all cells of the run say of how it varies.

    Args:
        run: of the cells.
        cells: all that it has.
        chosen: the ids of those that are meant.

    Raises:
        BadInput: the run is damaged.
    """
    with run.connection() as connection:
        histograms_ = histograms.read(connection)
        forks = forks_of(connection)
    every: dict[str, _Timed] = {}
    for cell in cells:
        own = histograms_.get(("latency", cell.id), {})
        rows = [row for row in forks.get(cell.id, ()) if row["fork"] in own]
        if "p50_us" in cell.by_fork and rows:
            every[cell.id] = _Timed(rows, own, percentiles_by_fork(rows, own, SHARES))
    spreads = {share: prior_of_rates(timed.known.get(share, {}) for timed in every.values()) for share in SHARES}
    return {
        cell.id: LatencyCurve(
            cell,
            _points(cell, every[cell.id], spreads),
            sorted(int(buckets.counts.sum()) for buckets in every[cell.id].own.values()),
        )
        for cell in cells
        if cell.id in chosen and cell.id in every
    }


def _points(cell: Result, timed: _Timed, spreads: Mapping[float, Prior]) -> dict[float, Interval]:
    least = min((row["min_ns"] or 0 for row in timed.rows), default=0)
    most = max((row["max_ns"] or TOP for row in timed.rows), default=TOP)
    values = together(timed.own.values()).percentiles(SHARES, least, most)
    points: dict[float, Interval] = {}
    for share, value_ns in zip(SHARES, values, strict=True):
        metric = _METRICS.get(share)
        known = value_of(cell, metric) if metric else _interval(timed, share, value_ns / 1e3, spreads[share])
        if known is not None and known.middle > 0:
            points[share] = known
    return points


def _interval(timed: _Timed, share: float, middle: float, spread: Prior) -> Interval | None:
    """Return a percentile that is no metric, as `value_of` does one that is. Two forks know it, or the only one."""
    values = list(timed.known.get(share, {}).values())
    if len(values) < min(2, len(timed.own)) or min(values, default=0.0) <= 0:
        return None
    return percentile_of(over_forks(values, spread), middle)
