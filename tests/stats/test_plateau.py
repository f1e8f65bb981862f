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


def test_who_passes_by_does_not_stand_there() -> None:
    assert not plateaus(buckets(RANDOM.lognormal(np.log(40e6), 1.0, 5000)))
    assert not plateaus(buckets(RANDOM.lognormal(np.log(9e4), 0.3, 5000)))
    assert not plateaus(Buckets.of({}))
