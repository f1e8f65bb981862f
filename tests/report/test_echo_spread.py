"""How well a time in echoes is known: simulated forks of known truth, few of them, and many cells.

Each fork of a cell and of an echo has a speed of its own, and each slice a noise of its own. A multiple holds the
cell's and the echo's part of both, so it varies more than the rate. What all multiples of the run say together of how
one varies is lent to each of them.
"""

import math
from dataclasses import replace

import numpy as np

from callbench.analysis.cells.results import Result
from callbench.model.metrics.latency import ECHOES
from callbench.runner.drive.slices import SLICE_SECONDS
from callbench.runner.reference.echoes import ECHO_SECONDS
from callbench.stats.estimate.prior import prior_of_rates
from report.test_choice import result

FORKS, CELLS, ROUNDS, PER_ECHO = 4, 120, 12, 8
# From fork to fork, and from slice to slice of 20 ms: standard deviations of logarithms.
OF_FORKS, OF_SLICES = 0.03, 0.06


def simulated(seed: int, echo_s: float) -> tuple[list[Result], list[float]]:
    """Cells with their multiples by fork, and the true multiples; eight cells share an echo."""
    random = np.random.default_rng(seed)
    of_echo = math.hypot(OF_FORKS, OF_SLICES * math.sqrt(SLICE_SECONDS / echo_s / ROUNDS))
    of_cell = math.hypot(OF_FORKS, OF_SLICES / math.sqrt(ROUNDS))
    truths = list(random.lognormal(1.0, 0.5, CELLS))
    echoes = random.normal(0, of_echo, (CELLS // PER_ECHO, FORKS))
    cells = []
    for place, truth in enumerate(truths):
        own = random.normal(0, of_cell, FORKS)
        multiples = {fork: truth * math.exp(own[fork] - echoes[place // PER_ECHO, fork]) for fork in range(FORKS)}
        rates = tuple(math.exp(5 - value) for value in own)
        cells.append(replace(result(f"a/m{place}", rates), by_fork={ECHOES: multiples}))
    spread = prior_of_rates(one.by_fork[ECHOES] for one in cells)
    return [replace(one, echo_spread=spread) for one in cells], truths


def test_a_multiple_is_within_its_interval_as_often_as_it_says_and_known_twice_as_well() -> None:
    within, shared, alone = [], [], []
    for seed in range(20):
        cells, truths = simulated(seed, ECHO_SECONDS)
        for one, truth in zip(cells, truths, strict=True):
            interval = one.interval(ECHOES)
            own = replace(one, echo_spread=Result.echo_spread).interval(ECHOES)
            assert interval is not None
            assert own is not None
            assert interval.low is not None
            assert interval.high is not None
            within.append(interval.low <= truth <= interval.high)
            shared.append(interval.half_width or 0.0)
            alone.append(own.half_width or 0.0)
    assert 0.93 < np.mean(within) < 0.97
    median, p90 = np.quantile(shared, [0.5, 0.9])
    assert np.quantile(alone, 0.9) > 1.5 * p90
    assert median < 0.06
    assert p90 < 0.12


def test_an_echo_is_driven_as_long_as_a_cell() -> None:
    """Half as long, the echo alone would vary more than the cell."""
    assert ECHO_SECONDS >= SLICE_SECONDS
