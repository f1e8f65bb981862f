"""Predictions held against measurements: cells over a link that were predicted from the same forks without one.

A processor time is predicted with what the other stacks' cells over the link say, never with its own.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from callbench.analysis.advice.figures import Figures
from callbench.analysis.advice.prediction import latency_us, money_a_month, percentile_of, processor_us
from callbench.analysis.advice.sleeping import SIDES, scaled, times, told
from callbench.model.situation import Goal, Situation
from callbench.stats.estimate.contrast import ByBlock, fork_ratios, ratios_by_fork
from callbench.stats.estimate.interval import Interval, geometric_mean
from callbench.stats.estimate.logratio import paired

# What a comparison of predictions is taken to be good for where nothing was held back (decision 28), and at best.
UNCHECKED = 0.05
LEAST = 0.02
# What a percentile above the median may be off besides, in µs. Over 2 ms and 50 Mbit/s, measured ones were up to 78 %
# above. It is the time in which few calls wait for a processor, so it does not grow with the delay of a link.
UNCHECKED_TAIL_US = 2000.0
PROCESSOR_TIME = "processor time"
_TAILS = frozenset({"p90", "p99", "p99.9", "max"})


@dataclass(frozen=True)
class Check:
    """One figure of one cell, predicted and measured.

    Attributes:
        what: `mean time`, `p99` or what the objective is of, `processor time, server`, `processor time, client`.
        predicted: in microseconds; of a processor time, with the interval of the prediction itself.
        measured: likewise.
        off: measured over predicted, fork by fork.
    """

    stack: str
    group: str
    link: str
    what: str
    predicted: Interval
    measured: Interval
    off: Interval


@dataclass(frozen=True)
class Error:
    """How far a comparison of predictions can be off.

    Attributes:
        log: as a log-ratio.
        links: those whose cells say so; without any, it is assumed.
    """

    log: float
    links: Sequence[str]


def checks(every: Iterable[Figures], situation: Situation) -> list[Check]:
    """Compare every cell that was measured over a link of the situation with its prediction."""
    percentile, words = percentile_of(situation)
    found: list[Check] = []
    cells = list(every)
    for cell in cells:
        for link in situation.links:
            measured = cell.over.get(link.name)
            if measured is None:
                continue
            pairs: list[tuple[str, ByBlock, ByBlock]] = [
                (name, latency_us(cell, link.wire, metric), measured.latency_us.get(metric, {}))
                for name, metric in (("mean time", "mean_us"), (words, percentile))
            ]
            made = [
                _check((cell.stack, cell.group, link.name, what), predicted, seen) for what, predicted, seen in pairs
            ]
            made += [_processor_check(cell, cells, link.name, side) for side in SIDES]
            found += [check for check in made if check is not None]
    return found


def _processor_check(cell: Figures, cells: Sequence[Figures], link: str, side: str) -> Check | None:
    """Predict a cell from the other stacks over the link; None where there are none."""
    by = times(cells, link, side, cell.channel, without=cell.stack)
    if by is None:
        return None
    here, seen = (told(spent, side) for spent in (cell.here, cell.over[link]))
    check = _check((cell.stack, cell.group, link, f"{PROCESSOR_TIME}, {side}"), scaled(here, math.exp(by.log)), seen)
    if check is None:
        return None
    # The factor's own interval counts: how much the forks differ says nothing of it.
    middle, factor = check.predicted.middle, math.exp(by.reach)
    return replace(check, predicted=replace(check.predicted, low=middle / factor, high=middle * factor))


def _check(names: tuple[str, str, str, str], predicted: ByBlock, measured: ByBlock) -> Check | None:
    forks = predicted.keys() & measured.keys()
    if not forks:
        return None
    before, after = (geometric_mean([values[fork] for fork in sorted(forks)]) for values in (predicted, measured))
    stack, group, link, what = names
    return Check(
        stack=stack,
        group=group,
        link=link,
        what=what,
        predicted=before,
        measured=after,
        off=geometric_mean(fork_ratios([measured], [predicted])),
    )


def error_of(every: Iterable[Figures], situation: Situation, goal: Goal) -> Error:
    """Say how far a comparison of two predictions can be off.

    An error that all cells over a link share changes no comparison. So, where several were measured, it is the root
    mean square of the differences of their errors, less what chance brings to it; where one was, its own error. At
    least 2 %; 5 % over a link where none was measured. Bytes are counted, so they have no such error.
    """
    if goal is Goal.BYTES:
        return Error(0.0, ())
    figures, worst, links = list(every), math.log1p(LEAST), []
    for link in situation.links:
        if not link.wire.get("link"):
            continue
        by_group: dict[str, list[ByBlock]] = {}
        for cell in figures:
            if off := _off(cell, situation, link.name, goal):
                by_group.setdefault(cell.group, []).append(off)
        if by_group:
            links.append(link.name)
        worst = max(worst, _spread(by_group.values()) if by_group else math.log1p(UNCHECKED))
    return Error(worst, links)


def _spread(groups: Iterable[Sequence[ByBlock]]) -> float:
    """Compute the root mean square of the errors of comparisons, less the square of its standard error: not below 0.

    That the mean of n values has the square of the true mean and s^2 / n as its expected square: the method of moments.
    """
    squares: list[float] = []
    for each in groups:
        pairs = [fork_ratios([a], [b]) for a, b in itertools.combinations(each, 2)] or [list(each[0].values())]
        for ratios in pairs:
            if len(ratios) > 1:
                difference = paired(ratios)
                squares.append(difference.log**2 - difference.error**2)
    return math.sqrt(max(0.0, math.fsum(squares) / len(squares))) if squares else math.log1p(UNCHECKED)


def off_by(checked: Iterable[Check], link: str, what: str, us: float) -> float:
    """Give how far a predicted figure over a link was off at most, as a log-ratio.

    Where none was measured, 5 %; of a percentile above the median 2 ms besides.

    Args:
        checked: what was predicted and measured.
        link: by its name.
        what: `mean time` or the percentile.
        us: what was predicted, in microseconds.
    """
    logs = [abs(math.log(check.off.middle)) for check in checked if check.link == link and check.what == what]
    return max(logs, default=math.log1p(UNCHECKED + (UNCHECKED_TAIL_US / us if what in _TAILS else 0.0)))


def _off(cell: Figures, situation: Situation, name: str, goal: Goal) -> ByBlock:
    """Give measured over predicted by fork, of what the goal wants small; empty where one is not known."""
    measured = cell.over.get(name)
    if measured is None or (goal is not Goal.TIME and (cell.here.least_us or measured.least_us)):
        # Upper bounds of processor time say nothing of an error.
        return {}
    link = next(link for link in situation.links if link.name == name)
    both = situation.prices is None or situation.prices.both_sides
    match goal:
        case Goal.MONEY:
            pair = money_a_month(cell, situation), money_a_month(cell, situation, measured)
        case Goal.PROCESSOR:
            pair = processor_us(cell.here, both=both), processor_us(measured, both=both)
        case _:
            pair = latency_us(cell, link.wire, "mean_us"), measured.latency_us.get("mean_us", {})
    return ratios_by_fork([pair[1]], [pair[0]])
