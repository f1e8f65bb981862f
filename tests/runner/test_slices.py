"""How long a slice is: some 20 ms, or a handful of calls where they take longer."""

import math
from typing import Any

import hypothesis.strategies as some
from hypothesis import given

from callbench.model.cell import Load
from callbench.runner.drive.slices import (
    ARRIVALS,
    CLAIMED_SECONDS,
    OPEN_SECONDS,
    SLICE_SECONDS,
    THOUGHTS,
    Length,
    has_enough_slices,
    length_of,
    shorten,
)
from callbench.runner.measure.trial import journal_form

CLOSED = some.builds(
    Load,
    clients=some.integers(1, 1000),
    calls=some.integers(1, 10**6),
    seconds=some.floats(0.01, 100),
    think_ns=some.integers(0, 10**9),
)
OPEN = some.builds(
    Load,
    clients=some.integers(1, 100),
    calls=some.integers(1, 10**6),
    seconds=some.floats(0.01, 100),
    arrivals=some.just("poisson"),
    rate_per_s=some.floats(0.1, 10**6),
)


@given(CLOSED, some.booleans())
def test_each_client_makes_a_handful_of_calls_or_has_time_to_think(load: Load, slow: bool) -> None:
    length = length_of(load, slow=slow)
    assert length.seconds >= SLICE_SECONDS
    assert length.seconds >= THOUGHTS * load.think_ns / 1e9
    assert length.calls == load.clients * (1 if slow or load.think_ns else load.slice_calls)


@given(CLOSED)
def test_what_a_trial_was_to_make_does_not_make_a_slice_longer(load: Load) -> None:
    other = Load(load.clients, 1, 0.01, think_ns=load.think_ns)
    assert length_of(load) == length_of(other)


@given(OPEN)
def test_an_open_loop_has_its_arrivals_or_all_of_its_time(load: Load) -> None:
    length = length_of(load)
    rate = load.rate_per_s or 0.0
    assert length.seconds >= SLICE_SECONDS
    assert length.calls == max(1, math.ceil(rate * length.seconds))
    both = length.seconds >= OPEN_SECONDS and length.calls >= ARRIVALS
    assert both or math.isclose(length.seconds, max(SLICE_SECONDS, load.seconds))


@given(some.one_of(CLOSED, OPEN), some.floats(0.02, 1.0))
def test_a_card_may_ask_for_a_longer_one(load: Load, least_s: float) -> None:
    assert length_of(load, least_s).seconds >= max(least_s, length_of(load).seconds)


def test_the_journal_keeps_no_place_and_no_empty_intervals() -> None:
    kept: Any = journal_form({"is": "done", "id": 3, "calls": 1, "intervals": []})
    assert kept == {"calls": 1}
    full: Any = journal_form({"calls": 1, "intervals": [[1, 1, 0]]})
    assert full == {"calls": 1, "intervals": [[1, 1, 0]]}


def test_a_call_that_takes_long_is_made_once_a_slice_by_each_client() -> None:
    length = length_of(Load(2, 4, 0.02))
    assert shorten(length, Load(2, 4, 0.02), 0.0) == length, "nobody knows how long it takes"
    assert shorten(length, Load(2, 4, 0.02), 0.4) == length
    assert shorten(length, Load(2, 4, 0.02), 5.0) == Length(length.seconds, 2)


def test_two_slices_are_enough_of_what_was_driven_for_seconds() -> None:
    assert not has_enough_slices(60.0, 1), "one slice tells nothing of how slices differ"
    assert not has_enough_slices(1.0, 50)
    assert has_enough_slices(3.0, 2)


def test_a_claimed_percentile_gets_its_calls_as_far_as_there_is_time() -> None:
    assert not has_enough_slices(3.0, 2, lacks_calls=True)
    assert has_enough_slices(CLAIMED_SECONDS, 2, lacks_calls=True)
