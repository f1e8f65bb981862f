"""Processor time per call: sums over the driven time, and "under" if the clock cannot measure it."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.analysis.cells.costs import cost
from callbench.stats.estimate.processor_time import ForkUse, ProcessorTime, step_of, together
from table_rows import TRIAL

if TYPE_CHECKING:
    from callbench.analysis.cells.table_rows import TrialRow

TICK = 10_000_000


def spent(*pieces: tuple[int, int], error: int = 1000) -> ProcessorTime:
    return ProcessorTime({block: ForkUse(ns, error, calls) for block, (ns, calls) in enumerate(pieces)})


def test_a_fork_below_the_tick_counts_with_its_calls() -> None:
    """A former defect: 3.0, 0 and 5.8 microseconds were shown as 0, and elsewhere as the mean of the two others."""
    found = spent((30_000_000, 10_000), (0, 10_000), (58_000_000, 10_000))
    assert found.us == pytest.approx(8.8 / 3)
    interval = found.interval()
    assert interval is not None
    assert interval.middle == pytest.approx(8.8 / 3)
    assert (interval.low, interval.forks) == (0, 3)
    assert not found.by_fork


def test_what_the_clock_cannot_tell_is_under_what_it_could() -> None:
    none = spent((0, 1000), (0, 1000), (0, 2000), error=TICK)
    assert none.under == pytest.approx(7.5)
    assert none.interval() is None
    one_tick = spent((TICK, 1000), (0, 1000), (0, 2000), error=TICK)
    assert one_tick.under == pytest.approx(10.0)
    assert spent((2 * TICK, 1000), (2 * TICK, 1000), error=TICK).under is None


def test_forks_that_all_have_a_figure_keep_the_interval_of_their_logarithms() -> None:
    found = spent((10_000_000, 1000), (20_000_000, 2000), (12_000_000, 1000))
    interval = found.interval()
    assert interval is not None
    assert interval.middle == pytest.approx(10.5)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < 10.5 < interval.high
    assert found.by_fork == pytest.approx({0: 10.0, 1: 10.0, 2: 12.0})


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**5)), min_size=2, max_size=9))
def test_the_figure_lies_within_its_interval_and_is_never_nothing(pieces: list[tuple[int, int]]) -> None:
    found = spent(*pieces)
    interval = found.interval()
    if interval is None:
        assert found.under is not None
        assert found.under > 0
        return
    assert found.us > 0
    assert interval.low is not None
    assert interval.high is not None
    assert 0 <= interval.low <= found.us * (1 + 1e-9)
    assert interval.high >= found.us * (1 - 1e-9)


def test_the_step_of_a_clock_is_reported_by_its_values() -> None:
    assert step_of([30_000_000, 0, 50_000_000]) == TICK
    assert step_of([8_000_000, 12_000_000]) == 4_000_000
    assert step_of([142_220_000, 10_000_000]) == 1000
    assert step_of([123_456_789, 10_000_000]) == 1
    assert step_of([0, 0]) == TICK


def test_sides_together_have_the_errors_of_both() -> None:
    both = together([spent((5000, 10)), spent((7000, 10), (1, 1))])
    assert both is not None
    assert both.pieces == {0: ForkUse(12_000, 2000, 10)}
    assert together([]) is None


def test_a_cell_adds_its_trials_up() -> None:
    row: TrialRow = {**TRIAL, "calls": 900, "error_count": 100, "user_ns": 3_000_000, "system_ns": 1_234_000}
    rows: list[TrialRow] = [
        {**row, "fork": 0, "server_user_ns": 0, "server_system_ns": 0},
        {**row, "fork": 0, "server_user_ns": TICK, "server_system_ns": 0},
        {**row, "fork": 1, "server_user_ns": 3 * TICK, "server_system_ns": TICK},
    ]
    found = cost(rows, in_process=False).by_statistic
    assert found["client_cpu_us"].us == pytest.approx(4.234)
    assert found["server_cpu_us"].us == pytest.approx(50 / 3)
    assert found["server_cpu_us"].pieces[0] == ForkUse(TICK, 2 * TICK, 2000)
    assert found["server_cpu_us"].under is None
    assert found["server_system_us"].under == pytest.approx(40 / 3)
    assert found["cpu_us"].us == pytest.approx(4.234 + 50 / 3)
    assert {"backend_cpu_us", "wineserver_us"}.isdisjoint(found)
    inside = cost([{**one, "server_user_ns": None, "server_system_ns": None} for one in rows], in_process=True)
    assert "server_cpu_us" not in inside.by_statistic
    assert inside.by_statistic["cpu_us"].us == pytest.approx(4.234)
