"""A slope finds a leak, and takes neither a collector's saw nor a heap that fills up once for one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.steady.trend import LEAST_SAMPLES, slope

CALLS = np.arange(400) * 1_000.0
MIB = 2.0**20


def saw(period: int, height: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Memory between two collections every `period` samples."""
    return (np.arange(len(CALLS)) % period) / period * height


def test_a_leak_is_found_under_noise() -> None:
    random = np.random.default_rng(7)
    found = slope(list(CALLS), list(20 * MIB + 12.0 * CALLS + random.normal(0, 2_000, len(CALLS))))
    assert found is not None
    assert found.holds(12.0)
    assert found.holds(0.0) is False


def test_a_heap_that_fills_up_once_is_no_leak() -> None:
    filling = 20 * MIB + 30 * MIB * np.minimum(1, np.arange(len(CALLS)) / 150)
    found = slope(list(CALLS), list(filling))
    assert found is not None
    assert (found.middle, found.low, found.high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("period", [3, 10, 17, 24])
def test_the_saw_of_a_collector_is_no_leak_and_hides_none(period: int) -> None:
    flat = slope(list(CALLS), list(50 * MIB + saw(period, 10 * MIB)))
    assert flat is not None
    assert flat.holds(0.0)
    leaking = slope(list(CALLS), list(50 * MIB + saw(period, 10 * MIB) + 40.0 * CALLS))
    assert leaking is not None
    assert leaking.holds(0.0) is False
    assert leaking.middle == pytest.approx(40.0, rel=0.5)


def test_a_saw_with_long_teeth_claims_nothing() -> None:
    found = slope(list(CALLS), list(50 * MIB + saw(90, 10 * MIB)))
    assert found is not None
    assert found.holds(0.0)


@given(st.integers(0, 2 * LEAST_SAMPLES - 2))
def test_a_short_trial_has_no_slope(samples: int) -> None:
    assert slope([float(at) for at in range(samples)], [float(at) for at in range(samples)]) is None


def test_no_calls_have_no_slope() -> None:
    assert slope([5.0] * 200, [float(value) for value in range(200)]) is None


@given(st.floats(-1e3, 1e3).filter(lambda value: abs(value) > 1e-3), st.floats(0, 1e9))
def test_a_straight_line_is_found_exactly(rise: float, base: float) -> None:
    found = slope(list(CALLS), list(base + rise * CALLS))
    assert found is not None
    assert found.middle == pytest.approx(rise, rel=1e-3, abs=1e-6)
