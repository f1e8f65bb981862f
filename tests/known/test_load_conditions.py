"""Conditions of a load (`--fail-if`) on simulated servers: what is well inside passes, what is well outside fails."""

import math
import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from callbench.analysis.load.threshold_values import evaluate
from callbench.analysis.load.thresholds import ThresholdResult, parse
from callbench.stats.load.rate import window_of
from known.driving import closed, opened, poisson
from known.servers import Failing, Pool

SEEDS = range(10)
# 8 clients of a pool of 4 with 10 ms a call: 400 calls/s, and each call takes 20 ms; 2 % fail. What is true of it, and
# what is not.
INSIDE = ("rate < 360/s", "rate > 440/s", "p50 > 22 ms", "p50 < 18 ms", "p99 > 25 ms", "p99 < 15 ms", "errors > 4%")
OUTSIDE = ("rate < 440/s", "rate > 360/s", "p50 > 18 ms", "p50 < 22 ms", "p99 > 15 ms", "p99 < 25 ms", "errors > 0.5%")


def conditions(texts: tuple[str, ...], seed: int, share: float = 0.02) -> tuple[ThresholdResult, ...]:
    """Judge a load of 10 s as the command does."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    done: Any = closed(Failing(Pool(4, 0.01), share, dice), 8, 10.0)
    return evaluate([parse(text) for text in texts], cast("Any", done), window_of(done).per_s)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_well_inside_passes_and_what_is_well_outside_fails(seed: int) -> None:
    for each in conditions(INSIDE, seed):
        assert (each.failed, each.undecided) == (False, ""), each.sentence
    for each in conditions(OUTSIDE, seed):
        assert (each.failed, each.undecided) == (True, ""), each.sentence


def test_no_error_is_not_above_none_and_not_below_it() -> None:
    above, at_least = conditions(("errors > 0%", "errors >= 0%"), 1, share=0.0)
    assert (above.failed, at_least.failed) == (False, True)


def _queue(dice: random.Random) -> Any:
    return closed(Pool(4, 0.01, exponential=True, dice=dice), 8, 10.0)


def _failing(dice: random.Random) -> Any:
    return closed(Failing(Pool(4, 0.01), 0.02, dice), 8, 10.0)


def _paced(dice: random.Random) -> Any:
    # More workers than ever wait: each call takes its own time.
    return opened(Pool(60, 0.01, exponential=True, dice=dice), poisson(400, 10.0, dice), 200, 10.0)


# Of 8 clients at 4 workers that take 10 ms on average, 400 calls/s end and each takes 20 ms (Little's law).
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (_queue, "rate < 400/s"),
        (_queue, "rate >= 400/s"),
        (_queue, "mean > 20 ms"),
        (_failing, "errors > 2%"),
        (_failing, "errors <= 2%"),
        (_paced, "mean > 10 ms"),
        (_paced, f"p50 > {10 * math.log(2):.6f} ms"),
        (_paced, f"p99 > {10 * math.log(100):.6f} ms"),
        (_paced, f"p99 <= {10 * math.log(100):.6f} ms"),
    ],
)
def test_what_is_true_at_the_limit_itself_is_undecided(make: Callable[[random.Random], Any], text: str) -> None:
    outcomes = []
    for seed in range(100):
        done = make(random.Random(seed))  # noqa: S311 - to be repeated
        [one] = evaluate([parse(text)], done, window_of(done).per_s)
        outcomes.append(bool(one.undecided))
    assert sum(outcomes) >= 95
