"""One decision for every comparison: better, worse, equivalent within a margin, or undecided.

Sources. Each thing has three regions, worse than a margin, within it, better than it (Goeman, Solari and Stijnen,
"Three-sided hypothesis testing: simultaneous testing of superiority, equivalence and inferiority", Statistics in
Medicine 29(20), 2010). Equivalence is shown where the interval lies within the margin (Schuirmann, "A comparison of the
two one-sided tests procedure and the power approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987).
Where many are compared, differences are Holm-corrected; that all of them pass needs no correction, since each must
(Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24(4), 1982).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from scipy import stats

from callbench.stats.holm import holm
from callbench.stats.interval import Interval
from callbench.stats.logratio import LogRatio

# How often a difference that "could have been detected" is detected (Bloom, "Minimum detectable effects: a simple way
# to report the statistical power of experimental designs", Evaluation Review 19(5), 1995).
POWER = 0.8


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
        """Give the difference turned round where less is better: above 0 B is better."""
        return replace(self.difference, log=-self.difference.log) if self.less_is_better else self.difference


@dataclass(frozen=True)
class Decided:
    """One comparison, decided.

    Attributes:
        ratio: B's value over A's with its interval of coverage 1 - level, not corrected for other comparisons.
        adjusted_p: the probability of so clear a difference by chance, Holm-corrected.
        outcome: `failed` where B is shown to be worse by more than the margin, `passed` where it is shown not to be.
        detectable: the smallest difference that would have been found in 80 % of such comparisons, as a share.
        unseen: how much worse B may be all the same, as a share of A: neither excluded by the interval nor, had it been
            there, found beyond the margin in 80 % of such comparisons.
    """

    decision: Decision
    outcome: Outcome
    ratio: Interval
    adjusted_p: float
    detectable: float
    unseen: float


def decided(questions: Sequence[Question], level: float, shift: float = 0.0) -> list[Decided]:
    """Decide comparisons that are looked at together.

    Args:
        questions: what was compared.
        level: the chance that any of them is called better or worse, or fails, and is not.
        shift: a log-ratio that the circumstances may have brought: no smaller one can be told.
    """
    gains = [one.gain() for one in questions]
    differs = holm([one.doubt(shift) for one in gains])
    falls = holm([gain.below(math.exp(-one.margin - shift)) for one, gain in zip(questions, gains, strict=True)])
    return [
        _decided(one, level, shift, doubt, fall) for one, doubt, fall in zip(questions, differs, falls, strict=True)
    ]


def _decided(question: Question, level: float, shift: float, doubt: float, fall: float) -> Decided:
    """Decide one, with its probabilities corrected already."""
    gain, margin = question.gain(), question.margin
    reach = _t(1 - level / 2, gain.freedom) * gain.error + shift
    low, high = gain.log - reach, gain.log + reach
    outcome = Outcome.FAILED if fall < level else Outcome.PASSED if low >= -margin else Outcome.UNDECIDED
    if -margin <= low and high <= margin:
        decision = Decision.EQUIVALENT
    elif doubt < level or outcome is Outcome.FAILED:
        decision = Decision.BETTER if gain.log > 0 else Decision.WORSE
    else:
        decision = Decision.UNDECIDED
    power = _t(POWER, gain.freedom) * gain.error
    found = margin + shift + _t(1 - level, gain.freedom) * gain.error + power
    unseen = max(-low, found)
    return Decided(
        decision,
        outcome,
        question.difference.interval(1 - level),
        doubt,
        _grown(reach + power),
        _grown(unseen) if question.less_is_better else -math.expm1(-unseen),
    )


def _t(probability: float, freedom: float) -> float:
    """Give Student's quantile, from SciPy."""
    return float(stats.t.ppf(probability, freedom))


def _grown(log: float) -> float:
    """Give the share that a log-ratio adds; one beyond all figures stays finite, so that it can be written."""
    return math.expm1(min(log, 700.0))


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
    """Give the outcome of all: failed where one failed, passed where all passed; of none at all, undecided."""
    every = set(outcomes)
    if Outcome.FAILED in every:
        return Outcome.FAILED
    return Outcome.PASSED if every == {Outcome.PASSED} else Outcome.UNDECIDED
