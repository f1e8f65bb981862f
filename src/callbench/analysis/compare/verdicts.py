"""What a comparison says of each cell's rate and tail, and what a gate makes of it. No input or output."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from callbench.stats.decide.decision import (
    DecidedComparison,
    DecidedFailures,
    Decision,
    Outcome,
    Question,
    decided_with_failures,
    together,
)
from callbench.stats.decide.failures import CallCounts, FailedCalls
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.interval import Interval
from callbench.stats.estimate.logratio import LogRatio, paired, unpaired
from callbench.stats.estimate.prior import Prior
from callbench.stats.estimate.run_spread import Component, widened

NOT_COMPARED = "not compared"
# Of so few forks none is the odd one. An echo so many times as slow as in any other is no chance.
_FEWEST_HELD_UP, _HELD_UP = 3, 1.5
_NO_CALLS = FailedCalls(CallCounts((), ()), CallCounts((), ()))


class ComparedMetric(StrEnum):
    """What is compared of a cell: calls a second, and the latency that 99 of 100 calls stay below, in microseconds."""

    RATE = "rate"
    P99 = "p99"

    @property
    def less_is_better(self) -> bool:
        """Whether a greater value is a worse one."""
        return self is ComparedMetric.P99

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return "us" if self is ComparedMetric.P99 else "calls/s"


@dataclass(frozen=True)
class ComparedFigures:
    """What was measured of one metric of one cell on both sides.

    Attributes:
        name: the cell, for people.
        values: of A and of B, one a round or fork.
        paired: whether the values at one place met the same conditions.
        echoes: echoes a second beside each value: ratios are of multiples of the echo then; None: of the values.
        counts: how many calls failed, and how many were answered rightly.
        why: why there is nothing to compare, or "".
        failed: whether that is a stack's failure, and not only something that is lacking.
        sides: whose failure it is: A, B or both; empty where it is not known.
        between: how a value of two runs differs from run to run with nothing changed; None if that is not known, or
            both sides are of one run.
        sustained: of some forks, the ratio without a pause between calls over the ratio of slices in turn.
        paces: of values of both sides in turn, the raw echoes a second in each fork; empty if they are not known.
    """

    cell: str
    stacks: tuple[str, str]
    name: str
    values: tuple[Sequence[float], Sequence[float]]
    metric: ComparedMetric = ComparedMetric.RATE
    paired: bool = True
    echoes: tuple[Sequence[float], Sequence[float]] | None = None
    counts: FailedCalls = _NO_CALLS
    why: str = ""
    failed: bool = False
    sides: frozenset[str] = frozenset()
    between: Component | None = None
    sustained: Sequence[float] = ()
    paces: Sequence[float] = ()

    @property
    def errors(self) -> tuple[int, int]:
        """Calls that failed, of A and of B."""
        return self.counts.a.all_failed, self.counts.b.all_failed

    @property
    def calls(self) -> tuple[int, int]:
        """Calls answered rightly, of A and of B."""
        return sum(self.counts.a.right), sum(self.counts.b.right)

    def difference(self) -> LogRatio | None:
        """Estimate the log of B's value over A's, or None if there are fewer than two values."""
        a, b = self._multiples()
        if self.why or min(len(a), len(b)) < 2:
            return None
        if self.paired:
            return paired([y / x for x, y in zip(a, b, strict=True)])
        return unpaired(b, a) if self.between is None else widened(unpaired(b, a), [self.between] * 2)

    def held_up(self) -> str:
        """Say which fork differs most from the others, if it is the one in which the machine was slow; "" otherwise."""
        if len(self.paces) < _FEWEST_HELD_UP:
            return ""
        logs = [math.log(b / a) for a, b in zip(*self.values, strict=True)]
        usual = median(logs)
        odd = max(range(len(logs)), key=lambda fork: abs(logs[fork] - usual))
        pace, others = self.paces[odd], min(pace for fork, pace in enumerate(self.paces) if fork != odd)
        if pace * _HELD_UP > others:
            return ""
        return (
            f"one fork of {len(logs)} differs most, and something held the machine up in it: the raw echo made"
            f" {figure(pace, 0.005)} calls/s, and {figure(others, 0.005)} or more in the others"
        )

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
        why: why it was not compared, or why failed calls decide and not its ratio; or "".
        failures: whether B fails more of the cell's calls; None if no call failed, or it was not compared.
        recovers: how many times as much the ratio is where calls follow each other without a pause, if that undoes what
            slices in turn have shown.
    """

    figures: ComparedFigures
    values: tuple[float | None, float | None]
    decided: DecidedComparison | None
    outcome: Outcome
    why: str
    failures: DecidedFailures | None = None
    recovers: Interval | None = None

    @property
    def verdict(self) -> str:
        """What B is beside A, in a word or two: what fails more calls is not better, however fast the others are."""
        if self.decided is None:
            return NOT_COMPARED
        fails = self.failures.outcome if self.failures else Outcome.PASSED
        if fails is Outcome.FAILED:
            return str(Decision.WORSE)
        if (fails is Outcome.UNDECIDED or self.recovers is not None) and self.decided.decision is not Decision.WORSE:
            return str(Decision.UNDECIDED)
        return str(self.decided.decision)

    @property
    def ratio(self) -> Interval | None:
        """B's value over A's with the interval that decides."""
        return self.decided.ratio if self.decided else None

    @property
    def undecided(self) -> bool:
        """Whether it was compared, and what a gate makes of it or at least the verdict is not known."""
        decided = self.decided
        if decided is None:
            return False
        open_ = decided.outcome is Outcome.UNDECIDED or decided.decision is Decision.UNDECIDED
        return open_ or (self.recovers is not None and self.outcome is Outcome.UNDECIDED)

    @property
    def more_forks(self) -> int | None:
        """How many more forks, about, would settle what is undecided: for a gate, else the verdict.

        None if nothing is, or where no sensible number would.
        """
        return self.decided.more if self.decided and self.recovers is None else None

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

    def allowed(self, metric: ComparedMetric) -> float:
        """Return a metric's threshold, as a share."""
        return self.threshold if metric is ComparedMetric.RATE else self.p99_threshold or 0.0

    def margin(self, metric: ComparedMetric) -> float:
        """Return a metric's threshold as a log-ratio."""
        return -math.log1p(-self.threshold) if metric is ComparedMetric.RATE else math.log1p(self.allowed(metric))


def metric_verdicts(cells: Sequence[ComparedFigures], rule: Rule) -> list[MetricVerdict]:
    """Judge every metric of every cell, corrected for how many there are."""
    chosen = [figures for figures in cells if figures.metric is ComparedMetric.RATE or rule.p99_threshold is not None]
    differences = [figures.difference() for figures in chosen]
    questions = [
        Question(found, rule.margin(figures.metric), figures.metric.less_is_better)
        for figures, found in zip(chosen, differences, strict=True)
        if found is not None
    ]
    compared = [figures for figures, found in zip(chosen, differences, strict=True) if found is not None]
    failing = {figures.cell: figures.counts for figures in compared if any(figures.errors)}
    decided, failures = decided_with_failures(questions, list(failing.values()), rule.level, rule.shift)
    found, fails = iter(decided), dict(zip(failing, failures, strict=True))
    return [
        _open(figures)
        if difference is None
        else _metric_verdict(figures, next(found), rule.margin(figures.metric), fails.get(figures.cell))
        for figures, difference in zip(chosen, differences, strict=True)
    ]


def _metric_verdict(
    figures: ComparedFigures, decided: DecidedComparison, margin: float, fails: DecidedFailures | None
) -> MetricVerdict:
    """Judge what was measured: rate and tail are of no worth where more calls fail."""
    a, b = (_mean(values) for values in figures.values)
    recovers = recovery_of(figures.sustained, figures.difference())
    if (
        recovers is not None
        and _undone(decided, recovers, margin, less_is_better=figures.metric.less_is_better)
        and decided.outcome is not Outcome.FAILED
        and (fails is None or fails.outcome is not Outcome.FAILED)
    ):
        why = _recovering(decided.ratio, recovers)
        return MetricVerdict(
            figures=figures,
            values=(a, b),
            decided=decided,
            outcome=Outcome.UNDECIDED,
            why=why,
            failures=fails,
            recovers=recovers,
        )
    if fails is None or fails.outcome is Outcome.PASSED:
        return MetricVerdict(figures, (a, b), decided, decided.outcome, "", fails)
    return MetricVerdict(
        figures, (a, b), decided, together((decided.outcome, fails.outcome)), _failing(figures, fails), fails
    )


# Half a second of one fork varies by about 5 %, as slices of a fork do together. Three forks cannot say it themselves.
_OF_FORKS = Prior(0.05**2, 10.0)
_SAME, _LEVEL = 0.05, 0.01


def recovery_of(sustained: Sequence[float], of_forks: LogRatio | None = None) -> Interval | None:
    """Find whether a ratio is another one where calls follow each other without a pause.

    A limit such as a bucket of tokens recovers while the other side is called, so slices in turn do not see it.

    Args:
        sustained: of some forks, the ratio without a pause over the ratio of slices.
        of_forks: the ratio of slices. What its forks differ by, each of the two has: rare slow calls are in one of
            them or in the other.

    Returns:
        How many times as much it is; None if that is not shown to be more than 5 % off.
    """
    if len(sustained) < 2:
        return None
    own = 0.0 if of_forks is None else 2 * of_forks.error**2 * of_forks.count
    moderated = replace(_OF_FORKS, variance=max(_OF_FORKS.variance, own)).moderated(paired(sustained))
    return moderated.interval(1 - _LEVEL) if moderated.p_value(math.log1p(_SAME)) < _LEVEL else None


def _undone(decided: DecidedComparison, recovers: Interval, margin: float, *, less_is_better: bool) -> bool:
    """Find whether a ratio without a pause, as far as it is known, may lead to another decision or outcome.

    On a busy machine one side may well be slowed more than the other by calls without a pause. Where B is 300 times as
    fast as A in turn and 150 times without a pause, it is better all the same.
    """
    ends = [
        math.log(end * other)
        for end in (decided.ratio.low, decided.ratio.high)
        for other in (recovers.low, recovers.high)
        if end is not None and other is not None
    ]
    if not ends:
        return True
    low, high = (-max(ends), -min(ends)) if less_is_better else (min(ends), max(ends))
    holds = {
        Decision.BETTER: low > 0,
        Decision.EQUIVALENT: -margin <= low and high <= margin,
        Decision.WORSE: high < 0,
        # It stays undecided, and this is one of the reasons.
        Decision.UNDECIDED: False,
    }[decided.decision]
    return not holds or (decided.outcome is Outcome.PASSED and low < -margin)


def _recovering(slices: Interval, recovers: Interval) -> str:
    without = figure(slices.middle * recovers.middle, recovers.half_width)
    return (
        f"called without a pause, B / A is about {without} and not {figure(slices.middle, slices.half_width)}: a server"
        " recovers while the other one is called. `callbench load` measures each by itself"
    )


def failed_text(figures: ComparedFigures) -> str:
    """Say whose calls failed, and how many of how many."""
    a, b = (f"{side.all_failed:,} of {side.calls:,}" for side in (figures.counts.a, figures.counts.b))
    return f"{b} calls of B failed, {a} of A"


def _failing(figures: ComparedFigures, fails: DecidedFailures) -> str:
    """Say that B fails more calls, or that it may."""
    undecided = "" if fails.outcome is Outcome.FAILED else "; whether B fails more is undecided"
    return failed_text(figures) + undecided


def _open(figures: ComparedFigures) -> MetricVerdict:
    """Describe of what was not compared that there is nothing to judge."""
    a, b = (_mean(values) for values in figures.values)
    outcome = Outcome.FAILED if figures.failed else Outcome.UNDECIDED
    return MetricVerdict(figures, (a, b), None, outcome, figures.why or "fewer than two forks have both")


def _mean(values: Sequence[float]) -> float | None:
    """Compute the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
