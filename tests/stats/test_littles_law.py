"""Little's law: a loop whose figures add up passes, one that flatters is found out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.load.littles_law import LoopTimes, broken, in_flight

HONEST = LoopTimes(clients=4, elapsed_ns=10**9, in_call_ns=3 * 10**9, think_ns=8 * 10**8, gap_ns=2 * 10**8, calls=1000)


def test_an_honest_loop_keeps_it() -> None:
    assert in_flight(HONEST) == 4
    assert not broken(HONEST)
    assert not broken(replace(HONEST, mean_ns=3_000_000.0))


def test_a_loop_that_reports_a_hundredth_of_its_times_breaks_it() -> None:
    told = broken(replace(HONEST, in_call_ns=HONEST.in_call_ns // 100))
    assert "explain 1.03 calls in flight, and there were 4 clients (-74.2 %, allowed 2.0 %)" in told


def test_a_histogram_that_contradicts_the_loop_breaks_it() -> None:
    assert broken(replace(HONEST, mean_ns=2_000_000.0))


@pytest.mark.parametrize(("off", "half_width", "holds"), [(1.015, None, True), (1.03, None, False), (1.03, 0.05, True)])
def test_two_percent_or_the_interval(off: float, half_width: float | None, holds: bool) -> None:
    spent = int(4 * 10**9 * off) - HONEST.think_ns - (HONEST.gap_ns or 0)
    assert bool(broken(replace(HONEST, in_call_ns=spent), half_width)) is not holds


def test_a_loop_that_cannot_tell_its_gap_is_held_to_the_excess_alone() -> None:
    assert not broken(replace(HONEST, gap_ns=None, in_call_ns=10**8))
    assert broken(replace(HONEST, gap_ns=None, in_call_ns=5 * 10**9))
    assert not broken(replace(HONEST, calls=0))


@given(st.integers(1, 500), st.integers(1, 10**12), st.floats(0, 1), st.floats(0, 1))
def test_whatever_adds_up_passes(clients: int, elapsed: int, call: float, think: float) -> None:
    whole = clients * elapsed
    in_call = int(whole * call)
    thought = int((whole - in_call) * think)
    assert not broken(LoopTimes(clients, elapsed, in_call, thought, whole - in_call - thought, 1))
