"""One decision for every comparison: better, worse, equivalent within a margin, or undecided.

Sources. Each thing has three regions, worse than a margin, within it, better than it (Goeman, Solari and Stijnen,
"Three-sided hypothesis testing: simultaneous testing of superiority, equivalence and inferiority", Statistics in
Medicine 29(20), 2010). Equivalence is shown where the interval lies within the margin (Schuirmann, "A comparison of the
two one-sided tests procedure and the power approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987).
Where many are compared, differences are Holm-corrected; that all of them pass needs no correction, since each must
(Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24(4), 1982).

Each decision can be read from the one interval that is shown: better and worse lie on one side of 1 with all of it,
equivalent within the margin, a failure beyond it. The correction for others only takes decisions away: what is
undecided although its interval does not hold 1 says so (`DecidedComparison.corrected_away`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from callbench.stats.decide.failures import FAILURE_MARGIN, FailedCalls
from callbench.stats.estimate.difference import Difference
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import LogRatio, many_paired
from callbench.stats.estimate.power import forks_needed, missed, reach
from callbench.stats.estimate.prior import NONE, Prior
from callbench.stats.estimate.student import quantile

# Logarithms nearer than this are equal: what sums of many leave behind their last digit.
_EXACT = 1e-12


class Decision(StrEnum):
    """What one thing is, beside another."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Outcome(StrEnum):
    """What follows for a requirement such as "not worse by more than the margin"."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Question:
    """One comparison that is to be decided.

    Attributes:
        difference: the log of B's value over A's.
        margin: how far that log may lie on either side of 0 and mean nothing; not negative.
        less_is_better: whether the value is a time or a cost.
    """

    difference: LogRatio
    margin: float
    less_is_better: bool = False

    def gain(self) -> LogRatio:
        """Return the difference turned round where less is better: above 0 B is better."""
        return replace(self.difference, log=-self.difference.log) if self.less_is_better else self.difference


@dataclass(frozen=True)
class DecidedComparison:
    """One comparison, decided.

    Attributes:
        ratio: B's value over A's with the interval that decides: of coverage 1 - level, not corrected for other
            comparisons, and wider by what the circumstances may have brought.
        adjusted_p: the probability of so clear a difference by chance, Holm-corrected.
        outcome: `failed` where B is shown to be worse by more than the margin, `passed` if it is shown not to be.
        detectable: the smallest difference that would have been found in 80 % of such comparisons, as a share.
        unseen: how much worse B may be all the same, as a share of A: neither excluded by the interval nor, had it been
            there, found beyond the margin in 80 % of such comparisons.
        more_forks: how many more, about, would settle an undecided decision; None if no sensible number would, or
            if it is decided.
        more_for_outcome: likewise for an undecided outcome.
        spread: how much one fork differs from another, as a share.
        corrected_away: whether the interval alone would show a difference, and the correction for others does not.
    """

    decision: Decision
    outcome: Outcome
    ratio: Interval
    adjusted_p: float
    detectable: float
    unseen: float
    more_forks: int | None = None
    more_for_outcome: int | None = None
    spread: float = 0.0
    corrected_away: bool = False

    @property
    def more(self) -> int | None:
        """How many more forks, about, would settle what is undecided: the outcome, else the decision."""
        return self.more_for_outcome if self.outcome is Outcome.UNDECIDED else self.more_forks


@dataclass(frozen=True)
class DecidedFailures:
    """Whether B fails more of its calls than A, decided.

    Attributes:
        outcome: `failed` where it is shown to; `passed` where it did not, or not by more than `FAILURE_MARGIN`.
        adjusted_p: the probability of so many more by chance, Holm-corrected.
    """

    outcome: Outcome
    adjusted_p: float


def decided(questions: Sequence[Question], level: float, shift: float = 0.0) -> list[DecidedComparison]:
    """Decide comparisons that are looked at together.

    Args:
        questions: what was compared.
        level: the chance that any of them is called better or worse, or fails, and is not.
        shift: a log-ratio that the circumstances may have brought: no smaller one can be told.
    """
    return decided_with_failures(questions, (), level, shift)[0]


def decided_with_failures(
    questions: Sequence[Question], failures: Sequence[FailedCalls], level: float, shift: float = 0.0
) -> tuple[list[DecidedComparison], list[DecidedFailures]]:
    """Decide comparisons as `decided` does, and whether calls fail more, all corrected for each other.

    Args:
        questions: what was compared.
        failures: where any call failed.
        level: as of `decided`.
        shift: as of `decided`.
    """
    gains = [question.gain() for question in questions]
    counts = [failed.p_value() for failed in failures]
    # Twice, for the interval that shows it has two ends.
    below = [
        2 * gain.below(math.exp(-question.margin - shift)) for question, gain in zip(questions, gains, strict=True)
    ]
    differs = holm([*(gain.p_value(shift) for gain in gains), *counts])
    falls = holm([*below, *counts])
    several = len(questions) + len(failures)
    return [
        _decided(question, level, shift, adjusted_p, fall, several)
        for question, adjusted_p, fall in zip(questions, differs, falls, strict=False)
    ], [
        DecidedFailures(_fails(failed, adjusted_p, level), adjusted_p)
        for failed, adjusted_p in zip(failures, differs[len(questions) :], strict=True)
    ]


def _fails(failed: FailedCalls, adjusted_p: float, level: float) -> Outcome:
    """Say whether B fails more: shown, not at all, too little to matter, or undecided."""
    if adjusted_p < level:
        return Outcome.FAILED
    within = not failed.more or failed.most_more(level) <= FAILURE_MARGIN
    return Outcome.PASSED if within else Outcome.UNDECIDED


def _decided(  # noqa: PLR0913, PLR0917 - a question and all that was computed of it
    question: Question, level: float, shift: float, adjusted_p: float, fall: float, count: int
) -> DecidedComparison:
    """Decide one of that many, with its probabilities corrected already."""
    gain, margin = question.gain(), question.margin
    half = reach(gain, level) + shift
    low, high = gain.log - half, gain.log + half
    outcome = Outcome.FAILED if fall < level else Outcome.PASSED if low >= -margin else Outcome.UNDECIDED
    if -margin <= low and high <= margin:
        decision = Decision.EQUIVALENT
    elif adjusted_p < level or outcome is Outcome.FAILED:
        decision = Decision.BETTER if gain.log > 0 else Decision.WORSE
    else:
        decision = Decision.UNDECIDED
    undecided = decision is Decision.UNDECIDED
    noticed = margin + shift + quantile(1 - level / 2, gain.freedom) * gain.error + missed(gain)
    unseen = max(-low, noticed)
    return DecidedComparison(
        decision=decision,
        outcome=outcome,
        ratio=question.difference.within(half),
        adjusted_p=adjusted_p,
        detectable=_grown(half + missed(gain)),
        unseen=_grown(unseen) if question.less_is_better else -math.expm1(-unseen),
        more_forks=_more(gain, margin, shift, level, count) if undecided else None,
        more_for_outcome=_more_for_outcome(gain, margin, shift, level, count) if outcome is Outcome.UNDECIDED else None,
        spread=_grown(gain.error * math.sqrt(gain.count)),
        corrected_away=undecided and abs(gain.log) > half,
    )


def _more(gain: LogRatio, margin: float, shift: float, level: float, count: int) -> int | None:
    """Compute how many more forks would show a difference, or that it lies within the margin: whichever is sooner."""
    away = abs(gain.log)
    ways = (
        forks_needed(gain, away - shift, level / count),
        forks_needed(gain, margin - shift - away, level),
    )
    enough = [needed for needed in ways if needed is not None]
    return max(1, min(enough) - gain.count) if enough else None


def _more_for_outcome(gain: LogRatio, margin: float, shift: float, level: float, count: int) -> int | None:
    """Compute how many more forks would show on which side of the margin it lies: worse by more, or not."""
    within = gain.log + margin
    # That it is worse is corrected for all of them; that it is not, by the interval alone.
    needed = forks_needed(gain, abs(within) - shift, level if within > 0 else level / count)
    return None if needed is None else max(1, needed - gain.count)


@dataclass(frozen=True)
class Range:
    """One ratio, and the range that it is to lie in.

    Attributes:
        ratio: the log of the ratio, estimated; None if one fork alone says nothing about spread.
        low: the log of the lower bound, minus infinity if there is none.
        high: the log of the upper bound, infinity if there is none.
        margin: how far within a bound a ratio may lie and still mean no more than the bound itself: what is shown to
            lie no further within is outside; not negative.
    """

    ratio: LogRatio | None
    low: float = -math.inf
    high: float = math.inf
    margin: float = 0.0

    def distance(self) -> float:
        """Return how far the ratio lies within the range, as a logarithm; negative outside."""
        assert self.ratio is not None  # noqa: S101 - who calls has one
        return min(self.ratio.log - self.low, self.high - self.ratio.log)

    def adjusted_from(self) -> float:
        """Compute the probability of a ratio so far outside by chance, not corrected; 1 where it lies within."""
        if self.ratio is None or self.outside() <= 0:
            return 1.0
        return replace(self.ratio, log=self.outside()).p_value()

    def outside(self) -> float:
        """Return how far the ratio lies outside of what is further within than the margin; negative within."""
        return self.margin - self.distance()


@dataclass(frozen=True)
class RangeTest:
    """One ratio, tested against its range.

    Attributes:
        outcome: `passed` where the interval lies within the range, `failed` where the ratio is shown to lie outside.
        adjusted_p: the probability of so clear a failure by chance, Holm-corrected.
        detectable: the smallest distance from a bound that would have been seen in 80 % of such comparisons, as a
            share; None if one fork alone says nothing.
        forks: how many there were.
        more_forks: how many more, about, would settle what is undecided; None if no sensible number would, where one
            fork says nothing of it, or if it is decided.
        at_bound: whether it failed since it is shown to lie within the margin of a bound, not beyond it.
        corrected_away: whether the interval alone would show a failure, and the correction for others does not.
    """

    outcome: Outcome
    adjusted_p: float
    detectable: float | None
    forks: int
    more_forks: int | None
    at_bound: bool = False
    corrected_away: bool = False


def ranged(ranges: Sequence[Range], level: float) -> list[RangeTest]:
    """Test ratios against their ranges, all of which have to be met.

    Each is tested at the full level, since that all are met cannot become likelier by chance with more of them (an
    intersection-union test: Berger 1982). A single failure is one of the whole, so failures are Holm-corrected.
    """
    adjusted_all = holm([tested.adjusted_from() for tested in ranges if tested.ratio is not None])
    adjusted = iter(adjusted_all)
    return [
        RangeTest(Outcome.UNDECIDED, 1.0, None, 1, None)
        if tested.ratio is None
        else _ranged(tested, tested.ratio, level, (next(adjusted), len(adjusted_all)))
        for tested in ranges
    ]


def _ranged(tested: Range, ratio: LogRatio, level: float, corrected: tuple[float, int]) -> RangeTest:
    """Test one, with its probability corrected already, among that many."""
    adjusted_p, count = corrected
    half, distance, outside = reach(ratio, level), tested.distance(), tested.outside()
    more = None
    if distance > half + _EXACT:
        outcome = Outcome.PASSED
    elif adjusted_p < level or half <= _EXACT:
        # What does not vary is not within the range, so it is outside: that a bound is met is not enough.
        outcome = Outcome.FAILED
    else:
        outcome = Outcome.UNDECIDED
        ways = (forks_needed(ratio, distance, level), forks_needed(ratio, outside, level / count))
        enough = [needed for needed in ways if needed is not None]
        more = max(1, min(enough) - ratio.count) if enough else None
    return RangeTest(
        outcome=outcome,
        adjusted_p=adjusted_p,
        detectable=_grown(half + missed(ratio)),
        forks=ratio.count,
        more_forks=more,
        at_bound=outcome is Outcome.FAILED and distance + half > _EXACT,
        corrected_away=outcome is Outcome.UNDECIDED and outside > half,
    )


def _grown(log: float) -> float:
    """Return the share that a log-ratio adds; one beyond all values stays finite, so that it can be written."""
    return math.expm1(min(log, 700.0))


def parted(
    differences: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", level: float, prior: Prior = NONE
) -> "np.ndarray[tuple[int], np.dtype[np.int8]]":
    """Describe of many pairs which of the two is greater, as `decided` does with no margin, but all at once.

    Args:
        differences: of logarithms, a row a pair and a column a fork; NaN where one of the two has none.
        level: the chance that any pair is parted wrongly: they are Holm-corrected together.
        prior: what all pairs of the run say of how one varies.

    Returns:
        By pair 1 where the first is greater beyond doubt, -1 where the second is, 0 if it cannot be told.
    """
    many = many_paired(differences, prior.variance, prior.freedom)
    sure = np.asarray(holm(many.p_values.tolist())) < level
    return np.where(sure, np.sign(many.logs), 0.0).astype(np.int8)


def by_ratio(ratio: Interval, margin: float = 0.0, neutral: float = 1.0) -> Decision:
    """Decide by the interval of a ratio; if it has none, it is undecided.

    Args:
        ratio: more is better.
        margin: as a log-ratio, as of `by_interval`.
        neutral: the ratio that means "no difference".
    """
    if ratio.low is None or ratio.high is None:
        return Decision.UNDECIDED
    return by_interval(math.log(ratio.low), math.log(ratio.high), margin, math.log(neutral))


def by_difference(difference: Difference, margin: float = 0.0) -> Decision:
    """Decide by the interval of a difference: more is better; if it has none, it is undecided.

    Args:
        difference: the difference.
        margin: as of `by_interval`, in its unit.
    """
    if difference.low is None or difference.high is None:
        return Decision.UNDECIDED
    return by_interval(difference.low, difference.high, margin)


def by_interval(low: float, high: float, margin: float, neutral: float = 0.0) -> Decision:
    """Decide by an interval alone: of a log-ratio, or of a difference. More is better.

    Args:
        low: its lower end.
        high: its upper end.
        margin: how far from `neutral` still means nothing, in the interval's unit; 0: a difference is all there is.
        neutral: what "no difference" is.
    """
    if neutral - margin <= low and high <= neutral + margin:
        return Decision.EQUIVALENT
    if low > neutral:
        return Decision.BETTER
    return Decision.WORSE if high < neutral else Decision.UNDECIDED


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of all: failed where one failed, passed where all passed; of none at all, undecided."""
    every = set(outcomes)
    if Outcome.FAILED in every:
        return Outcome.FAILED
    return Outcome.PASSED if every == {Outcome.PASSED} else Outcome.UNDECIDED


def holm(probabilities: Sequence[float]) -> list[float]:
    """Adjust probabilities so that the chance of any false alarm among them stays at the level each is compared with.

    Step-down: the k-th smallest of n is multiplied by n - k + 1, never below its predecessor, at most 1 (Holm, "A
    simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).

    Returns:
        The adjusted probabilities in the order given.
    """
    count = len(probabilities)
    adjusted = [0.0] * count
    highest = 0.0
    for rank, place in enumerate(sorted(range(count), key=lambda index: probabilities[index])):
        highest = max(highest, min(1.0, (count - rank) * probabilities[place]))
        adjusted[place] = highest
    return adjusted
