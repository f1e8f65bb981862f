"""What a comparison says of each cell's rate and tail, and what a gate makes of it. No input or output."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from callbench.stats.decision import DecidedComparison, Decision, Outcome, Question, decided
from callbench.stats.interval import Interval
from callbench.stats.logratio import LogRatio, paired, unpaired

NOT_COMPARED = "not compared"


class Metric(StrEnum):
    """What is compared of a cell: calls a second, and the latency that 99 of 100 calls stay below, in microseconds."""

    RATE = "rate"
    P99 = "p99"

    @property
    def less_is_better(self) -> bool:
        """Whether a greater value is a worse one."""
        return self is Metric.P99

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "us" if self is Metric.P99 else "calls/s"


@dataclass(frozen=True)
class Figures:
    """What was measured of one metric of one cell on both sides.

    Attributes:
        name: the cell, for people.
        values: of A and of B, one a round or fork.
        paired: whether the values at one place met the same conditions.
        echoes: echoes a second beside each value: ratios are of multiples of the echo then; None: of the values.
        errors: calls that failed, of A and of B.
        calls: calls answered rightly, likewise.
        why: why there is nothing to compare, or "".
        failed: whether that is a stack's failure, and not only something that is lacking.
    """

    cell: str
    stacks: tuple[str, str]
    name: str
    values: tuple[Sequence[float], Sequence[float]]
    metric: Metric = Metric.RATE
    paired: bool = True
    echoes: tuple[Sequence[float], Sequence[float]] | None = None
    errors: tuple[int, int] = (0, 0)
    calls: tuple[int, int] = (0, 0)
    why: str = ""
    failed: bool = False

    def difference(self) -> LogRatio | None:
        """Estimate the log of B's value over A's, or None if there are fewer than two values."""
        a, b = self._multiples()
        if self.why or min(len(a), len(b)) < 2:
            return None
        return paired([y / x for x, y in zip(a, b, strict=True)]) if self.paired else unpaired(b, a)

    def _multiples(self) -> tuple[Sequence[float], Sequence[float]]:
        """Return what is compared: rates over the echo's rate, times over its time."""
        if self.echoes is None:
            return self.values
        power = 1 if self.metric.less_is_better else -1
        a, b = (
            [value * echo**power for value, echo in zip(*both, strict=True)]
            for both in zip(self.values, self.echoes, strict=True)
        )
        return a, b


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict on one metric of one cell.

    Attributes:
        values: geometric means of A and of B, None if there is none.
        decided: None if it was not compared.
        outcome: what a gate makes of it.
        why: why it was not compared, or failed in another way than by being worse; or "".
    """

    figures: Figures
    values: tuple[float | None, float | None]
    decided: DecidedComparison | None
    outcome: Outcome
    why: str

    @property
    def verdict(self) -> str:
        """What B is beside A, in a word or two."""
        return str(self.decided.decision) if self.decided else NOT_COMPARED

    @property
    def ratio(self) -> Interval | None:
        """B's value over A's with its interval, not corrected for other comparisons."""
        return self.decided.ratio if self.decided else None

    @property
    def undecided(self) -> bool:
        """Whether it was compared, and what a gate makes of it or at least the verdict is not known."""
        found = self.decided
        return found is not None and (found.outcome is Outcome.UNDECIDED or found.decision is Decision.UNDECIDED)

    @property
    def more_forks(self) -> int | None:
        """How many more forks, about, would settle what is undecided: for a gate, else the verdict.

        None if nothing is, or where no sensible number would.
        """
        found = self.decided
        if found is None:
            return None
        return found.more_for_outcome if found.outcome is Outcome.UNDECIDED else found.more_forks

    @property
    def regression(self) -> bool:
        """Whether B is shown to be worse by more than the threshold."""
        return self.decided is not None and self.decided.outcome is Outcome.FAILED


@dataclass(frozen=True)
class Rule:
    """How strict a comparison is.

    Attributes:
        level: the chance that any verdict of better or worse is wrong, all comparisons together.
        threshold: by how much B's rate may be lower, as a share.
        p99_threshold: by how much B's p99 may be higher, as a share; None: p99 is not judged.
        shift: the least log-ratio that can be told at all.
    """

    level: float = 0.01
    threshold: float = 0.02
    p99_threshold: float | None = 0.1
    shift: float = 0.0

    def allowed(self, metric: Metric) -> float:
        """Return a metric's threshold, as a share."""
        return self.threshold if metric is Metric.RATE else self.p99_threshold or 0.0

    def margin(self, metric: Metric) -> float:
        """Return a metric's threshold as a log-ratio."""
        return -math.log1p(-self.threshold) if metric is Metric.RATE else math.log1p(self.allowed(metric))


def metric_verdicts(cells: Sequence[Figures], rule: Rule) -> list[MetricVerdict]:
    """Judge every metric of every cell, corrected for how many there are."""
    chosen = [one for one in cells if one.metric is Metric.RATE or rule.p99_threshold is not None]
    differences = [one.difference() for one in chosen]
    questions = [
        Question(found, rule.margin(one.metric), one.metric.less_is_better)
        for one, found in zip(chosen, differences, strict=True)
        if found is not None
    ]
    found = iter(decided(questions, rule.level, rule.shift))
    return [
        _open(one) if difference is None else _metric_verdict(one, next(found), rule)
        for one, difference in zip(chosen, differences, strict=True)
    ]


def _metric_verdict(figures: Figures, found: DecidedComparison, rule: Rule) -> MetricVerdict:
    """Judge what was measured: a rate is of no worth where more calls fail."""
    a, b = (_mean(one) for one in figures.values)
    why = _fails_more(figures, rule.level)
    return MetricVerdict(figures, (a, b), found, Outcome.FAILED if why else found.outcome, why)


def _fails_more(figures: Figures, level: float) -> str:
    """State that more of B's calls failed than of A's, if that is shown (Fisher's exact test, one-sided), or ""."""
    if figures.metric is not Metric.RATE or not figures.errors[1]:
        return ""
    # Loaded here: it takes half a second, and few calls fail.
    from scipy import stats  # noqa: PLC0415

    table = np.array([[figures.errors[side], figures.calls[side]] for side in (1, 0)])
    if float(stats.fisher_exact(table, alternative="greater").pvalue) >= level:
        return ""
    shares = [f"{failed:,} of {failed + calls:,}" for failed, calls in zip(figures.errors, figures.calls, strict=True)]
    return f"{shares[1]} calls of B failed, {shares[0]} of A"


def _open(figures: Figures) -> MetricVerdict:
    """Describe of what was not compared that there is nothing to judge."""
    a, b = (_mean(one) for one in figures.values)
    outcome = Outcome.FAILED if figures.failed else Outcome.UNDECIDED
    return MetricVerdict(figures, (a, b), None, outcome, figures.why or "fewer than two forks have both")


def _mean(values: Sequence[float]) -> float | None:
    """Compute the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
