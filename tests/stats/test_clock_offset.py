"""The offset of two clocks: whatever the ways take, the truth lies within the bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.estimate.clock_offset import ClockExchange, clock_offset

Ways = st.tuples(st.integers(0, 10**8), st.integers(0, 10**6), st.integers(0, 10**8))
HOUR = 3600 * 10**9


@given(st.integers(-2 * HOUR, 2 * HOUR), st.lists(Ways, min_size=1, max_size=20))
def test_the_truth_lies_within_the_bound(offset: int, ways: list[tuple[int, int, int]]) -> None:
    now, exchanges = 10**18, []
    for there, work, back in ways:
        received = now + there + offset
        exchanges.append(ClockExchange(now, received, received + work, now + there + work + back))
        now += there + work + back
    found = clock_offset(exchanges)
    assert abs(found.ns - offset) <= found.bound_ns
    assert found.round_trip_ns == min(there + back for there, _, back in ways)


def test_equal_ways_give_it_exactly() -> None:
    found = clock_offset([ClockExchange(1000, 1000 + 50 + HOUR, 1000 + 60 + HOUR, 1110)])
    assert (found.ns, found.bound_ns, found.round_trip_ns) == (HOUR, 50.0, 100)


def test_nothing_has_none() -> None:
    with pytest.raises(ValueError, match="empty"):
        clock_offset([])
