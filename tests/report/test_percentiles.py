"""Percentiles of simulated cells whose true ones are known: what is shown of them, and what is not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from callbench.analysis.cells.cell_results import result_of
from callbench.analysis.cells.messages import MessageTimes
from callbench.analysis.cells.results import Result
from callbench.analysis.metrics.metric_values import value_of, why_unknown
from callbench.analysis.run.tables import table_cell
from callbench.report.charts.latency import lines
from callbench.report.export.show import metrics
from callbench.stats.estimate.prior import prior_of_rates
from report.test_percentile_calls import KNOWN, Times, histogram
from table_rows import CELL, FORK

if TYPE_CHECKING:
    from callbench.analysis.cells.table_rows import ForkRow

FORKS, CELLS, CALLS = 3, 40, 1200
# From fork to fork: the standard deviation of the logarithm of all its times.
OF_FORKS = 0.05


def measured(name: str, forks: Sequence[Times]) -> Result:
    """A cell whose forks took these times, in milliseconds."""
    rows: list[ForkRow] = []
    for fork, times in enumerate(forks):
        ns, count = int(times.sum() * 1e6), len(times)
        row: ForkRow = {**FORK, "fork": fork, "calls": count, "count": count, "sum_ns": ns, "elapsed_ns": ns}
        least, most = int(times.min() * 1e6), int(times.max() * 1e6)
        rows.append({**row, "window_ns": ns, "window_calls": float(count), "min_ns": least, "max_ns": most})
    timed = {("latency", name): {fork: histogram(times) for fork, times in enumerate(forks)}}
    return result_of(
        {**CELL, "cell": name, "clients": 2, "link": "loopback"}, rows, {}, timed, MessageTimes([]), [], driven=True
    )


def simulated(kind: str, seed: int, calls: int) -> list[Result]:
    """Cells with the same true percentiles, each fork of each with a speed of its own."""
    random, (draw, _) = np.random.default_rng(seed), KNOWN[kind]
    return [
        measured(f"c{place}", [draw(random, calls) * np.exp(random.normal(0, OF_FORKS)) for _ in range(FORKS)])
        for place in range(CELLS)
    ]


@pytest.mark.parametrize("kind", KNOWN)
def test_the_true_p99_is_within_its_interval_as_often_as_that_says(kind: str) -> None:
    true, within = KNOWN[kind][1](0.99) * 1e3, []
    for seed in range(6):
        cells = simulated(kind, seed, CALLS)
        spread = prior_of_rates(one.by_fork["p99_us"] for one in cells)
        for one in cells:
            interval = value_of(replace(one, tail_spreads={"p99_us": spread}), "p99_us")
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            within.append(interval.low <= true <= interval.high)
    assert 0.92 < np.mean(within) <= 0.985


@pytest.mark.parametrize("kind", KNOWN)
def test_of_too_few_calls_nothing_is_shown_but_how_many_it_needs(kind: str) -> None:
    cell = simulated(kind, 1, 200)[0]
    for name, needed in (("p99_us", "368"), ("p999_us", "3,688")):
        assert value_of(cell, name) is None
        assert name not in cell.by_fork, "a claim would compare the greatest of a few calls"
        assert name.removesuffix("_us") not in (cell.latency.percentiles or {})
        shown = table_cell(cell, name)
        assert (shown.text, shown.spread, shown.why) == ("", "", "few calls")
        assert f"needs about {needed} calls in each fork, they have 200" in shown.about
        assert metrics(cell)[name] == {"value": None, "low": None, "high": None, "why": cell.too_few[name]}
    # What 200 calls know is there, and a line to what they do not has no length.
    assert value_of(cell, "p90_us") is not None
    assert cell.latency.percentiles is not None
    drawn = lines(cell.latency.percentiles)
    assert drawn["p50"] == drawn["p99"] == drawn["p999"]


def test_one_fork_of_several_that_has_enough_calls_is_not_the_value_of_all() -> None:
    random = np.random.default_rng(1)
    cell = measured("c", [random.exponential(1.0, count) for count in (5000, 100, 90)])
    assert cell.too_few["p99_us"] == "p99 needs about 368 calls in each fork, they have 90 to 5,000"
    assert value_of(cell, "p99_us") is None


def test_an_interval_that_says_nothing_is_not_shown_nor_its_value() -> None:
    random = np.random.default_rng(1)
    cell = measured("c", [random.exponential(1.0, 4000), random.exponential(40.0, 4000)])
    shown = table_cell(cell, "p99_us")
    assert value_of(cell, "p99_us") is None
    assert (shown.text, shown.spread, shown.why) == ("", "", "varies")
    assert why_unknown(cell, "p99_us").startswith("its forks differ too much to say: ")
    assert metrics(cell)["p99_us"]["value"] is None
