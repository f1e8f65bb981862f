"""How much values differ from run to run, beyond what they vary from fork to fork within one.

The forks of a run share its hour: what else the host does, what waking a processor costs, where memory came to lie. So
their interval covers that run alone. The variance between runs is a component of its own: the variance of the runs'
values, less what the spread within them brings to it (Searle, Casella and McCulloch, "Variance components", 1992,
section 3.5). Runs are few, so it is learned by kind: all values of one kind together, each kind drawn towards all of
them as `callbench.stats.estimate.prior` draws what varies from fork to fork.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.estimate.logratio import LogRatio
from callbench.stats.estimate.prior import MOST_FREEDOM, NONE, Prior, prior_of_variances

Values = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Table:
    """What runs found of things that are compared with each other.

    Attributes:
        kinds: of each thing; those of one kind are taken to differ alike from run to run.
        runs: of each run the logarithms of the values, a row a thing and a column a fork; NaN where a fork lacks one.
    """

    kinds: Sequence[str]
    runs: Sequence[Values]


@dataclass(frozen=True)
class Component:
    """How one value of a kind differs from run to run.

    Attributes:
        added: the variance of its logarithm beyond what the forks of a run show.
        between: the variance from run to run that this was computed from, with the spread within a run in it.
        freedom: the degrees of freedom of that.
    """

    added: float
    between: float
    freedom: float


@dataclass(frozen=True)
class RunSpread:
    """What the runs of one machine say of how values differ from run to run.

    Attributes:
        by_kind: what is known of each kind.
        other: of a kind that no other run has; None if nothing is known of any.
        runs: how many runs it was learned from; fewer than two say nothing.
    """

    by_kind: Mapping[str, Component]
    other: Component | None
    runs: int

    def beyond(self, ratio: LogRatio, kinds: Sequence[str], root: int = 1) -> LogRatio | None:
        """Widen a ratio by what its values differ from run to run; None if nothing is known of that.

        Args:
            ratio: of one run.
            kinds: of each value that is multiplied or divided by.
            root: which root of their product it is.
        """
        parts = [self.of(kind) for kind in kinds]
        known = [part for part in parts if part is not None]
        return widened(ratio, known, root) if known and len(known) == len(parts) else None

    def of(self, kind: str) -> Component | None:
        """Return how one value of a kind differs from run to run; None if nothing is known of any."""
        return self.by_kind.get(kind, self.other)


def widened(ratio: LogRatio, parts: Sequence[Component], root: int = 1) -> LogRatio:
    """Add to a ratio's variance what each of its values differs from run to run.

    Its freedom is Satterthwaite's, of the variances that it is made of.
    """
    added = sum(part.added for part in parts) / root**2
    if not added:
        return ratio
    variance = ratio.error**2 + added
    worth = ratio.error**4 / ratio.freedom + sum((part.between / root**2) ** 2 / part.freedom for part in parts)
    return LogRatio(ratio.log, math.sqrt(variance), max(1.0, variance**2 / worth), ratio.count)


UNKNOWN = RunSpread({}, None, 0)


def learned(tables: Sequence[Table]) -> RunSpread:
    """Learn how values differ from run to run.

    What moves all things of a table alike cancels in their ratios, so it is taken off: the median of each fork within
    a run, and of each run. A thing that moves by itself does not move a median.

    Args:
        tables: of at least two things and two runs, others are passed over; each thing with two forks in each run.
    """
    between: dict[str, list[tuple[float, float]]] = {}
    within: dict[str, list[float]] = {}
    runs = 0
    for table in tables:
        if len(table.runs) < 2 or len(table.kinds) < 2:
            continue
        runs = max(runs, len(table.runs))
        levelled = [run - np.nanmedian(run, axis=0) for run in table.runs]
        means = np.stack([np.nanmean(run, axis=1) for run in levelled])
        forks = [np.count_nonzero(~np.isnan(run), axis=1) for run in levelled]
        errors = [np.nanvar(run, axis=1, ddof=1) / count for run, count in zip(levelled, forks, strict=True)]
        spread = np.mean(errors, axis=0)
        own: dict[str, list[float]] = {}
        for kind, variance, noise in zip(table.kinds, means.var(axis=0, ddof=1), spread, strict=True):
            own.setdefault(kind, []).append(float(variance))
            within.setdefault(kind, []).append(float(noise))
        # Things of one kind in one table move together: they are worth one.
        for kind, variances in own.items():
            between.setdefault(kind, []).append((float(np.mean(variances)), len(table.runs) - 1))
    if not between:
        return UNKNOWN
    return _components(between, within, runs)


def _components(
    between: Mapping[str, Sequence[tuple[float, float]]], within: Mapping[str, Sequence[float]], runs: int
) -> RunSpread:
    """Put together what is known of each kind, drawn towards what is known of all."""
    freedoms = {kind: sum(freedom for _, freedom in pieces) for kind, pieces in between.items()}
    variances = {
        kind: sum(variance * freedom for variance, freedom in pieces) / freedoms[kind]
        for kind, pieces in between.items()
    }
    shared = prior_of_variances(list(variances.values()), list(freedoms.values()))
    noise = float(np.mean([value for values in within.values() for value in values]))
    by_kind = {
        kind: _component(shared, variances[kind], min(freedoms[kind], MOST_FREEDOM), float(np.mean(within[kind])))
        for kind in between
    }
    mean = sum(variances[kind] * freedoms[kind] for kind in between) / sum(freedoms.values())
    return RunSpread(by_kind, _component(NONE, mean, shared.freedom or float(runs - 1), noise), runs)


def _component(shared: Prior, variance: float, freedom: float, within: float) -> Component:
    """Draw the variance of one kind towards that of all."""
    total = shared.freedom + freedom
    between = (shared.freedom * shared.variance + freedom * variance) / total
    return Component(max(0.0, between - within), between, total)
