"""What a server ran out of first, from what was seen around the knee."""

from dataclasses import replace

import pytest

from callbench.stats.load.bottleneck import Evidence, Side
from callbench.stats.load.saturation import LoadObservation, Resource, saturated

IDLE = Evidence(clients=8, in_process=False, client=Side(0.05, 0.05), server=Side(0.03, 0.03), driver=True)


def queue(at_once: float, ms: float, evidence: Evidence = IDLE, **members: object) -> list[LoadObservation]:
    """A server that works on a number of calls at once, each for some milliseconds, under 1 to 64 clients."""
    seen = []
    for clients in (1, 2, 4, 8, 16, 32, 64):
        rate = min(clients, at_once) / ms * 1e3
        mean_us = clients / rate * 1e6
        seen.append(LoadObservation(clients, clients <= 16, rate, mean_us, evidence, 4, round(rate), {}))
    return [replace(one, **members) for one in seen]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at_once", "resource"), [(1, Resource.LOCK), (1.2, Resource.LOCK), (4, Resource.POOL), (12, Resource.POOL)]
)
def test_a_queue_before_idle_processors_says_how_many_are_served_at_once(at_once: float, resource: Resource) -> None:
    found = saturated(queue(at_once, 10), 16)
    assert found.resource is resource
    assert found.at_once == pytest.approx(at_once)
    assert not found.invalid


@pytest.mark.parametrize(
    ("evidence", "processors", "resource"),
    [
        (replace(IDLE, server=Side(0.97, 0.97)), 1, Resource.PROCESSOR),
        (replace(IDLE, server=Side(0.95, 0.4)), 4, Resource.PROCESSOR),
        (replace(IDLE, server=Side(0.26, 0.98)), 4, Resource.LOCK),
        # Many threads that take turns at one lock, as Python's do.
        (replace(IDLE, server=Side(0.25, 0.05)), 4, Resource.LOCK),
        (replace(IDLE, link=0.97), 4, Resource.LINK),
        (replace(IDLE, client=Side(0.97, 0.97)), 4, Resource.DRIVER),
        (replace(IDLE, lateness=0.3), 4, Resource.DRIVER),
        # It was said of these that the driver was used up, though it was 1 % busy.
        (replace(IDLE, lateness=0.07, client=Side(0.01, 0.01, neighbours=0.96)), 4, Resource.OTHERS),
        (replace(IDLE, client=Side(0.3, 0.3, waited=0.8, neighbours=0.6)), 4, Resource.OTHERS),
        (replace(IDLE, lateness=0.3, client=Side(0.97, 0.97, neighbours=0.2)), 4, Resource.DRIVER),
        (replace(IDLE, lacked="host g1 was starved: its processors were 98 % busy"), 4, Resource.OTHERS),
        (
            replace(IDLE, lacked="host g1 was starved: its driver was 97 % busy", client=Side(0.97, 0.97)),
            4,
            Resource.DRIVER,
        ),
        (replace(IDLE, server=Side(0.4, 0.4, waited=0.5, neighbours=0.6)), 1, Resource.OTHERS),
    ],
)
def test_what_is_used_up_is_named(evidence: Evidence, processors: int, resource: Resource) -> None:
    found = saturated(queue(4, 10, evidence, processors=processors), 16)
    assert found.resource is resource
    assert found.invalid == (resource in (Resource.DRIVER, Resource.OTHERS))


def test_calls_alone_say_how_many_are_served_at_once_where_some_wait_at_the_lowest_load() -> None:
    """Of a lock of 6 ms, with one call of a hundred of 200 ms: "4 calls at a time get through"."""
    rates = [(37.6, 36.9, 24_500.0), (75.3, 75.0, 41_400.0), (150.6, 127.0, 128_300.0), (213.0, 167.0, 481_000.0)]
    every = [LoadObservation(rate, rate < 160, per_s, us, IDLE, 1, 100, {}) for rate, per_s, us in rates]
    assert saturated(every, 150.6).resource is Resource.POOL
    found = saturated(every, 150.6, 5_960.0)
    assert (found.resource, round(found.at_once or 0)) == (Resource.LOCK, 1)


@pytest.mark.parametrize("at_once", [1, 5.2])
def test_a_limit_of_the_rate_is_named_beside_a_pool_or_a_lock(at_once: float) -> None:
    """50 ms a call, any number at once and never more than 104/s was called a pool of 5.2 workers."""
    found = saturated(queue(at_once, 50), 16)
    assert "a limit of the rate, about" in found.why
    assert f"{at_once / 0.05:.0f}" in found.why


def test_calls_that_do_not_wait_for_each_other_use_nothing_up() -> None:
    assert saturated(queue(1_000, 10), 16).resource is Resource.NOTHING


def test_where_others_took_most_of_the_processors_a_slow_call_is_not_the_servers() -> None:
    """A pool of 8 that holds 8 clients "does not hold 4", beside others that took 92 % of its processors."""
    taken = replace(IDLE, server=Side(0.04, 0.04, neighbours=0.92))
    found = saturated(queue(1_000, 10, taken), 16)
    assert found.invalid
    assert found.why.startswith("other programs took 92 % of the server's processors, and calls hardly waited")
    assert not saturated(queue(1_000, 10, replace(taken, server=Side(0.04, 0.04, neighbours=0.3))), 16).invalid
    # What waits in a queue does so beside them too, but no processor was idle.
    pool = saturated(queue(4, 10, taken), 16)
    assert pool.resource is Resource.POOL
    assert pool.why.startswith("the server used 4 % of its processors, and other programs 92 %, while calls waited")


def test_a_server_that_is_not_seen_leaves_it_undecided() -> None:
    unseen = replace(IDLE, server=Side())
    found = saturated(queue(4, 10, unseen), 16)
    assert found.resource is Resource.UNDECIDED
    assert "--pid" in found.why


def test_a_server_that_is_half_busy_leaves_it_undecided() -> None:
    assert saturated(queue(4, 10, replace(IDLE, server=Side(0.7, 0.5))), 16).resource is Resource.UNDECIDED


def test_a_link_that_is_half_used_may_be_what_calls_wait_for() -> None:
    """12 Mbit/s with jitter, of which answers used 84 %, was called "so many workers or connections"."""
    found = saturated(queue(7.6, 99, replace(IDLE, link=0.84)), 16)
    assert found.resource is Resource.UNDECIDED
    assert "84 % of the link's rate" in found.why
    assert saturated(queue(7.6, 99, replace(IDLE, link=0.1)), 16).resource is Resource.POOL


def test_connections_that_are_refused_are_a_pool_that_is_full() -> None:
    every = [one if one.level <= 16 else replace(one, errors={"refused": 50}, calls=100) for one in queue(16, 10)]
    found = saturated(every, 16)
    assert found.resource is Resource.POOL
    assert "33 %" in found.why


@pytest.mark.parametrize(
    ("errors", "resource"),
    [({"timeout": 1}, Resource.POOL), ({"status": 3}, Resource.UNDECIDED), ({}, Resource.NOTHING)],
)
def test_few_calls_that_fail_instead_of_waiting_are_not_nothing(errors: dict[str, int], resource: Resource) -> None:
    # 16 connections are served, each in 10 ms. One client more waits for ever, and calls once in its time limit.
    every = [replace(one, errors={} if one.met else errors) for one in queue(64, 10)]
    found = saturated(every, 16)
    assert found.resource is resource
    assert all(kind in found.why for kind in errors)


def test_loads_that_could_not_be_driven_count_as_refused() -> None:
    every = [
        one if one.level <= 16 else LoadObservation(one.level, False, 0.0, None, None, None, 0, {"timeout": 1})
        for one in queue(4, 10)
    ]
    assert saturated(every, 16).resource is Resource.POOL


def test_without_any_load_beyond_it_nothing_is_known() -> None:
    assert saturated([LoadObservation(1, False, 0.0, None, None, None, 0, {})], 0.0).resource is Resource.UNDECIDED
