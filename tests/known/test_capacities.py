"""Searches for a capacity on simulated servers whose truth is arithmetic: no conclusion may contradict it."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pytest

from callbench.analysis.capacity.result import CapacityResult, allowing_for_the_start
from callbench.report.capacity.answer import answer, title
from callbench.runner.drive.knees import objective_result
from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.percentile_calls import fewest_calls
from callbench.stats.load.capacity_plan import COARSE, Capacity, Trial, capacity, estimates, next_place
from callbench.stats.load.knee import KneeOutcome
from callbench.stats.load.saturation import Resource, Saturation
from callbench.store.requested.capacity import CLIENTS, RATE, CapacityRequest
from known import queues
from known.driving import opened, poisson
from known.searching import searched
from known.servers import BehindLink, Failing, Limited, Pool, SimulatedServer, Stalling, TokenBucket

SEEDS = range(5)


@dataclass(frozen=True)
class Known:
    """A server, and how many clients it holds, exactly."""

    server: Callable[[random.Random], SimulatedServer]
    objective: str
    clients: int


ANSWER_BYTES = 15_042 + 11 * 66


def lte(server: SimulatedServer) -> BehindLink:
    """A server behind the link lte, whose answers have 15 kB: 35 ms each way, 12 Mbit/s."""
    return BehindLink(server, 0.035, ANSWER_BYTES * 8 / 12e6)


CLOSED = {
    "pool": Known(lambda _: Pool(4, 0.04), "p95 under 220 ms", 20),
    "lock": Known(lambda _: Pool(1, 0.03), "p95 under 165 ms", 5),
    "one client": Known(lambda _: Pool(1, 0.03), "p99 under 40 ms", 1),
    "not one": Known(lambda _: Pool(1, 0.03), "p99 under 29 ms", 0),
    "far away": Known(lambda _: Pool(1, 0.01, away_s=0.1), "p95 under 145 ms", 14),
    # 15 kB are 11 packets and 10.5 ms at 12 Mbit/s: 19 clients wait for each other's answers for 199.7 ms.
    "slow link": Known(lambda _: lte(Pool(1_000, 0.001)), "p95 under 205 ms", 19),
    # The round trip alone is 70 ms, and one call takes 81.5.
    "link too far": Known(lambda _: lte(Pool(1_000, 0.001)), "p95 under 75 ms", 0),
    # The link carries 95 answers a second, and the lock makes 40.
    "lock behind a link": Known(lambda _: lte(Pool(1, 0.025)), "p95 under 260 ms", 10),
    "64 connections": Known(lambda _: Limited(64, Pool(1_000, 0.005)), "p99 under 50 ms", 64),
    "3 connections": Known(lambda _: Limited(3, Pool(1_000, 0.02)), "p50 under 50 ms", 3),
    "errors": Known(lambda dice: Failing(Pool(8, 0.01), 0.05, dice), "p99 under 500 ms", 0),
    "429": Known(lambda _: TokenBucket(50, 1, 0.001, refuses=True), "p99 under 50 ms", 0),
    "stalls": Known(lambda _: Stalling(Pool(8, 0.01), 1.0, 0.3), "p99.5 under 200 ms", 0),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CLOSED)
def test_clients_that_a_server_holds(name: str, seed: int) -> None:
    """That a server of 64 connections holds 91 clients was said with exit code 0."""
    known, dice = CLOSED[name], random.Random(seed)  # noqa: S311 - to be repeated
    request = CapacityRequest(known.objective, CLIENTS)
    result = searched(lambda: known.server(dice), request, seed)
    found = result.capacity
    assert found is not None
    assert found.low is not None
    if known.clients:
        assert found.end is KneeOutcome.WITHIN
        assert found.high is not None
        assert found.low <= known.clients <= found.high + 1
        assert found.level <= known.clients
        assert result.outcome is Outcome.PASSED
    else:
        assert found.end is KneeOutcome.BELOW
        assert result.outcome is Outcome.FAILED


OPEN: dict[str, tuple[Callable[[random.Random], Pool | TokenBucket | BehindLink], str]] = {
    "slow link": (lambda _: lte(Pool(1_000, 0.001)), "p95 under 200 ms"),
    "pool": (lambda _: Pool(2, 0.01), "p99 under 100 ms"),
    "lock": (lambda _: Pool(1, 0.005), "p95 under 50 ms"),
    "m/m/1": (lambda dice: Pool(1, 0.005, exponential=True, dice=dice), "p95 under 100 ms"),
    "token bucket": (lambda _: TokenBucket(200), "p99 under 100 ms"),
    "bimodal": (lambda dice: Pool(4, 0.01, slow_share=0.02, dice=dice), "p95 under 60 ms"),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", OPEN)
def test_no_rate_above_the_capacity_is_held(name: str, seed: int) -> None:
    """Of a server of 200/s it was said that it holds 243.5 (228.3 to 259.4)."""
    make, objective = OPEN[name]
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    # A queue of 200 ms takes loads of 4 s to show, of which 120 s have too few.
    seconds = 240.0 if name == "slow link" else 120.0
    result = searched(lambda: make(dice), CapacityRequest(objective, RATE, most=1e6, seconds=seconds), seed)
    found = result.capacity
    assert found is not None
    assert found.low is not None
    most = make(dice).capacity_per_s
    assert found.low <= most
    assert found.level <= most * 1.05
    assert found.low >= most * 0.3
    assert result.outcome is Outcome.PASSED


CALLS_OF_P99 = fewest_calls(0.99)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("every_s", "stall_s"), [(5.0, 0.4), (9.0, 0.5), (12.0, 1.0)])
def test_a_stall_that_is_rarer_than_a_load_is_long_is_no_capacity(every_s: float, stall_s: float, seed: int) -> None:
    """More than 1 of 100 calls arrive in a stall and wait for more than 200 ms, at any rate: none is held."""
    assert (stall_s - 0.2) / every_s > 0.01
    request = CapacityRequest("p99 under 200 ms", RATE, most=1e6)
    result = searched(lambda: Stalling(Pool(2, 0.01), every_s, stall_s), request, seed)
    assert result.outcome in {Outcome.UNDECIDED, Outcome.FAILED}
    said = " ".join(answer(result, []))
    if result.proof is not None and result.proof.met:
        # So few calls have no slow one by chance. Then there is no interval either.
        assert result.proof.level * result.proof.seconds < CALLS_OF_P99
        assert "The level has no interval" in said
        return
    assert said.startswith(("Undecided whether", "It does not hold"))
    if result.proof is not None:
        assert "something slows calls that comes more rarely" in said


class Missing(SimulatedServer):
    """A server that holds any number of clients; at 64 of them, loads miss by the machine's noise."""

    def __init__(self, dice: random.Random, share: float) -> None:
        """Take the share of its loads that miss."""
        self._missed, self._dice, self._share = False, dice, share
        self._clients: set[int] = set()

    def answer(self, at_s: float, client: int) -> tuple[float, str | None]:
        """As in `SimulatedServer`."""
        if not self._clients:
            self._missed = self._dice.random() < self._share
        self._clients.add(client)
        return at_s + (0.2 if self._missed and len(self._clients) >= 60 else 0.05), None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.6])
def test_a_search_that_most_ended_says_one_thing(share: float) -> None:
    """It was said: holds 64 clients (95 % interval 59 to 63), at the rate of 59; the truth is at least 64."""
    for seed in range(20):
        dice = random.Random(seed)  # noqa: S311 - to be repeated
        request = CapacityRequest("p95 under 60 ms", most=64, need=64)
        result = searched(lambda dice=dice: Missing(dice, share), request, seed)  # type: ignore[misc]
        found, said = result.capacity, next(answer(result, []))
        assert found is not None
        if found.end is KneeOutcome.AT_LEAST and found.low is not None:
            assert f"at least {found.low:.0f} client" in said
            assert "interval" not in said
            assert ("which some loads missed" in said) == (found.low < 64)
            assert result.by_interval is (Outcome.PASSED if found.low == 64 else Outcome.UNDECIDED)
        else:
            assert found.low is None or found.low <= found.level <= (found.high or 64)
            assert found.low is None or "at least" not in said
        # What most of its loads meet is held.
        assert result.outcome is not (Outcome.FAILED if share < 0.5 else Outcome.PASSED)


def test_at_least_is_said_of_a_load_that_was_made_and_met() -> None:
    """With others' work: "It holds about at least 104.8 calls/s" of a server that answers 100 a second at most."""
    others = Saturation(Resource.OTHERS, "other programs took 96 % of the load driver's processors")
    request = CapacityRequest("p95 under 100 ms", RATE)
    few = CapacityResult(request, [], Capacity(104.8, None, None, KneeOutcome.WITHIN, 3), [], None, others, None, 40)
    assert next(answer(few, [])) == ("It holds about 104.8 calls/s with p95 under 100 ms. The level has no interval.")
    # The title named another decision: "Undecided whether it holds 105 calls/s".
    assert title(few).startswith("Holds about 104.8 calls/s, undecided: ")
    known = CapacityResult(request, [], Capacity(95.0, 90.0, 99.0, KneeOutcome.WITHIN, 6), [], None, others, None, 40)
    lines = list(answer(known, []))
    assert lines[0] == "It holds at least 90.0 calls/s with p95 under 100 ms."
    assert lines[1].startswith("Invalid: other programs took the processors")
    assert known.outcome is Outcome.UNDECIDED
    below = replace(known, capacity=Capacity(1.0, 0.0, 1.0, KneeOutcome.BELOW, 6))
    assert below.outcome is Outcome.UNDECIDED
    assert title(below).startswith("Undecided whether it holds 1.0")
    assert next(answer(below, [])).startswith("Undecided whether it holds 1.0")


# Each load begins with an empty queue. So often over, a load here is as long as the queue takes to forget that.
RELAXED = 12


@dataclass(frozen=True)
class Queue:
    """A server in its steady state.

    Attributes:
        most_per_s: calls a second at most.
        limit_ms: of the 95th percentile.
        held: at how many calls a second it meets that, exactly.
    """

    server: Callable[[random.Random], SimulatedServer]
    most_per_s: float
    limit_ms: float
    held: Callable[[], float]


QUEUES = {
    "m/m/1": Queue(
        lambda dice: Pool(1, 0.001, exponential=True, dice=dice),
        1_000,
        10,
        lambda: queues.exponential_pool(1, 0.001, 0.95, 0.01),
    ),
    "m/m/4": Queue(
        lambda dice: Pool(4, 0.004, exponential=True, dice=dice),
        1_000,
        20,
        lambda: queues.exponential_pool(4, 0.004, 0.95, 0.02),
    ),
    "m/d/1": Queue(lambda _: Pool(1, 1 / 400), 400, 12.5, lambda: queues.fixed(400, 0.95, 0.0125)),
    "bucket": Queue(lambda _: TokenBucket(400), 400, 10, lambda: queues.token_bucket(400, 1, 0.0001, 0.95, 0.01)),
    "burst": Queue(lambda _: TokenBucket(400, 3), 400, 6, lambda: queues.token_bucket(400, 3, 0.0001, 0.95, 0.006)),
}


@pytest.mark.parametrize("name", QUEUES)
def test_the_interval_holds_the_rate_of_the_steady_state(name: str) -> None:
    """Of queues that settle within a load, whose loads have many calls."""
    queue = QUEUES[name]
    held, request = queue.held(), CapacityRequest(f"p95 under {queue.limit_ms:g} ms", RATE, most=1e6)
    assert request.load_s(held, coarse=False) >= RELAXED * queues.relaxation_s(queue.most_per_s, held)
    within = too_high = too_low = 0
    for seed in range(20):
        dice = random.Random(seed)  # noqa: S311 - to be repeated
        found = searched(partial(queue.server, dice), request, seed).capacity
        # Each of these is plain, so it is to be decided.
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        within += found.low <= held <= found.high
        too_high += found.low > held
        too_low += found.high < held
    assert within >= 18
    # A needed rate just above the capacity would be said to be held, or one just below it not to be.
    assert max(too_high, too_low) <= 1


# Near their capacities, these need up to 60 s until it does not count that a load begins with an empty queue.
SLOW_QUEUES = {
    "m/d/1, 100/s": Queue(lambda _: Pool(1, 0.01), 100, 100, lambda: queues.fixed(100, 0.95, 0.1)),
    **{
        f"m/m/1, {rate}/s, {limit_ms} ms": Queue(
            partial(lambda dice, rate: Pool(1, 1 / rate, exponential=True, dice=dice), rate=rate),
            rate,
            limit_ms,
            partial(queues.exponential_pool, 1, 1 / rate, 0.95, limit_ms / 1e3),
        )
        for rate, limit_ms in ((100, 100), (200, 100), (100, 200), (400, 50), (1_000, 50))
    },
    "m/m/4, 400/s": Queue(
        lambda dice: Pool(4, 0.01, exponential=True, dice=dice),
        400,
        35,
        lambda: queues.exponential_pool(4, 0.01, 0.95, 0.035),
    ),
}


@pytest.mark.parametrize("name", SLOW_QUEUES)
def test_a_load_that_begins_with_an_empty_queue_claims_no_more_than_the_steady_state(name: str) -> None:
    """M/D/1 with 100/s and p95 under 100 ms: "at least 93" was said in 20 of 20 searches, and 85 is true."""
    queue = SLOW_QUEUES[name]
    held, request = queue.held(), CapacityRequest(f"p95 under {queue.limit_ms:g} ms", RATE, most=1e6)
    too_high = too_low = 0
    for seed in range(20):
        dice = random.Random(seed)  # noqa: S311 - to be repeated
        found = searched(partial(queue.server, dice), request, seed).capacity
        too_high += found is not None and found.low is not None and found.low > held
        too_low += found is not None and found.low is not None and (found.high or math.inf) < held
    assert too_high <= 1
    assert too_low <= 2


def test_what_the_lower_end_allows_for_is_what_the_answer_says() -> None:
    """Where --most ended the search, the level is the lower end: its own allowance would be another one."""
    request = CapacityRequest("p95 under 50 ms", RATE, most=200)
    trials = [Trial(COARSE, level, met=True) for level in (50.0, 100.0, 200.0)]
    trials += [Trial(number, 200.0, met=True) for number in range(1, 7)]
    shown = capacity(trials, request.span)
    found = allowing_for_the_start(shown, request)
    assert shown is not None
    assert shown.low is not None
    assert found is not None
    assert found.low is not None
    assert found.level == found.low < shown.low
    result = CapacityResult(request, [], found, estimates(trials, request.span), None, None, None, 20.0)
    said = " ".join(answer(result, []))
    assert f"the lower end is lower by {percent(1 - found.low / shown.low)}" in said
    assert f"holds at least {found.low:.0f}" in said.replace(".0 calls", " calls")


def test_a_needed_rate_beyond_the_steady_state_is_not_passed() -> None:
    """93 of M/D/1 with 100/s: the loads meet it, and the queue that they end too early for does not."""
    queue = SLOW_QUEUES["m/d/1, 100/s"]
    request = CapacityRequest("p95 under 100 ms", RATE, most=1e6, need=93.0)
    outcomes = [searched(partial(queue.server, random.Random(seed)), request, seed).outcome for seed in range(10)]  # noqa: S311
    assert Outcome.PASSED not in outcomes


@pytest.mark.parametrize(
    ("workers", "service_s", "objective"), [(4, 0.5, "p50 under 600 ms"), (8, 1.0, "mean under 1.2 s")]
)
def test_loads_of_few_random_arrivals_are_not_missed_by_chance(workers: int, service_s: float, objective: str) -> None:
    """Servers of 8/s, where calls hardly wait at 3/s, were said to hold 0.5: of 3 arrivals, one lay after the time."""
    for seed in range(3):
        request = CapacityRequest(objective, RATE, most=1e6, need=3.0)
        found = searched(partial(Pool, workers, service_s), request, seed).capacity
        assert found is not None
        assert 3 < found.level < 8


def test_the_rates_of_queues_are_those_of_the_formulas() -> None:
    """The time of a call in M/M/1 is exponential: its percentiles are known without Erlang's formula."""
    assert queues.exponential_pool(1, 0.01, 0.95, 0.1) == pytest.approx(100 - math.log(20) / 0.1)
    assert queues.fixed(100, 0.95, 0.1) == pytest.approx(85, abs=1)
    simulated = opened(Pool(4, 0.01, exponential=True), poisson(300, 1_000, random.Random(3)), 100_000, 1_000)  # noqa: S311
    value_us = objective_result(simulated, "p95 under 1 s", 300)["value_us"]
    assert value_us is not None
    limit_s = value_us / 1e6
    assert queues.exponential_pool(4, 0.01, 0.95, limit_s) == pytest.approx(300, rel=0.02)


def test_along_the_rate_a_load_that_settles_is_among_what_decides() -> None:
    """Loads of 0.6 s decided on an objective of 200 ms, which takes 4 s to settle: nothing is held by short ones."""
    for coarse in (True, False):
        assert CapacityRequest("p99 under 200 ms", RATE, seconds=30).load_s(1e4, coarse=coarse) >= 0.8
        assert CapacityRequest("p99 under 200 ms", RATE, seconds=240).load_s(1e4, coarse=False) >= 4
        assert CapacityRequest("mean under 200 ms", RATE, seconds=30).load_s(1e4, coarse=coarse) >= 5
    for seconds in (10.0, 30.0, 120.0):
        request = CapacityRequest("p99 under 500 ms", RATE, seconds=seconds)
        assert request.proof_s >= 10
        assert request.search_s >= seconds / 2


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_what_is_not_shown_at_the_lowest_load_is_undecided(share: float) -> None:
    """Two short loads decided that one client is not held, where p99 was just inside the objective."""
    span = CapacityRequest("p99 under 50 ms").span
    wrong = 0
    for seed in range(200):
        dice = random.Random(seed)  # noqa: S311 - to be repeated
        trials: list[Trial] = []
        while (place := next_place(trials, 1.0, span)) is not None and len(trials) < 60:
            # One client meets it more often than not, or not; two never do.
            met = place.level == 1 and dice.random() < share
            trials.append(Trial(place.phase, place.level, met))
        result = CapacityResult(CapacityRequest("p99 under 50 ms"), [], capacity(trials, span), [], None, None, None, 0)
        truth = Outcome.PASSED if share > 0.5 else Outcome.FAILED
        wrong += result.outcome not in (truth, Outcome.UNDECIDED)
        if share == 0.5:
            wrong += result.outcome is not Outcome.UNDECIDED
    assert wrong <= 200 * (0.1 if share == 0.5 else 0.05)


def test_too_few_loads_at_an_end_decide_nothing() -> None:
    request = CapacityRequest("p99 under 50 ms", most=4)
    for met in (True, False):
        trials = [Trial(COARSE, level, met) for level in ((1, 2, 4) if met else (1, 1))]
        result = CapacityResult(request, [], capacity(trials, request.span), [], None, None, None, 0)
        assert result.outcome is Outcome.UNDECIDED
        trials += [Trial(number, 4 if met else 1, met) for number in range(1, 7)]
        shown = CapacityResult(request, [], capacity(trials, request.span), [], None, None, None, 0)
        assert shown.outcome is (Outcome.PASSED if met else Outcome.FAILED)
