"""How many rounds a fork is worth: simulated runs of a given time, and the precision that each number gives."""

import numpy as np
import pytest

from callbench.runner.warm.worthwhile_rounds import MOST_ROUNDS, worthwhile_rounds

# Of a slice's logarithm and of a fork's: nine times the variance, as measured.
SLICE_SPREAD, FORK_SPREAD = 0.06, 0.02


def error(rounds: int, warm_up_s: float, round_s: float, run_s: float = 3600.0) -> float:
    """Return the standard error of the mean over as many forks as a run has time for, simulated many times over."""
    dice = np.random.default_rng(rounds)
    forks = int(run_s / (warm_up_s + rounds * round_s))
    slices = dice.normal(0, SLICE_SPREAD, (2000, forks, rounds)).mean(axis=2)
    return float((slices + dice.normal(0, FORK_SPREAD, (2000, forks))).mean(axis=1).std())


@pytest.mark.parametrize(("warm_up_s", "round_s"), [(110.0, 1.75), (40.0, 4.0), (300.0, 3.0)])
def test_no_other_number_of_rounds_gives_a_clearly_narrower_interval(warm_up_s: float, round_s: float) -> None:
    chosen = worthwhile_rounds(3, warm_up_s, round_s)
    others = [error(rounds, warm_up_s, round_s) for rounds in (3, 5, 8, 12, 18, 27, 40, 60)]
    assert error(chosen, warm_up_s, round_s) < 1.05 * min(others)


def test_few_rounds_behind_a_long_warm_up_waste_it() -> None:
    """What quick runs of languages did: four rounds of 1.75 s behind 110 s of warm-up."""
    assert error(worthwhile_rounds(4, 110.0, 1.75), 110.0, 1.75) < 0.75 * error(4, 110.0, 1.75)


def test_without_a_warm_up_it_stays_at_what_is_planned() -> None:
    assert worthwhile_rounds(3, 0.0, 5.0) == 3
    assert worthwhile_rounds(10, 1.0, 50.0) == 10
    assert worthwhile_rounds(3, 1e6, 1.0) == MOST_ROUNDS
