"""The changes in the series of a folder of records."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from callbench.analysis.history.series import Collected, SeriesName, SeriesPoint
from callbench.stats.decide.changes import FEWEST, changes
from callbench.stats.estimate.interval import CONFIDENCE, Interval
from callbench.stats.estimate.logratio import unpaired


@dataclass(frozen=True)
class LevelChange:
    """A change of a series' level.

    Attributes:
        name: of the series.
        before: the last value before it.
        after: the first value after it.
        ratio: the level after by the level before, each up to the next change, with its interval.
        noise: by how much values of one level of this series differ, as a share: one standard deviation.
    """

    name: SeriesName
    before: SeriesPoint
    after: SeriesPoint
    ratio: Interval
    noise: float

    @property
    def better(self) -> bool:
        """Whether it is an improvement."""
        return (self.ratio.middle > 1) == self.name.higher_is_better


@dataclass(frozen=True)
class SeriesHistory:
    """A series with its levels.

    Attributes:
        points: in the order of time.
        starts: the index of the first value of each level, the first being 0.
        noise: as `LevelChange` has it; None for fewer than two values.
        looked_at: whether it has enough values to find a change.
    """

    name: SeriesName
    points: Sequence[SeriesPoint]
    starts: Sequence[int]
    noise: float | None
    looked_at: bool


@dataclass(frozen=True)
class History:
    """What a folder of records says over time.

    Attributes:
        collected: what was read.
        series: those with changes first, then by name.
        changes: those at the last records first, and of one record the greatest by its noise first.
    """

    collected: Collected
    series: Sequence[SeriesHistory]
    changes: Sequence[LevelChange] = field(default=())


def history(collected: Collected) -> History:
    """Find the changes in each series."""
    found: list[SeriesHistory] = []
    every: list[LevelChange] = []
    for name, points in collected.series.items():
        logs = [math.log(point.value) for point in points]
        starts = [0, *changes(logs)]
        noise = _noise(logs, starts)
        found.append(SeriesHistory(name, points, starts, noise, len(points) >= FEWEST))
        every.extend(_changes(name, points, starts, noise or 0.0))
    found.sort(key=lambda series: (len(series.starts) < 2, series.name.study, series.name.cell, series.name.metric))
    every.sort(key=lambda change: abs(math.log(change.ratio.middle)) / (change.noise or 1e-9), reverse=True)
    places = {name: place for place, name in enumerate(collected.records)}
    every.sort(key=lambda change: places[change.after.record], reverse=True)
    return History(collected, found, every)


def _changes(
    name: SeriesName, points: Sequence[SeriesPoint], starts: Sequence[int], noise: float
) -> Iterator[LevelChange]:
    ends = [*starts[1:], len(points)]
    levels = [[point.value for point in points[begin:end]] for begin, end in zip(starts, ends, strict=True)]
    for at, before, after in zip(starts[1:], levels, levels[1:], strict=False):
        ratio = unpaired(after, before).interval(CONFIDENCE)
        yield LevelChange(name, points[at - 1], points[at], ratio, noise)


def _noise(logs: Sequence[float], starts: Sequence[int]) -> float | None:
    """Return one standard deviation of values about the mean of their level."""
    levels = [np.asarray(logs[begin:end]) for begin, end in zip(starts, [*starts[1:], len(logs)], strict=True)]
    freedom = len(logs) - len(levels)
    if freedom < 1:
        return None
    return math.expm1(math.sqrt(sum(float(((level - level.mean()) ** 2).sum()) for level in levels) / freedom))
