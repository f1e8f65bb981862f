"""The search for a knee, on servers whose knee is known."""

import math
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callbench.analysis.load.thresholds import parse as threshold
from callbench.model.objective import parse
from callbench.stats.estimate.histogram import index_of
from callbench.stats.load.arrivals import due_ns, poisson
from callbench.stats.load.knee import MOST_STEPS, Knee, KneeOutcome, LevelTrial, SearchRange, knee, next_level
from callbench.stats.load.rate import Drive
from lindley import latencies


def searched(truth: float, start: float, span: SearchRange) -> list[LevelTrial]:
    """Search where every level up to the truth meets the objective."""
    steps: list[LevelTrial] = []
    while (level := next_level(steps, start, span)) is not None:
        assert len(steps) < MOST_STEPS
        steps.append(LevelTrial(level, level <= truth))
    return steps


@given(st.floats(1, 1e6), st.floats(0.01, 1e7))
def test_the_knee_is_found_to_the_precision_requested(truth: float, start: float) -> None:
    span = SearchRange(0.1, 1e7)
    found = knee(searched(truth, start, span), span)
    assert found is not None
    assert found.end is KneeOutcome.WITHIN
    assert truth / (1 + span.precision) * (1 - 1e-3) <= found.level <= truth


@given(st.integers(1, 999))
def test_a_number_of_clients_is_found_to_the_client(truth: int) -> None:
    span = SearchRange(1, 1000, precision=0, whole=True)
    found = knee(searched(truth, 1, span), span)
    assert found == Knee(truth, KneeOutcome.WITHIN)


def test_a_search_ends_at_the_ends_of_its_span() -> None:
    span = SearchRange(10, 1000)
    assert knee(searched(1e9, 100, span), span) == Knee(1000, KneeOutcome.AT_LEAST)
    assert knee(searched(1, 100, span), span) == Knee(10, KneeOutcome.BELOW)
    assert knee([], span) is None
    # What met above a level that failed was chance.
    assert knee([LevelTrial(100, True), LevelTrial(120, False), LevelTrial(200, True)], span) == Knee(
        100, KneeOutcome.WITHIN
    )


def test_a_search_continues_where_it_was_interrupted() -> None:
    span = SearchRange(0.1, 1e7)
    whole = searched(777, 10, span)
    for made in range(len(whole)):
        assert next_level(whole[:made], 10, span) == whole[made].level


def done(values: list[int], errors: int = 0) -> Drive:
    buckets: dict[int, int] = {}
    for value in values:
        buckets[index_of(value)] = buckets.get(index_of(value), 0) + 1
    ends = {"min_ns": min(values, default=0), "max_ns": max(values, default=0)}
    latency = {"count": len(values), "sum_ns": str(sum(values)), "buckets": sorted(buckets.items()), **ends}
    told = {"latency": latency if values else None, "errors": {"timeout": errors} if errors else {}}
    return cast("Drive", told)


def test_the_knee_of_a_queue_is_where_theory_has_it() -> None:
    """M/M/1: time in it is exponential with rate mu - lambda, its p99 ln 100 / (mu - lambda) (Kleinrock, 1975)."""
    served, limit_s = 10_000, 0.005
    exact = served - math.log(100) / limit_s
    objective = parse("p99 under 5 ms")
    count = 50_000
    services = np.random.default_rng(3).exponential(1e9 / served, count).astype(np.int64)
    span, steps = SearchRange(1, 1e6, precision=0.02), list[LevelTrial]()
    while (level := next_level(steps, 500, span)) is not None:
        told = latencies(due_ns(poisson(level, count, len(steps)), count), services)
        steps.append(LevelTrial(level, objective.value_us(done(told.tolist())) <= objective.limit_us))
    found = knee(steps, span)
    assert found is not None
    assert found.level == pytest.approx(exact, rel=0.06)
    assert len(steps) < 15


def test_an_objective_is_read_and_held() -> None:
    objective = parse("p99  under 5 ms")
    assert (objective.share, objective.limit_us) == (0.99, 5000)
    for unit, factor in (("us", 1), ("µs", 1), ("ms", 1e3), ("s", 1e6)):
        for text in (
            f"p99 < 5{unit}",
            f"p99<5 {unit}",
            f"p99 <= 5{unit}",
            f"p99  under 5{unit}",
            f"p99 under 5 {unit}",
        ):
            assert (parse(text).share, parse(text).limit_us) == (0.99, 5 * factor), text
            assert threshold(text.replace("under", ">")).limit == 5 * factor
    assert parse("p99.9 < .5s").limit_us == 500_000
    assert parse("mean under 250us").limit_us == parse("max under 250 µs").limit_us == 250
    calls = [1000] * 99 + [9000]
    assert objective.value_us(done(calls)) == pytest.approx(1, rel=0.01)
    # A call that failed lies beyond all others: with it, rank 100 of 101 is the slow one.
    assert objective.value_us(done(calls, 1)) == pytest.approx(9, rel=0.01)
    assert objective.value_us(done(calls, 3)) == math.inf
    assert objective.value_us(done([])) == math.inf
    assert parse("mean under 1 s").value_us(done([1000, 3000])) == 2
    assert parse("mean under 1 s").value_us(done([1000], 1)) == math.inf


@pytest.mark.parametrize(
    "text", ["", "p99", "p99 below 5 ms", "p99 under 5", "p101 under 5 ms", "p0 under 5 ms", "p99 under 0 ms"]
)
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^is "):
        parse(text)
