"""Steady state: tested on each trial from its rates over time, not assumed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from callbench.stats.estimate import student

# A shift is reported if chance explains it in one trial of a hundred, and if it moves the rate by enough to matter.
LEVEL = 0.01
MATTERS = 0.05
# A segment needs two rates for its spread, and a test needs some more than that.
_SHORTEST = 2
FEWEST = 6


@dataclass(frozen=True)
class LevelShift:
    """Where a series most probably changed its level.

    Attributes:
        at: how many values come before the change.
        ratio: the geometric mean after it over that before.
        probability: of a change at least as clear anywhere, were there none.
    """

    at: int
    ratio: float
    probability: float

    @property
    def real(self) -> bool:
        """Whether it is too clear for chance and too large to pass over."""
        return self.probability < LEVEL and abs(np.log(self.ratio)) > np.log1p(MATTERS)


def shift(rates: Sequence[float]) -> LevelShift | None:
    """Find the change of level in a series of rates: if it is, how large, and how likely by chance.

    The likelihood ratio test for one shift in the mean of normal values: Student's two-sample t with pooled variance at
    every place that parts the series, the greatest of them taken (Hinkley, "Inference about the change-point in a
    sequence of random variables", Biometrika 57, 1970; Worsley, "On the likelihood ratio test for a shift in location
    of normal populations", JASA 74, 1979). The probability is Bonferroni's bound over the places that Worsley
    compares, which is near the exact one for short series and above it always. Taken on logarithms, where a warm-up
    that doubles the rate and a throttling that halves it weigh the same. A slope shows as a shift in its middle.

    Args:
        rates: positive, one a piece of equal length, in the order of time.

    Returns:
        None if there are too few to tell (fewer than 6).
    """
    if len(rates) < FEWEST or min(rates) <= 0:
        return None
    logs = np.log(np.asarray(rates, dtype=float))
    places = np.arange(_SHORTEST, len(logs) - _SHORTEST + 1)
    scores = _scores(logs, places)
    best, statistic = int(places[np.argmax(scores)]), float(scores.max())
    single = 2 * student.above(statistic, len(logs) - 2) if np.isfinite(statistic) else 0.0
    ratio = float(np.exp(logs[best:].mean() - logs[:best].mean()))
    return LevelShift(best, ratio, min(1.0, single * len(places)))


def _scores(
    logs: "np.ndarray[tuple[int], np.dtype[np.float64]]", places: "np.ndarray[tuple[int], np.dtype[np.int_]]"
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Student's two-sample t, without its sign, of the values before and behind each place.

    The squares within both parts are those of the whole less those between the parts.
    """
    number = len(logs)
    centred = logs - logs.mean()
    sums = np.cumsum(centred)[places - 1]
    # The centred sum behind a place is the one before it, with the other sign.
    apart = np.abs(sums) * (1 / places + 1 / (number - places))
    left = np.maximum(0.0, float(centred @ centred) - np.abs(sums) * apart)
    exact = left <= max(1e-18 * number, 1e-12 * float(centred @ centred))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = apart / np.sqrt(left / (number - 2) * (1 / places + 1 / (number - places)))
    return np.where(exact, np.where(apart > 1e-9, np.inf, 0.0), scores)


def rates_of(intervals: Sequence[tuple[int, int]]) -> list[float]:
    """Turn counts since the start into a rate an interval, calls a second.

    Args:
        intervals: nanoseconds since the start and calls since the start, rising. An interval shorter than half of the
            longest, as the last may be, is left out: its rate says little.
    """
    points = [(0, 0), *intervals]
    steps = [(later[0] - earlier[0], later[1] - earlier[1]) for earlier, later in pairwise(points)]
    longest = max((length for length, _ in steps), default=0)
    return [calls / (length / 1e9) for length, calls in steps if length > 0 and length >= longest / 2]


def settled(rates: Sequence[float], pieces: int = 2, rise: float = 0.05) -> bool:
    """Return whether a warm-up has stopped getting faster.

    The mean of the last `pieces` rates must not be above that of as many before them by more than `rise`. With a
    machine that jumps about, that is met soon; by a just-in-time compiler at work, only when it is through. A rate
    that falls does not prolong a warm-up: waiting brings nothing back.

    Args:
        rates: one a piece of equal length, in the order of time.
        pieces: how many are compared with as many.
        rise: the share by which the later may be faster.
    """
    if len(rates) < 2 * pieces:
        return False
    last, before = rates[-pieces:], rates[-2 * pieces : -pieces]
    return sum(last) <= sum(before) * (1 + rise)
