"""Simulated clocks that drift and wander: whatever the ways take, the truth lies within the bound."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.estimate.clock_drift import MOST_DRIFT, WANDER, ClockFit
from callbench.stats.estimate.clock_offset import ClockExchange, ClockOffset, clock_offset

SECOND, HOUR = 10**9, 3600 * 10**9
BEGIN = 10**14
Clock = Callable[[float], float]
ways = st.lists(st.tuples(st.integers(10**4, 10**7), st.integers(10**4, 10**7)), min_size=1, max_size=5)


def drifting(offset: float, drift: float, wander: float = 0.0, turns_s: float = 0.0) -> Clock:
    """What another clock shows at a moment: it gains evenly, more so until it turns, and less so afterwards."""

    def shows(at_ns: float) -> float:
        gone, turns = at_ns - BEGIN, turns_s * SECOND
        return at_ns + offset + drift * gone + wander * WANDER * (min(gone, turns) - max(0.0, gone - turns))

    return shows


def measured(clock: Clock, at_ns: float, each: list[tuple[int, int]]) -> ClockOffset:
    exchanges, now = [], at_ns
    for there, back in each:
        shown = round(clock(now + there))
        exchanges.append(ClockExchange(round(now), shown, shown, round(now + there + back)))
        now += there + back
    return clock_offset(exchanges)


@given(
    st.integers(-HOUR, HOUR), st.floats(-5e-4, 5e-4), st.floats(-1, 1), ways, ways,
    st.floats(0.5, 3600), st.floats(0, 1),
)  # fmt: skip
def test_the_truth_lies_within_the_bound(  # noqa: PLR0917 - drawn
    offset: int,
    drift: float,
    wander: float,
    first: list[tuple[int, int]],
    last: list[tuple[int, int]],
    apart_s: float,
    late: float,
) -> None:
    clock = drifting(offset, drift, wander, late * apart_s)
    fit = ClockFit(measured(clock, BEGIN, first), measured(clock, BEGIN + apart_s * SECOND, last))
    at = fit.before.at_ns + late * (fit.after.at_ns - fit.before.at_ns)
    # Times of the simulation are whole nanoseconds.
    assert abs(clock(at) - at - fit.offset_ns(at)) <= fit.bound_ns(at) + 2
    assert fit.own_ns(at + fit.offset_ns(at)) == pytest.approx(at, abs=1)
    # No drift is told that a line needs not have.
    assert abs(fit.drift) <= abs(drift) + WANDER * 2 + 4 / (apart_s * SECOND)


def test_a_drift_is_found_and_one_measurement_would_have_missed_it() -> None:
    """100 parts in a million for a minute are 6 ms, where a round trip of 0.2 ms told 0.1 ms."""
    clock = drifting(HOUR, 1e-4)
    each = [(10**5, 10**5)]
    fit = ClockFit(measured(clock, BEGIN, each), measured(clock, BEGIN + 60 * SECOND, each))
    assert fit.drift == pytest.approx(1e-4, rel=0.05)
    at = BEGIN + 30 * SECOND
    assert fit.offset_ns(at) == pytest.approx(HOUR + 1e-4 * 30 * SECOND, abs=1000)
    assert abs(clock(at) - at - fit.before.ns) > 10 * fit.before.bound_ns


def test_the_bound_grows_with_the_time_between_two_measurements() -> None:
    clock, each = drifting(0, 0), [(10**5, 10**5)]
    bounds = []
    for apart_s in (1, 10, 100):
        fit = ClockFit(measured(clock, BEGIN, each), measured(clock, BEGIN + apart_s * SECOND, each))
        assert fit.drift == 0
        bounds.append(fit.bound_ns(BEGIN + apart_s * SECOND / 2))
    assert bounds == pytest.approx([10**5 + WANDER * seconds * SECOND / 2 for seconds in (1, 10, 100)], abs=2)


def test_the_own_clock_is_known() -> None:
    same = ClockFit(ClockOffset(0.0, 0.0, 0), ClockOffset(0.0, 0.0, 0))
    assert (same.own_ns(5e13), same.bound_ns(5e13), same.drift) == (5e13, 0.0, 0.0)


@given(st.integers(-HOUR, HOUR), st.floats(-MOST_DRIFT, MOST_DRIFT), ways, st.floats(0, 60))
def test_one_measurement_serves_a_while(offset: int, drift: float, each: list[tuple[int, int]], later_s: float) -> None:
    """As slices of a run have it: the longer ago it was, the less is known."""
    clock = drifting(offset, drift)
    once = measured(clock, BEGIN, each)
    at = once.at_ns + later_s * SECOND
    fit = ClockFit(once, once)
    assert abs(clock(at) - at - fit.offset_ns(at)) <= fit.bound_ns(at) + 2
