"""Verdicts, each from figures whose cause is known."""

from dataclasses import replace

import pytest

from callbench.stats.load.bottleneck import Evidence, Limit, Side, verdict_of

QUIET = Side(busy=0.3, thread=0.2, waited=0.01, neighbours=0.0)
FULL = Side(busy=0.97, thread=0.5, waited=0.3, neighbours=0.0)
MANY = Evidence(clients=8, in_process=False, client=QUIET, server=QUIET, loop=0.01, steal=0.0)
TABLE = [
    ("one client waits for its answer", replace(MANY, clients=1), Limit.SERIAL),
    ("a function call", replace(MANY, clients=8, in_process=True, client=FULL, server=FULL), Limit.SERIAL),
    ("the server is used up", replace(MANY, server=FULL), Limit.SERVER),
    ("one loop of the server never stops", replace(MANY, server=replace(QUIET, thread=0.99)), Limit.SERVER),
    ("the client's library is used up", replace(MANY, client=FULL), Limit.CLIENT),
    ("the load driver is used up", replace(MANY, client=FULL, driver=True), Limit.GENERATOR),
    ("the load driver has time", replace(MANY, server=FULL, driver=True), Limit.SERVER),
    (
        "its own threads wait, it is full",
        replace(MANY, client=FULL, server=replace(QUIET, busy=0.8)),
        Limit.CLIENT,
    ),
    ("the loop takes the time", replace(MANY, loop=0.2), Limit.GENERATOR),
    ("the loop takes the time of one client", replace(MANY, clients=1, loop=0.2), Limit.GENERATOR),
    ("thinking is not the loop's time", replace(MANY, loop=0.2, paced=True), Limit.UNSATURATED),
    (
        "somebody starves the generator",
        replace(MANY, client=Side(busy=0.4, thread=0.4, waited=0.5, neighbours=0.5)),
        Limit.GENERATOR,
    ),
    (
        "a client far away waits for the network, whatever its neighbours do",
        replace(MANY, clients=1, client=Side(busy=0.02, thread=0.02, waited=0.4, neighbours=0.5)),
        Limit.SERIAL,
    ),
    ("arrivals are missed", replace(MANY, paced=True, lateness=0.2), Limit.GENERATOR),
    (
        "the load driver idles while its last calls are answered",
        replace(MANY, loop=0.3, driver=True, server=FULL),
        Limit.SERVER,
    ),
    ("the load driver's loop takes the time", replace(MANY, loop=0.3, driver=True, client=FULL), Limit.GENERATOR),
    ("what stands behind the server is used up", replace(MANY, backend=FULL), Limit.BACKEND),
    ("the server is used up, and what stands behind it not", replace(MANY, server=FULL, backend=QUIET), Limit.SERVER),
    (
        "server and backend use up together what they share, and wait for each other",
        replace(MANY, server=Side(0.7, 0.7, 0.4, 0.0), backend=Side(0.28, 0.28, 0.6, 0.0)),
        Limit.SERVER,
    ),
    (
        "likewise, and the backend does most",
        replace(MANY, server=Side(0.3, 0.3, 0.6, 0.0), backend=Side(0.65, 0.65, 0.4, 0.0)),
        Limit.BACKEND,
    ),
    (
        "likewise, and a stranger takes some",
        replace(MANY, server=Side(0.5, 0.5, 0.5, 0.2), backend=Side(0.28, 0.28, 0.6, 0.2)),
        Limit.SHARED,
    ),
    (
        "server and backend wait for each other, and something is left over",
        replace(MANY, server=Side(0.4, 0.4, 0.3, 0.0), backend=Side(0.2, 0.2, 0.3, 0.0)),
        Limit.SHARED,
    ),
    (
        "server and backend have machines of their own, so what they use does not add up",
        replace(MANY, server=Side(0.7, 0.7, 0.0, 0.0), backend=Side(0.28, 0.28, 0.0, 0.0), apart=True),
        Limit.UNSATURATED,
    ),
    (
        "nobody in a chain of three is busy",
        replace(MANY, backend=QUIET, server=Side(0.1, 0.1, 0.0, 0.0)),
        Limit.WAITING,
    ),
    ("the link is full", replace(MANY, link=0.95), Limit.LINK),
    (
        "the link is full, and others took the generator's processor",
        replace(MANY, link=0.98, client=Side(0.5, 0.5, 0.6, 0.4)),
        Limit.LINK,
    ),
    ("others took the generator's processor", replace(MANY, client=Side(0.5, 0.5, 0.6, 0.4)), Limit.GENERATOR),
    ("one client fills the link", replace(MANY, clients=1, link=0.98), Limit.SERIAL),
    ("the host takes the processor", replace(MANY, server=FULL, steal=0.1), Limit.SHARED),
    ("both sides on one processor", replace(MANY, together=True, server=replace(FULL, waited=0.4)), Limit.SHARED),
    (
        "a neighbour on the server's processors",
        replace(MANY, server=Side(busy=0.6, thread=0.6, waited=0.3, neighbours=0.3)),
        Limit.SHARED,
    ),
    (
        "neighbours leave nothing, and the waits cannot be seen",
        replace(MANY, server=Side(busy=0.57, neighbours=0.4)),
        Limit.SHARED,
    ),
    (
        "neighbours and both sides together use up the processors that they share",
        replace(MANY, together=True, client=Side(0.3, 0.3, 0.01, 0.35), server=Side(0.3, 0.3, 0.01, 0.35)),
        Limit.SHARED,
    ),
    (
        "a pool is the limit, and neighbours use what both sides leave",
        replace(MANY, client=Side(0.01, 0.01, 0.02, 0.94), server=Side(0.02, 0.02, 0.3, 0.94)),
        Limit.WAITING,
    ),
    (
        "neighbours are there, and leave enough",
        replace(MANY, server=Side(busy=0.57, thread=0.57, waited=0.01, neighbours=0.2)),
        Limit.UNSATURATED,
    ),
    ("nobody is busy", MANY, Limit.WAITING),
    (
        "calls sleep for 40 ms, and a busy machine takes half of a millisecond of each",
        replace(MANY, client=Side(0.01, 0.01, 0.85, 0.97), server=Side(0.01, 0.01, 0.8, 0.97)),
        Limit.WAITING,
    ),
    (
        "likewise, and the host takes some",
        replace(MANY, client=Side(0.01, 0.01, 0.85, 0.97), server=Side(0.01, 0.01, 0.8, 0.97), steal=0.1),
        Limit.WAITING,
    ),
    (
        "a side that would have been busy without its neighbours",
        replace(MANY, server=Side(0.2, 0.2, 0.7, 0.6)),
        Limit.SHARED,
    ),
    ("nobody is busy, as the pace wants it", replace(MANY, paced=True), Limit.UNSATURATED),
    ("somewhat busy", replace(MANY, server=replace(QUIET, busy=0.7)), Limit.UNSATURATED),
    ("nothing is known", replace(MANY, client=Side(), server=Side()), Limit.UNKNOWN),
]


@pytest.mark.parametrize(("case", "evidence", "limit"), TABLE, ids=[case for case, *_ in TABLE])
def test_it_is_judged(case: str, evidence: Evidence, limit: Limit) -> None:  # noqa: ARG001 - the name of the case
    verdict = verdict_of(evidence)
    assert verdict.limit is limit
    assert verdict.why
    assert verdict.at_least is (limit is Limit.GENERATOR)


def test_a_verdict_names_the_figures_it_rests_on() -> None:
    why = verdict_of(replace(MANY, server=FULL)).why
    assert why == "client 30 % busy, server 97 % busy, server waited 42 % of the time for a processor"


def test_neighbours_come_before_the_sides_that_share_processors_with_them() -> None:
    beside = Side(busy=0.4, thread=0.4, waited=0.4, neighbours=0.5)
    why = verdict_of(replace(MANY, together=True, client=beside, server=beside)).why
    assert why.startswith("other programs took 50 % of the server's processors")


def test_what_neighbours_left_is_named_where_it_was_enough() -> None:
    why = verdict_of(replace(MANY, server=Side(busy=0.57, thread=0.57, waited=0.01, neighbours=0.2))).why
    assert why.startswith("nothing was used up except the 20 % of the processors that other programs took")


def test_threads_that_wait_together_are_counted() -> None:
    crowd = replace(MANY, server=Side(busy=0.2, thread=0.1, waited=0.96, neighbours=0.5))
    assert "it had 5 threads waiting at any time" in verdict_of(crowd).why
