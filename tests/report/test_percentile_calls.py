"""Percentiles of simulated calls whose true ones are known: how many calls they need, and how well they are known."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from callbench.stats.estimate.histogram import Buckets
from callbench.stats.estimate.percentile_calls import (
    few_calls,
    fewest_calls,
    percentile_ends,
    percentile_name,
)
from histograms import sparse

Random = np.random.Generator
Times = np.ndarray[tuple[int], np.dtype[np.float64]]
# Milliseconds: how so many are drawn, and the true percentile with a share.
Distribution = tuple[Callable[[Random, int], Times], Callable[[float], float]]
# A call in fifty waits for the slow path, so p99 is the median of the slow ones.
SLOW = 0.02
# The greatest error that the middle of a bucket makes, and a hair.
BUCKET = 0.006


def bimodal(random: Random, count: int) -> Times:
    return np.where(random.random(count) < SLOW, random.uniform(40, 50, count), random.uniform(1, 2, count))


def true_bimodal(share: float) -> float:
    fast = 1 - SLOW
    return 1 + share / fast if share < fast else 40 + 10 * (share - fast) / SLOW


# Standard normal quantiles, as tables have them.
NORMAL = {0.5: 0.0, 0.9: 1.281552, 0.99: 2.326348, 0.999: 3.090232}
KNOWN: Mapping[str, Distribution] = {
    "exponential": (lambda random, count: random.exponential(1.0, count), lambda share: -math.log(1 - share)),
    "bimodal": (bimodal, true_bimodal),
    "lognormal": (lambda random, count: random.lognormal(0.0, 1.0, count), lambda share: math.exp(NORMAL[share])),
}


def histogram(times: Times) -> Buckets:
    return Buckets.of(sparse((times * 1e6).astype(np.int64)))


def test_the_fewest_calls_are_those_that_leave_the_percentile_beyond_all_of_them_once_in_forty() -> None:
    assert [fewest_calls(share) for share in (0.5, 0.9, 0.99, 0.999)] == [6, 36, 368, 3688]
    for share in (0.9, 0.99, 0.999):
        fewest = fewest_calls(share)
        assert share**fewest <= 0.025 < share ** (fewest - 1)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("share", "count"), [(0.5, 6), (0.9, 36), (0.99, 368), (0.99, 2000), (0.999, 3688)])
def test_the_ends_enclose_the_true_percentile_as_often_as_they_say(name: str, share: float, count: int) -> None:
    draw, true_at = KNOWN[name]
    true, within, runs = true_at(share), 0, 300
    for seed in range(runs):
        ends = percentile_ends(histogram(draw(np.random.default_rng(seed), count)), share)
        assert ends is not None
        within += ends[0] * (1 - BUCKET) <= true * 1e6 <= ends[1] * (1 + BUCKET)
    # Ranks are whole, so the coverage is at least what is said; three errors of the count are left to chance.
    assert within / runs > 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


def test_of_fewer_calls_there_are_no_ends() -> None:
    for share in (0.5, 0.9, 0.99, 0.999):
        times = np.random.default_rng(1).exponential(1.0, fewest_calls(share) - 1)
        assert percentile_ends(histogram(times), share) is None


def test_what_is_missing_is_said_in_calls() -> None:
    assert few_calls(0.999, [20]) == "p99.9 needs about 3,688 calls, there are 20"
    assert few_calls(0.99, [90, 12]) == "p99 needs about 368 calls in each fork, they have 12 to 90"
    assert few_calls(0.99, [9, 9]) == "p99 needs about 368 calls in each fork, they have 9"
    assert percentile_name(0.5) == "p50"
