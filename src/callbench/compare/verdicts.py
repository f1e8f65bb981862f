"""What a comparison says of its cells: faster, slower or the same, and what a gate makes of it. No input or output."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scipy import stats

from callbench.stats.interval import Interval
from callbench.stats.logratio import LogRatio, paired, unpaired


class Verdict(StrEnum):
    """What B is, beside A."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    OPEN = "not compared"


@dataclass(frozen=True)
class Figures:
    """What was measured of one cell on both sides.

    Attributes:
        name: the cell, for people.
        rates: calls a second of A and of B, one a round or block.
        paired: whether the figures at one place met the same conditions.
        why: why there is nothing to compare, or "".
    """

    cell: str
    stacks: tuple[str, str]
    name: str
    rates: tuple[Sequence[float], Sequence[float]]
    paired: bool = True
    errors: tuple[int, int] = (0, 0)
    why: str = ""

    def difference(self) -> LogRatio | None:
        """Estimate the log of B's rate over A's, or None where there are fewer than two figures."""
        a, b = self.rates
        if self.why or min(len(a), len(b)) < 2:
            return None
        return paired([y / x for x, y in zip(a, b, strict=True)]) if self.paired else unpaired(b, a)


@dataclass(frozen=True)
class Judged:
    """One cell's verdict.

    Attributes:
        rates: geometric means of A and of B, None where there is none.
        ratio: B's rate over A's with its interval, uncorrected.
        doubt: the probability of so clear a difference by chance, adjusted over all cells.
        regression: whether B is shown to be slower by more than the threshold.
        why: why it was not compared, or "".
    """

    figures: Figures
    rates: tuple[float | None, float | None]
    ratio: Interval | None
    doubt: float | None
    verdict: Verdict
    regression: bool
    why: str


@dataclass(frozen=True)
class Rule:
    """How strict a comparison is.

    Attributes:
        level: the share of cells called different that may be so by chance.
        threshold: how much slower B may be, as a share.
        shift: the least log-ratio that can be told at all.
    """

    level: float = 0.01
    threshold: float = 0.02
    shift: float = 0.0


def judged(cells: Sequence[Figures], rule: Rule) -> list[Judged]:
    """Judge every cell, false discoveries controlled over all of them.

    The expected share of cells called different that are not is kept below the level by Benjamini and Hochberg's
    procedure ("Controlling the false discovery rate", Journal of the Royal Statistical Society B 57(1), 1995), from
    SciPy. A regression is a cell whose rate is shown to lie below 1 - threshold: the same correction, one-sided,
    against that bound, so that an estimate a little beyond it does not fail a gate by chance.
    """
    differences = [one.difference() for one in cells]
    there = [one for one in differences if one is not None]
    doubts = iter(_corrected([one.doubt(rule.shift) for one in there]))
    falls = iter(_corrected([one.below((1 - rule.threshold) * math.exp(-rule.shift)) for one in there]))
    return [
        _open(one) if found is None else _judged(one, found, next(doubts), next(falls), rule)
        for one, found in zip(cells, differences, strict=True)
    ]


def _corrected(doubts: Sequence[float]) -> list[float]:
    """Adjust probabilities for the rate of false discoveries."""
    return [float(one) for one in stats.false_discovery_control(doubts, method="bh")] if doubts else []


def _judged(figures: Figures, found: LogRatio, doubt: float, fall: float, rule: Rule) -> Judged:
    """Judge a cell that was measured."""
    verdict = Verdict.SAME if doubt >= rule.level else Verdict.FASTER if found.log > 0 else Verdict.SLOWER
    a, b = (_mean(one) for one in figures.rates)
    return Judged(figures, (a, b), found.interval(1 - rule.level), doubt, verdict, fall < rule.level, "")


def _open(figures: Figures) -> Judged:
    """Say of a cell that there is nothing to judge."""
    a, b = (_mean(one) for one in figures.rates)
    return Judged(figures, (a, b), None, None, Verdict.OPEN, False, figures.why or "fewer than two rounds have both")


def _mean(rates: Sequence[float]) -> float | None:
    """Reckon the geometric mean."""
    return math.exp(sum(map(math.log, rates)) / len(rates)) if rates else None
