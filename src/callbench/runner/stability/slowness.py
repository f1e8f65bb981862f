"""Whether calls became slower than they were, beyond chance and beyond what other programs did: one rule for all."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.runner.stability.machine import MOVED, beside, usual
from callbench.runner.stability.slices import SPEED
from callbench.stats.decision import Outcome, Question, decided
from callbench.stats.digits import figure, percent
from callbench.stats.logratio import unpaired

# The chance that a server is called slower and is not.
_LEVEL = 0.01


@dataclass(frozen=True)
class Slow:
    """What follows of slices that were slow, for the server.

    Attributes:
        outcome: `failed` where it is shown to have become slower by itself.
        text: why, as a phrase; nothing where it did not become slower.
    """

    outcome: Outcome
    text: str


@dataclass(frozen=True)
class Pace:
    """How long the median call took in some slices, beside slices before them.

    Attributes:
        ratio: of the two; above 1 it became slower.
        low: its interval, with `high`; None where there is none.
        outcome: `failed` where it is shown to have become slower by more than is allowed, `passed` where that is
            excluded.
        detectable: the smallest slowdown that would have been found in 80 % of such comparisons, as a share.
        others_before: the share of the processors that other programs had before; None: not known.
        others: likewise in the later slices.
        last: the later slices, as the journal has them.
    """

    ratio: float
    low: float | None
    high: float | None
    outcome: Outcome
    detectable: float
    others_before: float | None
    others: float | None
    last: Sequence[Mapping[str, Any]]

    @property
    def theirs(self) -> bool:
        """Whether other programs had more of the processors than before, or that is not known."""
        return self.others is None or self.others - (self.others_before or 0.0) > MOVED

    def judged(self, when: str) -> Slow:
        """Give what follows for the server.

        Args:
            when: the later slices in words, as `in the end`.
        """
        if self.outcome is Outcome.PASSED:
            return Slow(Outcome.PASSED, "")
        ends = f" ({figure(self.low, 0.05)} to {figure(self.high, 0.05)})" if self.low and self.high else ""
        text = f"the median call took {figure(self.ratio, 0.05)} times as long {when}{ends}"
        text = f"{text}; {beside(self.last, self.others_before)}"
        if self.outcome is Outcome.UNDECIDED:
            unseen = f"less than {percent(self.detectable)} more" if self.detectable < 1 else "this"
            why = f"{text}, but its slices scatter too much: {unseen} could not be detected"
            return Slow(Outcome.UNDECIDED, why)
        if self.theirs:
            return Slow(Outcome.UNDECIDED, f"{text}, which may be the cause")
        return Slow(Outcome.FAILED, text)


def pace(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], allowed: float) -> Pace | None:
    """Compare slices with slices before them: a single slow slice decides nothing.

    Args:
        before: as the journal has them.
        after: likewise.
        allowed: the median call may take so many times as long.

    Returns:
        None where fewer than two slices of either were answered.
    """
    first, last = ([line for line in part if line.get(SPEED)] for part in (before, after))
    if min(len(first), len(last)) < 2:
        return None
    speeds = [[float(line[SPEED]) for line in part] for part in (last, first)]
    found = decided([Question(unpaired(*speeds), math.log(allowed), less_is_better=True)], _LEVEL)[0]
    ratio = found.ratio
    return Pace(ratio.middle, ratio.low, ratio.high, found.outcome, found.detectable, usual(first), usual(last), last)


def slow(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], allowed: float, when: str) -> Slow:
    """Judge slices of which at least one was slow, all together: a single one may be chance.

    Args:
        before: as of `pace`.
        after: likewise.
        allowed: likewise.
        when: as of `Pace.judged`.
    """
    found = pace(before, after, allowed)
    if found is None:
        return Slow(Outcome.UNDECIDED, "too few of its slices were answered for a comparison")
    if found.outcome is Outcome.PASSED:
        why = f"single slices were slow, but all together took less than {allowed:.3g} times as long {when}"
        return Slow(Outcome.UNDECIDED, why)
    return found.judged(when)
