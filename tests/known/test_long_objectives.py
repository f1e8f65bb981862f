"""Searches along the rate with objectives of 200 ms to 1 s: short loads, what they allow for, and the settled truth."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from callbench.analysis.capacity.result import held_from
from callbench.report.capacity.answer import answer
from callbench.runner.drive.knees import objective_result
from callbench.stats.decide.decision import Outcome
from callbench.stats.load.alone import Alone
from callbench.stats.load.settling import beyond_all, settling_s, too_high
from callbench.store.requested.capacity import RATE, CapacityRequest
from histograms import sparse
from known import queues
from known.driving import opened, poisson
from known.searching import searched
from known.servers import Pool, SimulatedServer, TokenBucket

LIMITS_S = (0.2, 0.5, 1.0)
SEEDS = range(3)


@dataclass(frozen=True)
class Settled:
    """A server of about 100 calls/s, and at how many of them it meets p95 under a limit, exactly."""

    server: Callable[[random.Random], SimulatedServer]
    held: Callable[[float], float]


SERVERS = {
    "lock": Settled(lambda _: Pool(1, 0.01), partial(queues.fixed, 100, 0.95)),
    "m/m/1": Settled(
        lambda dice: Pool(1, 0.01, exponential=True, dice=dice), partial(queues.exponential_pool, 1, 0.01, 0.95)
    ),
    "m/m/4": Settled(
        lambda dice: Pool(4, 0.04, exponential=True, dice=dice), partial(queues.exponential_pool, 4, 0.04, 0.95)
    ),
    "bimodal": Settled(
        lambda dice: Pool(1, 0.0085, slow_share=0.02, dice=dice), partial(queues.bimodal, 0.0085, 0.02, 10.0, 0.95)
    ),
    "bucket": Settled(lambda _: TokenBucket(100, 5), partial(queues.token_bucket, 100, 5, 0.0001, 0.95)),
}


@pytest.mark.parametrize("limit_s", LIMITS_S)
@pytest.mark.parametrize("name", SERVERS)
def test_an_objective_of_up_to_a_second_is_decided_in_two_minutes(name: str, limit_s: float) -> None:
    """Of 108 such searches 13 found a capacity, for each load was 20 times as long as the limit."""
    settled = SERVERS[name]
    held, ended = settled.held(limit_s), Counter[str]()
    for seed in SEEDS:
        server = partial(settled.server, random.Random(seed))  # noqa: S311 - to be repeated
        for need in (None, held * 0.6, held * 1.6):
            request = CapacityRequest(f"p95 under {limit_s * 1e3:g} ms", RATE, most=1e6, seconds=120.0, need=need)
            result = searched(server, request, seed)
            found = result.capacity
            assert found is not None
            if found.low is not None:
                assert found.low <= held <= (found.high or math.inf)
                assert found.low <= found.level <= (found.high or math.inf)
            right = Outcome.FAILED if need is not None and need > held else Outcome.PASSED
            assert result.outcome in {right, Outcome.UNDECIDED}
            ended["needed" if need else "found"] += result.outcome is right
    # With loads of 20 limits, those of half a second and more decided none.
    assert ended["needed"] >= (4 if limit_s >= 0.5 else 2)


# Of one worker with 10 ms a call, whose slow calls are one of a hundred and take 50 times as long: at how many calls/s
# it meets p95 under a limit in seconds, by `queues.bimodal`.
UNEVEN = {0.2: 22.3, 0.5: 64.0, 1.0: 81.9}


def test_calls_of_very_different_length_leave_more_idle() -> None:
    """A third of the lower ends were too high."""
    beyond, found_ends, said = [], 0, ""
    for limit_s, held in UNEVEN.items():
        for seed in range(8):
            dice = random.Random(seed)  # noqa: S311 - to be repeated
            server = partial(Pool, 1, 0.01 / 1.49, slow_share=0.01, slow_factor=50.0, dice=dice)
            request = CapacityRequest(f"p95 under {limit_s * 1e3:g} ms", RATE, most=1e6, seconds=120.0)
            result = searched(server, request, seed)
            found = result.capacity
            if found is not None and found.low:
                found_ends += 1
                beyond += [(limit_s, seed)] if found.low > held else []
                said = " ".join(answer(result, []))
    assert found_ends >= 3
    assert len(beyond) <= 1
    assert "times as long, as calls of one client vary much in their times" in said


@pytest.mark.parametrize(
    ("times_us", "longer"), [([1_000], 1.0), ([100, 300], 1.0), ([1_000] * 99 + [50_000], (1 + 10.7) / 2)]
)
def test_what_calls_of_one_client_say_of_a_queue(times_us: list[int], longer: float) -> None:
    found = Alone.of([sparse([time_us * 1_000 for time_us in times_us])])
    assert found is not None
    assert found.mean_us == pytest.approx(sum(times_us) / len(times_us), rel=0.01)
    assert found.queues == pytest.approx(longer, rel=0.02)
    assert Alone.of([]) is None


@pytest.mark.parametrize("beyond", [0.7, 1.5])
@pytest.mark.parametrize("load_s", [2.0, 4.0, 10.0])
def test_what_a_load_can_meet_beyond_all_that_a_server_answers(load_s: float, beyond: float) -> None:
    """Loads of the length T meet rates up to mu (1 + W / (q T)): well above it they miss, and below they do not."""
    part = beyond_all(1_000, load_s, 0.5, 0.95)
    assert part == pytest.approx(0.5 / load_s / 0.95)
    dice, missed = random.Random(5), 0  # noqa: S311 - to be repeated
    for _ in range(21):
        server, rate = Pool(1, 0.001), 1_000 * (1 + part * beyond)
        done = opened(server, poisson(rate, load_s, dice), 100_000, load_s)
        missed += not objective_result(done, "p95 under 500 ms", rate)["holds"]
    assert missed >= 20 if beyond > 1 else missed <= 1


def test_what_shows_a_needed_rate_allows_for_its_own_loads() -> None:
    """A higher rate has shorter loads, so what they may show too much is more than at the needed one."""
    for need in (5.0, 10.0, 25.0, 80.0, 1_000.0, 1e5):
        for limit_s in LIMITS_S:
            request = CapacityRequest(f"p95 under {limit_s:g} s", RATE, most=1e6, need=need)
            level = held_from(request)
            assert level is not None
            load_s = request.load_s(level, coarse=False)
            part = too_high(level, load_s, limit_s, 0.95)
            assert level * (1 - part) == pytest.approx(need) if load_s < settling_s(level, limit_s, 0.95) else part == 0


def test_the_answer_says_what_short_loads_allow_for() -> None:
    request = CapacityRequest("p95 under 500 ms", RATE, most=1e6)
    result = searched(lambda: Pool(1, 0.01), request, 1)
    said = " ".join(answer(result, []))
    assert result.capacity is not None
    assert result.capacity.shown is not None
    assert f"It holds {result.capacity.level:.1f} calls/s" in said
    assert "begins with an empty queue. What it meets may be above all that the server answers" in said
