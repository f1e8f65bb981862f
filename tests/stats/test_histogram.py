"""Histograms against exact percentiles, and bucket bounds against the contract's formula."""

import math

from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.histogram import TOP, Buckets, bounds_of, index_of, merged
from histograms import histogram, sparse

TIMES = st.integers(min_value=1, max_value=TOP)


@given(TIMES)
def test_a_value_lies_in_its_bucket(value: int) -> None:
    low, width = bounds_of(index_of(value))
    assert low <= value < low + width
    assert width <= max(1, low / 128)


@given(st.lists(st.integers(min_value=0, max_value=2 * TOP), max_size=50))
def test_many_at_once_are_counted_as_one_by_one(values: list[int]) -> None:
    """What the tests make their histograms with."""
    assert sparse(values) == merged({index_of(value): 1} for value in values)
    made = histogram(values)
    assert made is None or (made["count"], made["sum_ns"]) == (len(values), str(sum(values)))


def test_at_every_edge_of_a_bucket_many_at_once_are_counted_as_one_by_one() -> None:
    edges = [edge for index in range(index_of(TOP) + 1) for edge in (bounds_of(index)[0], sum(bounds_of(index)) - 1)]
    assert sparse(edges) == merged({index_of(value): 1} for value in edges)


def test_bounds_by_hand() -> None:
    assert [index_of(value) for value in (0, 127, 128, 255, 256, 258, 511, 512)] == [
        0,
        127,
        128,
        255,
        256,
        257,
        383,
        384,
    ]
    assert bounds_of(256) == (256, 2)
    assert bounds_of(384) == (512, 4)


@given(st.lists(TIMES, min_size=1, max_size=200), st.sampled_from([0.0, 0.5, 0.9, 0.99, 0.999, 1.0]))
def test_percentiles_are_exact_to_a_bucket(values: list[int], share: float) -> None:
    histogram = merged({index_of(value): 1} for value in values)
    found = Buckets.of(histogram).percentiles([share], min(values), max(values))[0]
    exact = sorted(values)[max(1, math.ceil(share * len(values) - 1e-9)) - 1]
    assert abs(found - exact) <= max(0.5, exact / 256)


@given(st.lists(st.lists(TIMES, min_size=1, max_size=50), min_size=1, max_size=5))
def test_merging_is_counting_all(parts: list[list[int]]) -> None:
    together = merged({index_of(value): 1} for part in parts for value in part)
    apart = merged(merged({index_of(value): 1} for value in part) for part in parts)
    assert together == apart
    assert sum(together.values()) == sum(map(len, parts))
