"""The rate of a link at which fewer bytes make up for more time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from callbench.stats.wire.break_even import break_even

TIMES = some.lists(some.floats(1.0, 1e5), min_size=2, max_size=6)


def test_the_bits_saved_over_the_time_added() -> None:
    found = break_even(1000.0, {0: 120.0, 1: 121.0, 2: 119.0}, {0: 20.0, 1: 21.0, 2: 19.0})
    assert found is not None
    assert (found.middle, found.low, found.high, found.forks) == (80.0, 80.0, 80.0, 3)


def test_what_saves_nothing_never_pays_and_what_takes_no_time_always_does() -> None:
    longer, shorter = {0: 120.0, 1: 121.0}, {0: 20.0, 1: 21.0}
    grown, quicker = break_even(-5.0, longer, shorter), break_even(5.0, shorter, longer)
    assert grown is not None
    assert (grown.middle, grown.low, grown.high) == (0.0, 0.0, 0.0)
    assert quicker is not None
    assert math.isinf(quicker.middle)
    assert break_even(5.0, {0: 1.0}, {1: 1.0}) is None
    alone = break_even(5.0, {0: 2.0}, {0: 1.0})
    assert alone is not None
    assert (alone.middle, alone.low, alone.high) == (40.0, None, None)


@given(TIMES, TIMES, some.floats(1.0, 1e6))
def test_at_that_rate_both_take_the_same_time(longer: list[float], shorter: list[float], saved: float) -> None:
    blocks = range(min(len(longer), len(shorter)))
    added = [longer[block] - shorter[block] for block in blocks]
    found = break_even(saved, {block: longer[block] for block in blocks}, {block: shorter[block] for block in blocks})
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.middle <= found.high
    if math.isfinite(found.middle):
        assert 8 * saved / found.middle == pytest.approx(sum(added) / len(added))
