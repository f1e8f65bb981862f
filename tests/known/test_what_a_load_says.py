"""What a load says of servers whose truth is arithmetic, beside the conditions on its numbers."""

import copy
import random
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from callbench.adapter.contract import Done
from callbench.analysis.load.plateau import plateau_sentence
from callbench.analysis.load.request import LoadRequest
from callbench.analysis.load.result import LoadResult, compute_result
from callbench.analysis.load.thresholds import parse
from callbench.analysis.load.usage import Observations
from callbench.stats.load.beginning import slow_beginning, slow_end
from callbench.stats.load.bottleneck import Limit
from histograms import histogram
from known.driving import closed, constant, opened, poisson
from known.servers import Limited, Pool, SimulatedServer, Stalling, TokenBucket, Warming

_UNSEEN: Any = {"elapsed_ns": 10**9, "seen_ns": 10**9, "processors": 2, "steal_ns": 0, "sides": []}


def _result(done: Done, clients: int, **wish: Any) -> LoadResult:
    asked = LoadRequest("http://127.0.0.1:80/", clients=clients, **wish)
    return compute_result(asked, done, clients, Observations(None, _UNSEEN))


def test_a_rate_whose_calls_were_all_made_is_not_missed_where_they_fail() -> None:
    """Of 200 a second, 100 get a token. It said "missed 200 calls/s", though each call was begun in time."""
    done = opened(TokenBucket(100, 10, 0.002, refuses=True), constant(200, 5.0), 200, 5.0)
    found = _result(done, 200, rate=200)
    assert sum(found.errors.values()) > 400
    assert not found.rate_missed
    dice = random.Random(1)  # noqa: S311 - to be repeated
    for rate in (1.5, 2, 4):
        # Of so few random arrivals the last lies at the end of the time, and chance puts others near it.
        few = opened(Pool(100, 0.01), poisson(rate, 3.0, dice), 10, 3.0)
        assert not _result(few, 10, rate=rate, poisson=True, seconds=3.0).rate_missed
        slow = opened(Pool(1, 1.5), poisson(rate, 3.0, dice), 10, 3.0)
        assert _result(slow, 10, rate=rate, poisson=True, seconds=3.0).rate_missed
    waiting = opened(TokenBucket(100), constant(200, 5.0), 2_000, 5.0)
    assert _result(waiting, 2_000, rate=200).rate_missed


@pytest.mark.parametrize(("late_ms", "limit"), [(3, False), (60, True)])
def test_a_driver_that_is_late_by_a_small_part_of_the_time_of_calls_limits_nothing(
    late_ms: int, *, limit: bool
) -> None:
    """A server of 200/s was asked for 300: calls took seconds, and the driver was blamed for milliseconds."""
    done = opened(Pool(1_000, 0.05), constant(100, 5.0), 1_000, 5.0)
    late_ns = np.zeros(done["calls"], dtype=np.int64)
    late_ns[::10] = late_ms * 1_000_000
    found = _result(cast("Done", {**done, "lateness": histogram(late_ns)}), 1_000, rate=100)
    assert (found.verdict.limit is Limit.GENERATOR) == limit


@pytest.mark.parametrize(("condition", "failed"), [("errors > 5%", True), ("errors > 40%", False)])
def test_clients_that_are_never_served_are_no_small_share_of_errors(condition: str, *, failed: bool) -> None:
    """A third of the clients got nothing, and rested after each error: 0.9 % of the calls, and it passed."""
    done = closed(Limited(20, Pool(1_000, 0.02)), 30, 10.0)
    found = _result(done, 30, fail_if=(parse(condition),))
    assert found.error_share < 0.05
    assert found.done["unserved"] == 10
    [checked] = found.threshold_results
    assert checked.failed == failed
    assert ("10 of 30 clients got no right answer: failed" in checked.sentence) == failed
    assert (found.failure is None) == (not failed)


def test_clients_that_wait_for_each_other_are_no_timer() -> None:
    """With 20 clients at 200/s a call takes 100 ms, which was "probably a sleep or a poll of 100 ms"."""
    done: Any = closed(TokenBucket(200, service_s=0.002), 20, 5.0)
    said = plateau_sentence(LoadRequest("http://127.0.0.1:80/", clients=20), done)
    assert "as 20 clients waited for each other" in said
    assert "sleep" not in said
    asleep: Any = closed(Pool(1_000, 0.1), 20, 5.0)
    assert "a sleep or a poll of 100 ms" in plateau_sentence(LoadRequest("http://127.0.0.1:80/", clients=20), asleep)


@pytest.mark.parametrize(
    ("workers", "service_s", "slow_share", "factor", "clients"),
    [(4, 0.02, 0.0, 1.0, 10), (2, 0.01, 0.0, 1.0, 8), (100, 0.005, 0.08, 9.0, 10), (100, 0.01, 0.2, 20.5, 10)],
)
def test_a_queue_or_a_slow_call_is_no_delayed_acknowledgement(
    workers: int, service_s: float, slow_share: float, factor: float, clients: int
) -> None:
    """Of a pool of 4 and 20 ms with 10 clients, "45 % of the calls took about 40 ms, probably because of Nagle"."""
    done: Any = closed(Pool(workers, service_s, slow_share=slow_share, slow_factor=factor), clients, 10.0)
    asked = LoadRequest("http://127.0.0.1:80/", clients=clients)
    assert "Nagle" not in plateau_sentence(asked, done)
    # With as many pauses within answers it is said, and of a driver that does not look.
    paused = plateau_sentence(asked, cast("Done", {**done, "held_back": done["calls"]}))
    del done["held_back"]
    unseen = plateau_sentence(asked, done)
    assert ("Nagle" in paused, "Nagle" in unseen) == (factor != 20.5, False)
    assert ("why is not known" in unseen) == (workers != 2 and factor != 20.5)


def test_a_pause_that_was_seen_comes_before_clients_that_may_wait_for_each_other() -> None:
    """Of Python's http.server: "81 % of the calls took about 40 ms, as 4 clients waited for each other"."""
    times = np.concatenate([np.full(8, 260_000), np.linspace(43e6, 45e6, 352).astype(np.int64)])
    asked = LoadRequest("http://127.0.0.1:80/", clients=4)
    for held_back, said in ((352, "Nagle"), (0, "waited for each other")):
        done: Any = {"latency": histogram(times), "calls": 360, "held_back": held_back}
        assert said in plateau_sentence(asked, done)
    spread: Any = {"latency": histogram(np.linspace(39e6, 60e6, 360).astype(np.int64)), "held_back": 350}
    assert plateau_sentence(asked, spread).startswith("97 % of the answers came in pieces with a pause")
    assert not plateau_sentence(asked, cast("Done", {**spread, "held_back": 20}))


def test_an_endpoint_that_never_takes_less_needs_no_retransmission() -> None:
    """A fifth of the calls went to a path of 200 ms, and were "probably because of a retransmission"."""
    fast, slow = np.full(800, 5_000_000), np.linspace(200e6, 204e6, 200).astype(np.int64)
    every = np.concatenate([fast, slow])
    endpoints = [
        {"name": name, "calls": len(times), "errors": {}, "in_call_ns": "0", "latency": histogram(times)}
        for name, times in (("GET /fast", fast), ("GET /slow", slow))
    ]
    done: Any = {"latency": histogram(every), "endpoints": endpoints}
    asked = LoadRequest("http://127.0.0.1:80/", clients=10)
    assert plateau_sentence(asked, done) == "20 % of the calls took about 200 ms: GET /slow never took less"
    mixed: Any = {"latency": histogram(every)}
    assert "retransmission" in plateau_sentence(asked, mixed)


@pytest.mark.parametrize("calls", [200, 500, 1_500])
def test_a_rate_of_two_parts_is_told_so(calls: int) -> None:
    """Of a server that was slow for two of eight seconds: "957 calls/s, half of them within 5.42 ms", and no more."""
    done = closed(Warming(Pool(10, 0.005), calls, 10.0), 10, 15.0)
    found = slow_beginning(done["intervals"], done["window_ns"])
    assert found is not None
    assert found.seconds == pytest.approx(calls / 200, abs=0.15)
    assert found.per_s == pytest.approx(200, rel=0.1)
    assert found.then_per_s == pytest.approx(2_000, rel=0.05)


@pytest.mark.parametrize(
    "server",
    [
        Pool(4, 0.02),
        Pool(1, 0.01, exponential=True),
        Pool(1, 0.01, slow_share=0.01, slow_factor=50.0),
        Stalling(Pool(4, 0.01), 5.0, 0.6),
        TokenBucket(100, 400),
        Limited(5, Pool(100, 0.01)),
    ],
)
def test_a_rate_of_one_part_has_no_beginning(server: SimulatedServer) -> None:
    for begin_s in (0.0, 4.4, 4.8):
        done = closed(copy.deepcopy(server), 10, 10.0, begin_s=begin_s)
        assert slow_beginning(done["intervals"], done["window_ns"]) is None
        # A bucket that is used up is slower for good.
        assert isinstance(server, TokenBucket) or slow_end(done["intervals"], done["window_ns"]) is None


def test_a_server_that_stops_answering_is_told_so() -> None:
    """It hung after 0.6 of 5 s: "5.7 % of the calls failed, at 100 calls/s", and no more. Clients rest after errors."""
    tenths = range(1, 51)
    found = slow_end([(tenth * 10**8, min(tenth, 6) * 83, 0) for tenth in tenths], 5 * 10**9)
    assert found is not None
    assert (round(found.seconds, 1), found.per_s, round(found.before_per_s)) == (4.4, 0, 830)
    # One that is away for each second half of a second is no slow end.
    assert (
        slow_end([(tenth * 10**8, 83 * sum(t % 10 < 5 for t in range(tenth)), 0) for tenth in tenths], 5 * 10**9)
        is None
    )


def test_a_server_that_died_fails_the_load_whatever_is_allowed() -> None:
    """It was dead for three of eight seconds, and "errors > 45%" passed: clients rest after each error."""
    done = closed(Pool(4, 0.01), 4, 2.0)
    found = replace(_result(done, 4, expect_errors=True), death="the server died (exit code 3)")
    assert found.failure == "Failed: the server died (exit code 3)."
