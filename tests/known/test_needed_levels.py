"""Loads of a needed level alone decide as arithmetic says, and never more often falsely than they may."""

import random

import pytest

from callbench.analysis.capacity.result import CapacityResult
from callbench.report.capacity.answer import answer
from callbench.stats.decide.decision import Outcome
from callbench.stats.load import need
from callbench.stats.load.capacity_plan import NEEDED, Trial, capacity, need_shown, next_place
from callbench.store.requested.capacity import RATE, CapacityRequest
from known.searching import searched
from known.servers import Pool, SimulatedServer

SEEDS = range(5)
SHORT_S = 20.0
"""Too little for six crossings of these servers, which left all of it undecided."""


def _lock() -> SimulatedServer:
    """A client waits for all others, 10 ms each, so four have p95 under 45 ms."""
    return Pool(1, 0.01)


@pytest.mark.parametrize(("needed", "right"), [(2, Outcome.PASSED), (8, Outcome.FAILED), (60, Outcome.FAILED)])
def test_a_short_search_decides_what_is_plain(needed: float, right: Outcome) -> None:
    """It said "undecided" of 8 needed clients: five of five loads with 5 clients, and one with 8, had missed."""
    request = CapacityRequest("p95 under 45 ms", most=64, seconds=SHORT_S, need=needed)
    for seed in SEEDS:
        result = searched(_lock, request, seed)
        assert result.outcome is right


def test_the_needed_level_does_not_move_the_capacity() -> None:
    """Six loads of a level that is met easily are no crossings."""
    request = CapacityRequest("p95 under 45 ms", most=64, seconds=120.0, need=2)
    result = searched(_lock, request, 1)
    assert result.capacity is not None
    assert (result.capacity.low, result.capacity.high) == (4, 4)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_split_loads_are_rarely_alike(share: float) -> None:
    """At a level that is met half of the time, all six are alike about once in 32 times."""
    dice, alike, times = random.Random(3), 0, 2_000  # noqa: S311 - to be repeated
    for _ in range(times):
        met: list[bool] = []
        while need.is_open(met):
            met.append(dice.random() < share)
        truth = Outcome.PASSED if share > 0.5 else Outcome.FAILED
        found = need.shown(met, 8.0, 8.0, 8.0)
        alike += found is not Outcome.UNDECIDED if share == 0.5 else found not in (truth, Outcome.UNDECIDED)
    assert alike <= times * (0.04 if share == 0.5 else 0.01)


def test_a_level_says_nothing_of_what_lies_beyond_it() -> None:
    """What is met below the need does not show it, and what is missed above it neither."""
    assert need.shown([True] * 6, 7.0, 8.0, 8.0) is Outcome.UNDECIDED
    assert need.shown([False] * 6, 9.0, 8.0, 8.0) is Outcome.UNDECIDED
    assert need.shown([True] * 5, 8.0, 8.0, 8.0) is Outcome.UNDECIDED
    assert need.shown([True] * 6, 8.0, 8.0, 8.0) is Outcome.PASSED
    assert need.shown([False] * 6, 8.0, 8.0, 8.0) is Outcome.FAILED


def test_a_rate_whose_queue_does_not_settle_is_not_shown_to_be_held() -> None:
    """A thousandth below what a server answers at most, each load ends before the queue is long."""
    request = CapacityRequest("p95 under 100 ms", RATE, most=1e6, seconds=SHORT_S, need=99.9)
    for seed in SEEDS:
        dice = random.Random(seed)  # noqa: S311 - to be repeated
        result = searched(lambda dice=dice: Pool(1, 0.01, exponential=True, dice=dice), request, seed)  # type: ignore[misc]
        assert result.outcome is not Outcome.PASSED


def test_they_stand_in_turn_with_the_crossings() -> None:
    """So a disturbance of some seconds does not meet all of them."""
    request = CapacityRequest("p95 under 45 ms", most=64, need=8)
    trials: list[Trial] = []
    while (place := next_place(trials, 1.0, request.span, request.need)) is not None:
        trials.append(Trial(place.phase, place.level, met=place.level <= 4))
    phases = [trial.phase for trial in trials if trial.phase]
    assert sum(trial.level == 8 for trial in trials) == 6
    assert phases.count(NEEDED) == 5
    assert "NNN" not in "".join("N" if phase == NEEDED else "c" for phase in phases)
    assert capacity(trials, request.span) == capacity([t for t in trials if t.phase != NEEDED], request.span)
    assert need_shown(trials, 8.0, 8.0) is Outcome.FAILED


def test_what_the_interval_contradicts_is_undecided() -> None:
    request = CapacityRequest("p95 under 45 ms", most=64, need=8)
    trials = [Trial(0, 4.0, met=True), Trial(0, 5.0, met=False), Trial(0, 5.0, met=False)]
    for number in range(1, 7):
        trials += [Trial(number, 4.0, met=True), Trial(number, 5.0, met=False)]
    known = capacity(trials, request.span)
    for by_need, outcome in ((Outcome.PASSED, Outcome.UNDECIDED), (Outcome.FAILED, Outcome.FAILED)):
        result = CapacityResult(request, [], known, [], None, None, None, 20.0, by_need=by_need)
        assert result.outcome is outcome
        assert any(line.startswith("Failed") for line in answer(result, [])) == (outcome is Outcome.FAILED)
