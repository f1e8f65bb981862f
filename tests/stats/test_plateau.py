"""Plateaus: a timer's work is named, and a slow stack that only passes by is not."""

import numpy as np
import pytest

from callbench.stats.estimate.histogram import Buckets
from callbench.stats.steady.plateau import plateaus
from histograms import sparse


def buckets(values_ns: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Buckets:
    return Buckets.of(sparse(values_ns.astype(np.int64)))


RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("at_ns", "about", "probably"),
    [
        (41.5e6, "40 ms", "Nagle's algorithm"),
        (1.12e6, "1.1 ms", "chunks"),
        (100.6e6, "100 ms", "poll"),
        (204e6, "200 ms", "retransmission"),
    ],
)
def test_a_timer_is_named(at_ns: float, about: str, probably: str) -> None:
    values = np.concatenate([RANDOM.lognormal(np.log(9e4), 0.3, 700), RANDOM.normal(at_ns, at_ns / 200, 300)])
    (found,) = plateaus(buckets(values))
    assert found.about == about
    assert probably in found.probably
    assert found.sentence().startswith("30 % of the calls took about")
    assert ("Nagle" in found.sentence(seen=True)) == (about == "40 ms")
    assert "Nagle" not in found.sentence()


def test_who_passes_by_does_not_stand_there() -> None:
    assert not plateaus(buckets(RANDOM.lognormal(np.log(40e6), 1.0, 5000)))
    assert not plateaus(buckets(RANDOM.lognormal(np.log(9e4), 0.3, 5000)))
    assert not plateaus(Buckets.of({}))


def waiting(own_ms: "np.ndarray[tuple[int], np.dtype[np.float64]]", part: float) -> Buckets:
    """Calls that take their own time; a part of them waits for a delayed acknowledgement besides."""
    waits = RANDOM.random(len(own_ms)) < part
    return buckets((own_ms + np.where(waits, RANDOM.uniform(40.0, 42.0, len(own_ms)), 0.0)) * 1e6)


@pytest.mark.parametrize("own_ms", [1.5, 4.0, 9.0, 25.0])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_wait_on_top_of_the_work_is_named_above_the_other_calls(own_ms: float, part: float) -> None:
    found = plateaus(waiting(RANDOM.lognormal(np.log(own_ms), 0.02, 4000), part))
    assert [plateau.about for plateau in found] == ["40 ms"]
    if own_ms > 4:
        assert found[0].above == "the other calls"
        assert " of the calls took about 40 ms more than the other calls, probably because of Nagle" in found[
            0
        ].sentence(seen=True)


def test_where_every_call_waits_the_work_of_the_server_tells() -> None:
    calls = waiting(RANDOM.lognormal(np.log(8.0), 0.05, 4000), 1.0)
    assert not plateaus(calls)
    (found,) = plateaus(calls, 8e6)
    assert found.place == "40 ms more than the server's processors worked for them"
    assert not plateaus(calls, 20e6)


def comb(step_ms: float, most: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Calls of a lock, behind up to so many others."""
    return step_ms * RANDOM.integers(1, most + 1, 4000) * RANDOM.lognormal(0.0, 0.01, 4000)


@pytest.mark.parametrize(
    "values_ms",
    [
        # No waits: one kind of calls, near or far, narrow or broad; queues; a cache before a database.
        *(
            RANDOM.lognormal(np.log(middle), spread, 4000)
            for middle in (4, 12, 30, 50, 60, 90)
            for spread in (0.3, 1.0)
        ),
        *(RANDOM.lognormal(np.log(middle), 0.03, 4000) for middle in (4.0, 12.0, 30.0, 50.0, 60.0, 90.0)),
        RANDOM.exponential(12.0, 4000),
        RANDOM.uniform(1.0, 100.0, 4000),
        *(comb(step, most) for step in (5.0, 12.0, 17.0) for most in (4, 8)),
        *(
            np.where(
                RANDOM.random(4000) < 0.7,
                RANDOM.lognormal(np.log(4), 0.05, 4000),
                RANDOM.lognormal(np.log(second), spread, 4000),
            )
            for second, spread in ((20, 0.3), (48, 0.3), (45, 0.5), (60, 0.05), (80, 0.1), (30, 0.05))
        ),
    ],
)
def test_what_has_no_such_wait_is_not_named(values_ms: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    for own_ms in (0.0, 4.0, 12.0):
        assert not [
            found for found in plateaus(buckets(values_ms * 1e6), own_ms * 1e6) if found.about in {"40 ms", "200 ms"}
        ]
