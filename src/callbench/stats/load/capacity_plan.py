"""Which load to try next in a search for a capacity, and what the trials say: the knee, crossed again and again.

First a coarse search brackets the knee. The level that ends it must fail twice, since a disturbance of the machine
makes calls slower and never faster. Then each crossing is a search of its own, from another place within the bracket,
which none of the others knows of. So the crossings are independent estimates, and their spread is what a repetition
would show. Where a level is needed, loads of that level stand between those of the crossings (`need`). This is
repeated bisection rather than one long staircase, whose steps depend on each other (Levitt, "Transformed up-down
methods in psychoacoustics", JASA 49, 1971, averages reversals of one run).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median, median_low

from callbench.stats.decide.decision import Outcome
from callbench.stats.estimate import median_interval
from callbench.stats.load import need as needed_level
from callbench.stats.load.knee import Knee, KneeOutcome, LevelTrial, SearchRange, knee, next_level

COARSE = 0
NEEDED = -2
_COARSE_PRECISION = 0.25
_NEAR_FACTOR = 1.1
MOST_CROSSINGS = 15
# The half-width of the interval at which more crossings say nothing more.
GOAL = 0.05
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Trial:
    """One load that was tried.

    Attributes:
        phase: 0 in the coarse search, -2 of a level that is needed, else the number of the crossing.
        level: clients, or calls a second.
        met: whether the objective was met.
    """

    phase: int
    level: float
    met: bool


@dataclass(frozen=True)
class NextLoad:
    """What to try next."""

    phase: int
    level: float


@dataclass(frozen=True)
class FinishedCrossing:
    """A crossing that is over: the highest level that met, and the lowest that did not; infinite where all met."""

    met: float
    failed: float


@dataclass(frozen=True)
class Capacity:
    """What a search has found.

    Attributes:
        level: the median over the crossings; where there is none, of the coarse search. Where the upper end is not
            known, the lower end, which is all that was shown.
        low: lower end of the 95 % interval; None where too few crossings were made. 0: the lowest level may not be met.
        high: upper end likewise, a level that may still be met; None too where the highest level of all may be met.
        end: `found`; `at least`: the highest level of all ended the search; `below`: the lowest was not met. Both are
            shown only if there is an interval.
        crossings: how many estimates it is made of.
        shown: the level that the loads met, where `level` allows for their start; None: the same.
    """

    level: float
    low: float | None
    high: float | None
    end: KneeOutcome
    crossings: int
    shown: float | None = None


def next_place(
    trials: Sequence[Trial], start: float, span: SearchRange, need: float | None = None, held_from: float | None = None
) -> NextLoad | None:
    """Give what to try next, or None where the capacity is known well enough.

    Args:
        trials: those made so far: a search that was cut off goes on where it was.
        start: where to begin where none was made.
        span: where to look; its precision is that of each crossing.
        need: the level that must be held; None: there is none.
        held_from: the least level whose loads can show that (`need.shown`); None: the needed one.
    """
    coarse, once = _decided([trial for trial in trials if trial.phase == COARSE])
    level = next_level(coarse, start, replace(span, precision=_COARSE_PRECISION))
    if level is not None:
        return NextLoad(COARSE, level)
    lowest = min((trial.level for trial in coarse if not trial.met), default=None)
    if lowest in once:
        return NextLoad(COARSE, lowest)
    bracket = _bracket(knee(coarse, span), lowest, span)
    if bracket is None:
        return None
    asked = None if need is None else needed_level.asked_level(need, held_from or need, lowest, span)
    if asked is not None and _needs_more(trials, asked):
        return NextLoad(NEEDED, asked)
    return _next_of_crossings(trials, bracket, span)


def _needs_more(trials: Sequence[Trial], asked: float) -> bool:
    """Return whether a load of a needed level is next: two for each load of a crossing, so that they are spread out."""
    needed, crossed = (sum(trial.phase == NEEDED for trial in trials), sum(trial.phase > COARSE for trial in trials))
    return needed_level.is_open(_met_at(trials, asked)) and needed < 2 * (crossed + 1)


def _met_at(trials: Sequence[Trial], level: float) -> list[bool]:
    """Whether each load of a level met the objective, whatever it was made for."""
    return [trial.met for trial in trials if trial.level == level]


def _next_of_crossings(trials: Sequence[Trial], bracket: tuple[float, float], span: SearchRange) -> NextLoad | None:
    """Give the next load of the crossing under way, or the first of another one; None where they are precise enough."""
    for number in range(1, MOST_CROSSINGS + 1):
        steps = _of(trials, number)
        level = next_level(steps, _begin(*bracket, number), _near(span))
        if level is not None:
            return NextLoad(number, level)
        if number >= median_interval.LEAST and _precise(capacity(trials, span), span):
            return None
    return None


def _bracket(crossing: Knee | None, lowest_failed: float | None, span: SearchRange) -> tuple[float, float] | None:
    """Return where crossings begin: at an end of the span, where the coarse search came to it, or within."""
    if crossing is None:
        return None
    if crossing.end is not KneeOutcome.WITHIN:
        return crossing.level, crossing.level
    failed = span.high if lowest_failed is None else lowest_failed
    # Neighbours: a crossing looks at both again.
    return crossing.level, crossing.level + 1 if span.whole and failed - crossing.level <= 1 else failed


def capacity(trials: Sequence[Trial], span: SearchRange) -> Capacity | None:
    """Say what is known; None where nothing is.

    The interval reaches from an order statistic of the levels that met to one of those that failed, so what lies
    between two levels that were tried belongs to it.
    """
    coarse, _ = _decided([trial for trial in trials if trial.phase == COARSE])
    first = knee(coarse, span)
    if first is None:
        return None
    every = estimates(trials, span)
    place = median_interval.rank(len(every))
    if not every or (place is None and first.end is not KneeOutcome.WITHIN):
        return Capacity(first.level, None, None, first.end, len(every))
    if span.whole:
        middle = float(median_low([crossing.met for crossing in every]))
    else:
        middle = median(math.sqrt(crossing.met * min(crossing.failed, span.high)) for crossing in every)
    if place is None:
        return Capacity(middle, None, None, KneeOutcome.WITHIN, len(every))
    low = sorted(crossing.met for crossing in every)[place - 1]
    high = sorted(crossing.failed for crossing in every)[-place]
    if high <= span.low:
        return Capacity(span.low, 0.0, span.low, KneeOutcome.BELOW, len(every))
    if math.isinf(high) and low > 0:
        return Capacity(low, low, None, KneeOutcome.AT_LEAST, len(every))
    high = min(high, span.high + span.whole)
    return Capacity(middle, low, max(low, high - 1) if span.whole else high, KneeOutcome.WITHIN, len(every))


def estimates(trials: Sequence[Trial], span: SearchRange) -> list[FinishedCrossing]:
    """Give the crossings that are over, in their order."""
    found, near = [], _near(span)
    for number in sorted({trial.phase for trial in trials if trial.phase > COARSE}):
        steps = _of(trials, number)
        if next_level(steps, 1.0, near) is None:
            found.append(_estimate(steps, knee(steps, span)))
    return found


def need_shown(trials: Sequence[Trial], need: float, held_from: float) -> Outcome:
    """Say whether the loads of a needed level show that it is held (`need.shown`)."""
    level = next((trial.level for trial in trials if trial.phase == NEEDED), None)
    if level is None:
        return Outcome.UNDECIDED
    return needed_level.shown(_met_at(trials, level), level, need, held_from)


def _estimate(steps: Sequence[LevelTrial], crossing: Knee | None) -> FinishedCrossing:
    failed = min((trial.level for trial in steps if not trial.met), default=math.inf)
    below = crossing is None or crossing.end is KneeOutcome.BELOW
    # Where not even the lowest level met, nothing that was tried is held.
    return FinishedCrossing(0.0 if below or crossing is None else crossing.level, failed)


def _decided(trials: Sequence[Trial]) -> tuple[list[LevelTrial], set[float]]:
    """Give the levels of the coarse search, and those that have failed once.

    A level that failed and then met was disturbed.
    """
    by_level: dict[float, list[bool]] = {}
    for trial in trials:
        by_level.setdefault(trial.level, []).append(trial.met)
    steps = [LevelTrial(level, met[-1]) for level, met in by_level.items()]
    return steps, {level for level, met in by_level.items() if met == [False]}


def _of(trials: Sequence[Trial], phase: int) -> list[LevelTrial]:
    return [LevelTrial(trial.level, trial.met) for trial in trials if trial.phase == phase]


def _near(span: SearchRange) -> SearchRange:
    return replace(span, factor=_NEAR_FACTOR)


def _begin(met: float, failed: float, number: int) -> float:
    """Give where a crossing begins: spread over the bracket, so that no two look at the same levels."""
    return float(met * (failed / met) ** (number * _GOLDEN % 1.0))


def _precise(estimate: Capacity | None, span: SearchRange) -> bool:
    if estimate is None or estimate.low is None:
        return False
    if estimate.end is KneeOutcome.AT_LEAST:
        # Some loads at the highest level missed: more crossings say whether that was chance.
        return estimate.low >= span.high
    if estimate.end is KneeOutcome.BELOW:
        return True
    if estimate.high is None or estimate.low <= 0:
        return False
    return estimate.high / estimate.low <= (1 + GOAL) ** 2 or (span.whole and estimate.high - estimate.low <= 1)
