"""Conditions of a load (`--fail-if`) on simulated servers: what is well inside passes, what is well outside fails."""

import math
import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from callbench.analysis.load.threshold_values import evaluate
from callbench.analysis.load.thresholds import ThresholdResult, from_record, parse
from callbench.stats.load.rate import window_of
from callbench.store.lines.load import ThresholdRecord
from known.driving import closed, opened, poisson
from known.servers import Failing, FullQueue, Pool, SimulatedServer, Stalling, Stopping, TokenBucket

SEEDS = range(10)
# 8 clients of a pool of 4 with 10 ms a call: 400 calls/s, and each call takes 20 ms; 2 % fail. What is true of it, and
# what is not.
INSIDE = ("rate < 360/s", "rate > 440/s", "p50 > 22 ms", "p50 < 18 ms", "p99 > 25 ms", "p99 < 15 ms", "errors > 4%")
OUTSIDE = ("rate < 440/s", "rate > 360/s", "p50 > 18 ms", "p50 < 22 ms", "p99 > 15 ms", "p99 < 25 ms", "errors > 0.5%")


def conditions(texts: tuple[str, ...], seed: int, share: float = 0.02) -> tuple[ThresholdResult, ...]:
    """Judge a load of 10 s as the command does."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    done: Any = closed(Failing(Pool(4, 0.01), share, dice), 8, 10.0)
    return evaluate([parse(text) for text in texts], cast("Any", done), window_of(done).per_s)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_well_inside_passes_and_what_is_well_outside_fails(seed: int) -> None:
    for each in conditions(INSIDE, seed):
        assert (each.failed, each.undecided) == (False, ""), each.sentence
    for each in conditions(OUTSIDE, seed):
        assert (each.failed, each.undecided) == (True, ""), each.sentence


def test_no_error_is_not_above_none_and_not_below_it() -> None:
    above, at_least = conditions(("errors > 0%", "errors >= 0%"), 1, share=0.0)
    assert (above.failed, at_least.failed) == (False, True)


def _queue(dice: random.Random) -> Any:
    return closed(Pool(4, 0.01, exponential=True, dice=dice), 8, 10.0)


def _failing(dice: random.Random) -> Any:
    return closed(Failing(Pool(4, 0.01), 0.02, dice), 8, 10.0)


def _paced(dice: random.Random) -> Any:
    # More workers than ever wait: each call takes its own time.
    return opened(Pool(60, 0.01, exponential=True, dice=dice), poisson(400, 10.0, dice), 200, 10.0)


# Of 8 clients at 4 workers that take 10 ms on average, 400 calls/s end and each takes 20 ms (Little's law).
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (_queue, "rate < 400/s"),
        (_queue, "rate >= 400/s"),
        (_queue, "mean > 20 ms"),
        (_failing, "errors > 2%"),
        (_failing, "errors <= 2%"),
        (_paced, "mean > 10 ms"),
        (_paced, f"p50 > {10 * math.log(2):.6f} ms"),
        (_paced, f"p99 > {10 * math.log(100):.6f} ms"),
        (_paced, f"p99 <= {10 * math.log(100):.6f} ms"),
    ],
)
def test_what_is_true_at_the_limit_itself_is_undecided(make: Callable[[random.Random], Any], text: str) -> None:
    outcomes = []
    for seed in range(100):
        done = make(random.Random(seed))  # noqa: S311 - to be repeated
        [one] = evaluate([parse(text)], done, window_of(done).per_s)
        outcomes.append(bool(one.undecided))
    assert sum(outcomes) >= 95


# A queue of one worker: the time of a call is exponential, with the spare calls a second as its rate (M/M/1).
def _one_worker(used: float, seconds: float) -> Callable[[random.Random], Any]:
    def load(dice: random.Random) -> Any:
        return opened(Pool(1, used / PER_S, exponential=True, dice=dice), poisson(PER_S, seconds, dice), 5000, seconds)

    return load


def _beyond(used: float, share: float) -> str:
    """The percentile itself, in ms."""
    return f"{-math.log(1 - share) / (PER_S / used - PER_S) * 1e3:.6f} ms"


def _stalls(dice: random.Random) -> Any:
    server = Stalling(Pool(200, 0.0), every_s=0.5, stall_s=0.05)
    return opened(server, poisson(PER_S, 10.0, dice), 400, 10.0, begin_s=dice.uniform(0.0, 0.5))


def _stops(dice: random.Random) -> Any:
    return opened(Stopping(0.5, 0.05, dice), poisson(PER_S, 10.0, dice), 400, 10.0)


PER_S = 400.0
# Of stalls of 50 ms, p99 is what all but a hundredth of the time leaves of one.
AT_THE_LIMIT = [
    *((_one_worker(used, 10.0), f"{name} > {_beyond(used, share)}") for used in (0.3, 0.5, 0.7, 0.8)
      for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))),
    *((_one_worker(used, 10.0), f"mean > {1e3 / (PER_S / used - PER_S):.6f} ms") for used in (0.3, 0.5, 0.7)),
    (_stalls, f"p99 > {50 - 0.01 * 500} ms"),
    (_stops, f"p99 > {50 - 0.01 * 550} ms"),
]  # fmt: skip


def test_in_a_queue_what_is_true_at_the_limit_itself_is_decided_once_in_a_hundred_loads() -> None:
    """Calls of an open loop counted as independent: of M/M/1 at 80 % of its capacity, 79 of 100 were decided."""
    decided = {}
    for make, text in AT_THE_LIMIT:
        outcomes = [_one(make, text, seed) for seed in range(40)]
        decided[text] = sum(not one.undecided for one in outcomes)
    every = 40 * len(decided)
    assert sum(decided.values()) <= 0.02 * every, decided
    assert max(decided.values()) <= 4, decided


def _one(make: Callable[[random.Random], Any], text: str, seed: int) -> ThresholdResult:
    done = make(random.Random(seed))  # noqa: S311 - to be repeated
    [one] = evaluate([parse(text)], done, window_of(done).per_s)
    return one


@pytest.mark.parametrize("seed", range(4))
def test_in_a_queue_what_is_well_inside_passes_and_what_is_well_outside_fails(seed: int) -> None:
    load = _one_worker(0.3, 60.0)
    inside, outside = (f"p99 > {factor * 1e3 * math.log(100) / (PER_S / 0.3 - PER_S):.3f} ms" for factor in (2, 0.5))
    assert [(_one(load, text, seed).failed, _one(load, text, seed).undecided) for text in (inside, outside)] == [
        (False, ""),
        (True, ""),
    ]


# Of random arrivals, as 400 calls/s: the true share of calls that are refused. Of a rate limit it was counted over
# 3 million calls, of a full queue and of chance it follows.
def _limit(burst: int, per_s: float) -> Callable[[random.Random], SimulatedServer]:
    return lambda _dice: TokenBucket(per_s, burst, refuses=True)


def _places(places: int, used: float) -> Callable[[random.Random], SimulatedServer]:
    return lambda dice: FullQueue(places, used / PER_S, dice)


def _refused_by(places: int, used: float) -> float:
    return (1 - used) * used**places / (1 - used ** (places + 1))


def _by_chance(dice: random.Random) -> SimulatedServer:
    return Failing(Pool(200, 0.001), 0.01, dice)


REFUSING = [
    (_limit(10, 480.0), 0.00636),
    (_limit(20, 420.0), 0.00870),
    (_limit(50, 400.0), 0.01040),
    (_places(10, 0.7), _refused_by(10, 0.7)),
    (_places(20, 0.9), _refused_by(20, 0.9)),
    (_by_chance, 0.01),
]


def _refused(make: Callable[[random.Random], SimulatedServer], seconds: float, text: str, seed: int) -> ThresholdResult:
    """Judge a load of a server that has been in use for two seconds."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    server = make(dice)
    for at_s in poisson(PER_S, 2.0, dice).tolist():
        server.answer(at_s, 0)
    return _judged(opened(server, poisson(PER_S, seconds, dice), 400, seconds, begin_s=2.0), text)


def _judged(done: Any, text: str) -> ThresholdResult:
    [judged] = evaluate([parse(text)], done, window_of(done).per_s)
    return judged


@pytest.mark.parametrize("seconds", [2.0, 10.0])
def test_a_share_of_refused_calls_at_the_limit_itself_is_decided_once_in_a_hundred_loads(seconds: float) -> None:
    """Failures of an open loop that come together counted as more than they are: 13 % of loads of 2 s were decided."""
    decided = {
        place: sum(not _refused(make, seconds, f"errors > {100 * share:.5f}%", seed).undecided for seed in range(40))
        for place, (make, share) in enumerate(REFUSING)
    }
    assert sum(decided.values()) <= 0.01 * 40 * len(REFUSING), decided


@pytest.mark.parametrize(("text", "failed"), [("errors > 2%", False), ("errors > 0.3%", True)])
def test_a_share_of_refused_calls_well_off_the_limit_is_decided(text: str, *, failed: bool) -> None:
    make, _ = REFUSING[3]
    for seed in range(3):
        judged = _refused(make, 60.0, text, seed)
        assert (judged.failed, judged.undecided) == (failed, ""), judged.sentence


def test_ten_seconds_without_a_failure_pass() -> None:
    judged = _refused(lambda _dice: Pool(200, 0.001), 10.0, "errors > 1%", 1)
    assert judged.sentence == "Fail if errors > 1%: 0 % (0 to 0.53): passed."


@pytest.mark.parametrize(
    ("seconds", "text", "assumed"),
    [
        (2.0, "mean > 90 ms", False),
        (1.9, "mean > 90 ms", True),
        (1.9, "p50 > 20 ms", True),
        (1.9, "p50 > 900 ms", False),
        (1.9, "errors > 20%", False),
        (0.9, "errors > 20%", True),
        (0.9, "errors > 0%", False),
        (0.9, "max > 900 ms", False),
        (0.9, "rate > 900/s", False),
    ],
)
def test_an_open_loop_too_short_to_show_a_queue_says_so(seconds: float, text: str, *, assumed: bool) -> None:
    dice = random.Random(1)  # noqa: S311 - to be repeated
    done = opened(
        Pool(60, 0.01, exponential=True, dice=dice), poisson(PER_S, seconds, dice), 200, seconds, in_parts=seconds >= 2
    )
    judged = _judged(done, text)
    assert (judged.assumed, judged.undecided) == (assumed, "")
    assert ("if no call waits for another" in judged.sentence) == assumed
    assert from_record(_kept(judged)).assumed == assumed


def test_calls_that_resemble_each_other_too_much_for_a_percentile_are_named() -> None:
    one = _one(_one_worker(0.9, 10.0), "p99 > 400 ms", 1)
    assert not one.failed
    assert one.undecided.startswith("p99 > 400 ms: calls resemble each other, so ")
    assert one.undecided.endswith("independent ones, and p99 needs 528")
    assert from_record(_kept(one)) == one


def test_a_condition_that_is_too_near_is_read_from_its_record_with_its_value() -> None:
    one = _one(_paced, f"p50 > {10 * math.log(2):.6f} ms", 1)
    assert one.undecided.endswith("is too near to the limit")
    assert from_record(_kept(one)).sentence == one.sentence


def _kept(one: ThresholdResult) -> ThresholdRecord:
    """Its part of a load's record."""
    kept: ThresholdRecord = {
        "fail_if": one.threshold.text,
        "value": one.value,
        "limit": one.threshold.limit,
        "failed": one.failed,
        "undecided": one.undecided,
    }
    if one.assumed:
        kept["assumed"] = True
    return kept
