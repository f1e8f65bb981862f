"""The universal scalability law against a published fit, and the slope against the hand."""

import math

import pytest

from callbench.stats.load.slope import slope
from callbench.stats.load.usl import Scalability, fitted

# SPEC SDM 91 on a SPARCcenter 2000: clients and scripts an hour; the example of the R package usl, whose fit is below.
CLIENTS = (1, 18, 36, 72, 108, 144, 216)
SCRIPTS = (64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2)


def test_a_published_fit_is_found_again() -> None:
    law = fitted(CLIENTS, SCRIPTS)
    assert law is not None
    assert law.contention == pytest.approx(0.0277285, rel=1e-3)
    assert law.coherency == pytest.approx(0.0001044, rel=1e-3)
    assert law.alone == pytest.approx(89.9952330, rel=1e-3)
    assert law.peak == pytest.approx(96.5, abs=0.1)
    assert law.measured == (1.0, 216.0)
    assert law.rate(96.5) >= max(law.rate(90), law.rate(103))


def test_perfect_scaling_has_no_peak_and_few_steps_have_no_fit() -> None:
    law = fitted((1, 2, 4, 8), (100, 200, 400, 800))
    assert law is not None
    assert law.contention == pytest.approx(0, abs=1e-3)
    assert law.rate(8) == pytest.approx(800, rel=1e-3)
    assert Scalability(1, 0, 0, (1, 2)).peak == math.inf
    assert fitted((1, 2, 4), (1, 2, 3)) is None
    assert fitted((1, 2, 4, 8), (1, 2, 3, 0)) is None


def test_the_slope_is_time_over_clients_from_the_fewest_to_the_most() -> None:
    times = {1: {0: 2.0, 1: 2.2}, 4: {0: 9.0, 1: 9.0}, 10: {0: 20.0, 1: 20.2}}
    found = slope(times)
    assert found is not None
    assert found.middle == pytest.approx(2.0)
    assert found.low == pytest.approx(2.0)
    assert found.high == pytest.approx(2.0)
    falling = slope({1: {0: 3.0, 1: 3.0}, 2: {0: 1.0, 1: 2.0}})
    assert falling is not None
    assert falling.middle == -1.5
    assert falling.low is not None
    assert falling.low < -1.5
    assert slope({1: {0: 1.0}}) is None
    assert slope({1: {0: 1.0}, 2: {1: 1.0}}) is None
