"""An advice goes beyond its run: its comparisons have in them what other runs of the machine differ by, no more."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from callbench.analysis.advice.between_runs import ALONE, BetweenRuns
from callbench.analysis.advice.choice import AdviceVerdict, Choice, choose
from callbench.stats.estimate.run_spread import Component, RunSpread

if TYPE_CHECKING:
    from callbench.stats.estimate.contrast import ByBlock

RUNS, FORKS = 400, 8
OF_RUN, OF_FORK = 0.08, 0.03
PART = Component(added=OF_RUN**2, between=OF_RUN**2 + OF_FORK**2 / FORKS, freedom=20.0)
KNOWN = BetweenRuns(RunSpread({"far": PART}, PART, 5), {"a": "far", "b": "far"}, {"a": 1.0, "b": 1.0})


def _choice(ratio: float, seed: int, between: BetweenRuns, share: float = 1.0, today: str = "") -> Choice:
    """Choose between two stacks in one run, whose values differ from run to run by 8 % each, and so much truly.

    Args:
        ratio: the true one of b to a.
        seed: of the run.
        between: what is known of other runs.
        share: the part of the values that the machine makes. The rest is the same in each run.
        today: what runs today.
    """
    random = np.random.default_rng(seed)
    found: dict[str, ByBlock] = {}
    for name, value in (("a", 1.0), ("b", ratio)):
        hour = np.exp(random.normal(0, OF_RUN))
        forks = np.exp(random.normal(0, OF_FORK, FORKS))
        found[name] = {fork: value * (1 - share + share * float(hour * forks[fork])) for fork in range(FORKS)}
    return choose(found, today, 0.05, 0.02, between=between)


def test_equal_stacks_are_not_told_apart_by_the_hour_of_a_run() -> None:
    named = sum(_choice(1.0, seed, KNOWN).verdict is AdviceVerdict.CHOOSE for seed in range(RUNS))
    assert named <= 0.05 * RUNS


def test_without_what_other_runs_say_they_are() -> None:
    """So that the part from run to run is what keeps them together, and nothing else."""
    assert sum(_choice(1.0, seed, ALONE).verdict is AdviceVerdict.CHOOSE for seed in range(RUNS)) > 0.3 * RUNS


def test_a_move_is_not_advised_by_the_hour_of_a_run() -> None:
    assert sum(_choice(1.0, seed, KNOWN, today="b").leave for seed in range(RUNS)) <= 0.05 * RUNS
    assert all(_choice(1.8, seed, KNOWN, today="b").leave for seed in range(50))


@pytest.mark.parametrize("seed", range(50))
def test_a_plain_lead_is_named_all_the_same(seed: int) -> None:
    found = _choice(1.8, seed, KNOWN)
    assert (found.verdict, found.best) == (AdviceVerdict.CHOOSE, "a")


def test_what_a_link_adds_does_not_differ_from_run_to_run() -> None:
    """Where a tenth of a call's time is the machine's, a lead of 15 % is plain in each run."""
    slow = BetweenRuns(KNOWN.spread, KNOWN.kinds, {"a": 0.1, "b": 0.1})
    found = [_choice(1.15, seed, slow, share=0.1).verdict for seed in range(50)]
    assert all(verdict is AdviceVerdict.CHOOSE for verdict in found)
    wide = [_choice(1.15, seed, KNOWN, share=0.1).verdict for seed in range(50)]
    assert sum(verdict is AdviceVerdict.CHOOSE for verdict in wide) < 25
