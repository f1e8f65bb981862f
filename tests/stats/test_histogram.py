"""Histograms against exact percentiles, and bucket bounds against the contract's formula."""

import math

from hypothesis import given
from hypothesis import strategies as st

from callbench.stats.estimate.histogram import TOP, Buckets, bounds_of, index_of, merged
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


@given(st.lists(st.lists(TIMES, max_size=40), min_size=5, max_size=5), st.floats(0, 1))
def test_percentiles_of_five_generators_are_those_of_one_histogram_of_all_calls(
    generators: list[list[int]], share: float
) -> None:
    """Counts are added; a percentile is computed once, after that."""
    every = [value for generator in generators for value in generator]
    if every:
        one = Buckets.of(merged({index_of(value): 1} for value in every))
        five = Buckets.of(merged(merged({index_of(value): 1} for value in generator) for generator in generators))
        assert five.percentiles([share]) == one.percentiles([share])
        assert int(five.counts.sum()) == len(every)


def test_a_mean_of_percentiles_is_another_value() -> None:
    """Four quick generators and one slow one: a fifth of the calls is slow, which no mean of percentiles says."""
    generators = [[1_000] * 100] * 4 + [[1_000_000] * 100]
    parts = [merged({index_of(value): 1} for value in generator) for generator in generators]
    p85 = Buckets.of(merged(parts)).percentiles([0.85])[0]
    mean = sum(Buckets.of(part).percentiles([0.85])[0] for part in parts) / len(parts)
    assert index_of(round(p85)) == index_of(1_000_000)
    assert mean < 0.25 * p85
