"""Decide whether calls became slower, beyond chance and beyond the effect of other programs. One rule for all tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.stability.other_programs import OTHERS_INCREASE, median_others, others_text
from callbench.analysis.stability.slices import SPEED
from callbench.stats.decide.decision import Outcome, Question, decided
from callbench.stats.estimate.digits import figure, percent, tells
from callbench.stats.estimate.logratio import unpaired
from callbench.store.lines.slices import TimedSlice

# The probability of calling an unchanged server slower.
_LEVEL = 0.01


@dataclass(frozen=True)
class SlownessVerdict:
    """The verdict about slow slices.

    Attributes:
        outcome: `failed` if the server itself is shown to be slower.
        text: the reason as a phrase; "" if it is not slower.
    """

    outcome: Outcome
    text: str


@dataclass(frozen=True)
class PaceChange:
    """The median call of some slices compared with earlier slices.

    Attributes:
        ratio: later divided by earlier; above 1 is slower.
        low: the interval, with `high`; None if there is none.
        outcome: `failed` if it is shown to be slower by more than allowed, `passed` if that is excluded.
        detectable: the smallest slowdown that 80 % of such comparisons would detect, as a share.
        others_before: the earlier share of the processors that other programs used; None: unknown.
        others: the same for the later slices.
        last: the later slices, as journal lines.
    """

    ratio: float
    low: float | None
    high: float | None
    outcome: Outcome
    detectable: float
    others_before: float | None
    others: float | None
    last: Sequence[TimedSlice]

    @property
    def others_interfered(self) -> bool:
        """Whether other programs used more of the processors than before, or this is unknown."""
        return self.others is None or self.others - (self.others_before or 0.0) > OTHERS_INCREASE

    def verdict(self, when: str) -> SlownessVerdict:
        """Return the verdict about the server.

        Args:
            when: the later slices in words, such as `in the end`.
        """
        if self.outcome is Outcome.PASSED:
            return SlownessVerdict(Outcome.PASSED, "")
        ends = ""
        # An interval that says nothing is not printed.
        if self.low and self.high and tells(self.high / self.ratio - 1):
            ends = f" ({figure(self.low, 0.05)} to {figure(self.high, 0.05)})"
        text = f"the median call took {figure(self.ratio, 0.05)} times as long {when}{ends}"
        text = f"{text}, while {others_text(self.last, self.others_before)}"
        if self.outcome is Outcome.UNDECIDED:
            unseen = f"less than {percent(self.detectable)} more" if self.detectable < 1 else "this"
            why = f"{text}, but its slices scatter too much: {unseen} could not be detected"
            return SlownessVerdict(Outcome.UNDECIDED, why)
        if self.others_interfered:
            return SlownessVerdict(Outcome.UNDECIDED, f"{text}, which may be the cause")
        return SlownessVerdict(Outcome.FAILED, text)


def pace(before: Sequence[TimedSlice], after: Sequence[TimedSlice], allowed: float) -> PaceChange | None:
    """Compare slices with earlier slices. A single slow slice decides nothing.

    Args:
        before: journal lines of the earlier slices.
        after: journal lines of the later slices.
        allowed: the median call may take so many times as long.

    Returns:
        None if fewer than two slices of either have answers.
    """
    first, last = ([line for line in part if line.get(SPEED)] for part in (before, after))
    if min(len(first), len(last)) < 2:
        return None
    speeds = [[line[SPEED] for line in part] for part in (last, first)]
    judged = decided([Question(unpaired(*speeds), math.log(allowed), less_is_better=True)], _LEVEL)[0]
    ratio = judged.ratio
    return PaceChange(
        ratio=ratio.middle,
        low=ratio.low,
        high=ratio.high,
        outcome=judged.outcome,
        detectable=judged.detectable,
        others_before=median_others(first),
        others=median_others(last),
        last=last,
    )


def judge_slowness(
    before: Sequence[TimedSlice], after: Sequence[TimedSlice], allowed: float, when: str
) -> SlownessVerdict:
    """Judge slices of which at least one was slow. They are judged together, because one may be chance.

    Args:
        before: as in `pace`.
        after: as in `pace`.
        allowed: as in `pace`.
        when: as in `PaceChange.verdict`.
    """
    change = pace(before, after, allowed)
    if change is None:
        return SlownessVerdict(Outcome.UNDECIDED, "too few of its slices were answered for a comparison")
    if change.outcome is Outcome.PASSED:
        why = f"single slices were slow, but all together took less than {allowed:.3g} times as long {when}"
        return SlownessVerdict(Outcome.UNDECIDED, why)
    return change.verdict(when)
