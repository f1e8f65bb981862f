"""A search for a capacity on simulated servers, whose knee is known."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.stats.estimate import median_interval
from callbench.stats.load.capacity_plan import COARSE, GOAL, NextLoad, Trial, capacity, estimates, next_place
from callbench.stats.load.knee import KneeOutcome, SearchRange

CLIENTS = SearchRange(1, 10_000, 0.05, whole=True)
RATES = SearchRange(0.5, 1e6, 0.05)
Server = Callable[[float], bool]


def searched(server: Server, span: SearchRange, start: float = 1.0, most: int = 400) -> list[Trial]:
    trials: list[Trial] = []
    while len(trials) < most and (place := next_place(trials, start, span)) is not None:
        trials.append(Trial(place.phase, place.level, server(place.level)))
    return trials


def noisy(knee: float, spread: float, dice: random.Random) -> Server:
    """A server whose value is off by a random factor each time."""
    return lambda level: level * math.exp(dice.gauss(0, spread)) <= knee


@pytest.mark.parametrize("knee", [1, 2, 3, 7, 20, 333, 9_999])
def test_without_noise_the_knee_is_found_to_a_client_or_the_goal(knee: int) -> None:
    found = capacity(searched(lambda level: level <= knee, CLIENTS), CLIENTS)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.end is KneeOutcome.WITHIN
    assert found.low <= knee <= found.high
    assert found.high - found.low <= max(1, 2 * GOAL * knee + 2)


def test_ends_of_the_span_are_said_as_such() -> None:
    for server, end in ((lambda _: True, KneeOutcome.AT_LEAST), (lambda _: False, KneeOutcome.BELOW)):
        trials = searched(server, CLIENTS)
        found = capacity(trials, CLIENTS)
        assert found is not None
        assert (found.end, found.low) == (end, CLIENTS.high if end is KneeOutcome.AT_LEAST else 0)
        assert found.crossings == median_interval.LEAST
    assert capacity([], CLIENTS) is None


def ended_by_most(missed: int) -> list[Trial]:
    """Six crossings or more at the highest level of 64, of which the first missed there and met at 59."""
    trials = [Trial(COARSE, float(level), met=True) for level in (1, 2, 4, 8, 16, 32, 64)]
    for number in range(1, 8):
        trials += (
            [Trial(number, 64, met=False), Trial(number, 59, met=True), Trial(number, 61, met=False)]
            if number <= missed
            else [Trial(number, 64, met=True)]
        )
    return trials


@pytest.mark.parametrize("missed", range(8))
def test_a_search_that_the_highest_level_ended_has_one_answer(missed: int) -> None:
    """It was said that a server holds 64 clients (95 % interval 59 to 63)."""
    span = SearchRange(1, 64, 0.05, whole=True)
    found = capacity(ended_by_most(missed), span)
    assert found is not None
    assert found.low is not None
    assert found.low <= found.level <= (found.high or span.high)
    at_most = missed < 7
    assert (found.end, found.high) == ((KneeOutcome.AT_LEAST, None) if at_most else (KneeOutcome.WITHIN, 60))
    # All that was shown; with one miss of seven more crossings say whether that was chance.
    assert found.level == (64 if missed == 0 else 59)
    assert (next_place(ended_by_most(missed), 1, span) is None) == (missed in (0, 7))


def test_one_miss_of_many_at_the_highest_level_is_chance() -> None:
    dice = random.Random(3)  # noqa: S311 - to be repeated
    span, wrong = SearchRange(1, 64, 0.05, whole=True), 0
    for _ in range(200):
        found = capacity(searched(lambda _: dice.random() > 0.05, span), span)
        assert found is not None
        assert found.end is KneeOutcome.AT_LEAST or found.high is not None
        assert found.low is not None
        assert found.low <= found.level <= (found.high or span.high)
        wrong += found.level < 64
    assert wrong <= 20


def test_the_level_that_ends_the_coarse_search_fails_twice() -> None:
    trials = [Trial(COARSE, 1, met=True), Trial(COARSE, 2, met=False)]
    assert next_place(trials, 1, CLIENTS) == NextLoad(COARSE, 2)
    assert next_place([*trials, Trial(COARSE, 2, met=False)], 1, CLIENTS) == NextLoad(1, 2)
    # It was chance, and the search goes on above it.
    assert next_place([*trials, Trial(COARSE, 2, met=True)], 1, CLIENTS) == NextLoad(COARSE, 4)


@pytest.mark.parametrize("span", [CLIENTS, RATES])
def test_intervals_cover_the_truth_as_often_as_they_say(span: SearchRange) -> None:
    dice = random.Random(7)  # noqa: S311 - to be repeated
    covered = 0
    for _ in range(200):
        knee = dice.uniform(10, 500)
        # The truth is where half of the loads meet the objective.
        found = capacity(searched(noisy(knee, 0.08, dice), span, 8.0), span)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= (math.floor(knee) if span.whole else knee) <= found.high + span.whole
    assert covered >= 180


def test_a_search_continues_where_it_was_interrupted() -> None:
    whole = searched(lambda level: level <= 37, CLIENTS)
    for cut in (0, 3, len(whole) // 2, len(whole) - 1):
        trials = whole[:cut]
        while (place := next_place(trials, 1.0, CLIENTS)) is not None:
            trials = [*trials, Trial(place.phase, place.level, place.level <= 37)]
        assert trials == whole


def test_without_six_crossings_there_is_no_interval() -> None:
    trials = searched(lambda level: level <= 37, CLIENTS)
    few = [one for one in trials if one.phase < median_interval.LEAST]
    found = capacity(few, CLIENTS)
    assert found is not None
    assert found.level == 37
    assert (found.low, found.high, found.crossings) == (None, None, 5)
    assert len(estimates(few, CLIENTS)) == 5


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.floats(0, 1))
def test_whatever_a_server_answers_the_search_ends(seed: int, whole: bool, share: float) -> None:
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    span = CLIENTS if whole else RATES
    trials = searched(lambda _: dice.random() < share, span, most=2_000)
    assert len(trials) < 2_000
    assert all(span.low <= one.level <= span.high for one in trials)
    found = capacity(trials, span)
    assert found is not None
    assert found.low is None or found.high is None or found.low <= found.high


@pytest.mark.parametrize(("count", "rank"), [(0, None), (5, None), (6, 1), (8, 1), (9, 2), (15, 4)])
def test_ranks_of_the_median(count: int, rank: int | None) -> None:
    """Conover 1999, table A3."""
    assert median_interval.rank(count) == rank
