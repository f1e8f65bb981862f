"""Finding the highest level that still meets an objective, step by step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_STEPS = 40


@dataclass(frozen=True)
class LevelTrial:
    """One trial at one level, and whether it met the objective."""

    level: float
    met: bool


@dataclass(frozen=True)
class SearchRange:
    """Where to look.

    Attributes:
        low: the lowest level to try.
        high: the highest.
        precision: the search ends where the lowest level that failed is at most this share above the highest that met.
        whole: whether levels are whole numbers.
        factor: by how much a level is raised or lowered until one has met and one has not.
    """

    low: float
    high: float
    precision: float = 0.05
    whole: bool = False
    factor: float = 2.0


class KneeOutcome(StrEnum):
    """The outcome of a search."""

    WITHIN = "found"
    AT_LEAST = "at least"
    BELOW = "below"


@dataclass(frozen=True)
class Knee:
    """The highest level that met the objective.

    Attributes:
        level: that level; where none did, the lowest that failed.
        end: `found`; `at least`: the highest level of all met it; `below`: not even the lowest did.
    """

    level: float
    end: KneeOutcome


def next_level(steps: Sequence[LevelTrial], start: float, span: SearchRange) -> float | None:
    """Return the level to try next, or None if the search is over.

    Raised or lowered by the span's factor until one level has met the objective and one has not, then the geometric
    mean of the two nearest: bisection on the logarithm (Burden and Faires, "Numerical Analysis", section 2.1). What was
    met above a level that failed is chance, and does not count.

    Args:
        steps: those made so far, in any order: a search that was cut off continues if it was.
        start: where to begin if none was made.
        span: where to look.
    """
    met, failed = _nearest(steps)
    if len(steps) >= MOST_STEPS:
        return None
    if met is None and failed is None:
        return _tidy(min(max(start, span.low), span.high), span)
    if failed is None:
        return None if met is None or met >= span.high else _tidy(min(span.high, _next(met, span)), span)
    if met is None:
        return (
            None if failed <= span.low else _tidy(max(span.low, min(failed / span.factor, failed - span.whole)), span)
        )
    if failed <= met * (1 + span.precision) or (span.whole and failed - met <= 1):
        return None
    between = _tidy(math.sqrt(met * failed), span)
    if span.whole:
        between = min(max(between, met + 1), failed - 1)
    return between if met < between < failed else None


def knee(steps: Sequence[LevelTrial], span: SearchRange) -> Knee | None:
    """Describe what a search that is over has found; None if nothing was tried."""
    met, failed = _nearest(steps)
    if met is None:
        return None if failed is None else Knee(failed, KneeOutcome.BELOW)
    return Knee(met, KneeOutcome.AT_LEAST if failed is None and met >= span.high else KneeOutcome.WITHIN)


def _nearest(steps: Sequence[LevelTrial]) -> tuple[float | None, float | None]:
    """Return the highest level that met below the lowest that failed, and that lowest."""
    failed = min((step.level for step in steps if not step.met), default=None)
    met = max((step.level for step in steps if step.met and (failed is None or step.level < failed)), default=None)
    return met, failed


def _next(met: float, span: SearchRange) -> float:
    """Give the level above one that met: of whole numbers another one."""
    return max(met * span.factor, met + span.whole)


def _tidy(level: float, span: SearchRange) -> float:
    """Round to a whole number, or to four digits: a rate of 1234.5678 says no more."""
    return max(1.0, float(round(level))) if span.whole else float(f"{level:.4g}")
