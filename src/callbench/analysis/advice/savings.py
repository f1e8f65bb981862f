"""What a stack costs beside another: each figure of both, and the difference with its interval."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from callbench.analysis.advice.figures import Every, Figures
from callbench.analysis.advice.prediction import (
    at_least,
    known_latency_us,
    latency_us,
    mixed,
    money_a_month,
    percentile_of,
    processor_us,
    value,
    wire_bytes,
)
from callbench.analysis.advice.sleeping import TimesAfterSleep, awake
from callbench.model.situation import Goal, Situation, SituationLink
from callbench.stats.estimate.contrast import ByBlock
from callbench.stats.estimate.difference import Difference, mean, paired

ByGroup = Mapping[str, ByBlock]
MEAN = "mean time"
MONEY = "a month"
_SIDES = (("server", False), ("client and server", True))


@dataclass(frozen=True)
class CostLine:
    """One figure of two stacks.

    Attributes:
        name: `p99 over office`.
        unit: of all figures.
        own: of the stack that is advised, with its interval over the forks. If it was predicted, the interval is
            widened by how far such predictions were off.
        other: of the one beside it; None where there is none.
        saved: what the first saves, taken fork by fork; below 0 it costs more. None likewise, and where both are upper
            bounds.
        predicted: whether a part of it was predicted; the interval of what is saved is then widened by the error of a
            comparison.
        at_most: of each stack, whether its figure is an upper bound, with an interval from the least that it can be.
    """

    name: str
    unit: str
    own: Difference
    other: Difference | None
    saved: Difference | None
    predicted: bool = False
    at_most: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class _Amounts:
    """A figure of a stack by fork; where it is an upper bound, also what it is not below."""

    values: ByBlock
    least: ByBlock


def processor_line(side: str, link: str = "") -> str:
    """Name the line of the processor time of a side, or of both: over a link, or without one."""
    return f"processor time of a call, {side}, {f'over {link}' if link else 'without a link'}"


def lines(  # noqa: PLR0913, PLR0917 - what is known, who is compared, and how sure it is
    records: Sequence[Every],
    situation: Situation,
    pair: tuple[str, str],
    groups: Mapping[str, float],
    errors: Mapping[str, float],
    off: Callable[[str, str, float], float],
    money_error: float = 0.0,
    measured_over: Sequence[str] = (),
) -> list[CostLine]:
    """Write every figure of two stacks.

    Args:
        records: the figures of the record, then those of cells over links.
        situation: for links, prices and calls a second.
        pair: the stack that is advised, and the one that it is compared with; empty: none.
        groups: shares of the groups.
        errors: of comparisons of predicted means, as log-ratios, by link.
        off: the error of a predicted latency as a log-ratio, of its link, `mean time` or the percentile, and its µs.
        measured_over: links over which every candidate was measured: their means are not predicted.
        money_error: of a comparison of money, as a log-ratio: the choice has it in its ratios too.
    """
    found: list[CostLine | None] = []
    every = records[0]

    def each_of(of: Callable[[Figures], ByBlock]) -> list[_Amounts]:
        return [_amounts(every, stack, groups, of) for stack in pair]

    for side, both in _SIDES:
        spent = partial(_processor, both=both)
        found.append(_line(processor_line(side), "µs", each_of(spent)))
    after = awake(records, [stack for stack in pair if stack], groups, situation.links)
    found += _processor_lines(after, situation, pair, groups)
    for name, place in (("to the server", 0), ("to the client", 1)):
        found.append(_line(f"bytes of a call, {name}", "bytes", each_of(partial(_bytes, place=place))))
    if situation.prices is not None:
        each = each_of(lambda figures: money_a_month(figures, situation))
        sent = [_sent_a_month(every, stack, groups, situation) for stack in pair]
        found.append(_line(MONEY, situation.prices.currency, each, _off_money(every), math.expm1(money_error), sent))
    percentile, words = percentile_of(situation)
    for link in situation.links:
        for name, metric, gather in ((MEAN, "mean_us", mixed), (words, percentile, _slowest)):
            stacks = [stack for stack in pair if stack]
            own = [every[stack, group] for stack in stacks for group in groups if (stack, group) in every]
            measured = all(known_latency_us(figures, link.name, link.wire, metric)[1] for figures in own)
            # A mean is the candidates' too, and they are compared with each other.
            measured = measured and (name != MEAN or link.name in measured_over or not link.wire.get("link"))
            latency = partial(_latency, link=link, metric=metric, measured=measured)
            each = [_amounts(every, stack, groups, latency, gather) for stack in stacks]
            found.append(
                _line(
                    f"{name} over {link.name}",
                    "ms",
                    each,
                    None if measured else partial(off, link.name, name),
                    errors.get(link.name) if name == MEAN else None,
                )
            )
    return [line for line in found if line is not None]


def _processor_lines(
    after: TimesAfterSleep | None, situation: Situation, pair: tuple[str, str], groups: Mapping[str, float]
) -> list[CostLine | None]:
    """Write what a call takes over each link, where both sides sleep before it."""
    found: list[CostLine | None] = []
    if after is None:
        return found
    far = [link.name for link in situation.links if link.wire.get("link")]
    for link, (side, both) in itertools.product(far, _SIDES):
        of = partial(_processor, both=both, link=link)
        each = [_amounts(after.every, stack, groups, of) for stack in pair]
        found.append(_line(processor_line(side, link), "µs", each, *_reach(after)))
    return found


def _off_money(every: Every) -> Callable[[float], float] | None:
    """Give how far money can be off as a log, where what the links add to its processor time was predicted."""
    reach = max((figures.added.reach for figures in every.values() if figures.added is not None), default=0.0)
    return (lambda _: reach) if reach else None


def _sent_a_month(every: Every, stack: str, groups: Mapping[str, float], situation: Situation) -> float:
    """Give what the bytes of a month cost, which are counted: however far processor time is off, they are not."""
    if situation.prices is None:
        return 0.0
    free = replace(situation, prices=replace(situation.prices, processor_hour=0.0))
    sent = _mean_of(every, stack, groups, lambda figures: money_a_month(figures, free))
    return mean([*sent.values()]).middle if sent else 0.0


def candidate_amounts(  # noqa: PLR0913, PLR0917 - what is known, and how sure it is
    every: Every,
    names: Sequence[str],
    situation: Situation,
    groups: Mapping[str, float],
    links: Sequence[str],
    off: Callable[[str, str, float], float],
) -> dict[str, Difference]:
    """Give what the goal wants small, of each candidate, with the same interval as its line of costs has.

    Args:
        every: the figures.
        names: the candidates.
        situation: for the goal, links and prices.
        groups: shares of the groups.
        links: those over which all candidates were measured.
        off: the error of a predicted latency, as `lines` has it.

    Returns:
        By candidate: ms, money a month, µs or bytes.
    """
    found = {}
    for name in names:
        own = partial(value, situation=situation, goal=situation.goal, measured=links)
        amounts = _amounts(every, name, groups, own)
        values = amounts.values
        if not values:
            continue
        logs, exact = [0.0], 0.0
        if situation.goal is Goal.TIME:
            predicted = [link for link in situation.links if link.name not in links and link.wire.get("link")]
            logs += [off(link.name, MEAN, amount_of([*values.values()]).middle) for link in predicted]
        elif situation.goal is Goal.MONEY and (of_money := _off_money(every)) is not None:
            logs.append(of_money(0.0))
            exact = _sent_a_month(every, name, groups, situation)
        scale = 1e-3 if situation.goal is Goal.TIME else 1.0
        found[name] = _times(_amount_of(amounts, scale), max(logs), exact)
    return found


def _reach(after: TimesAfterSleep) -> tuple[Callable[[float], float] | None, float | None]:
    """Give how far predicted figures can be off as a log, and a saving as a share of the larger of both."""
    reach = after.reach
    return (None, None) if reach is None else (lambda _: reach, math.expm1(reach))


def slowest_us(every: Every, stack: str, groups: Mapping[str, float], link: SituationLink, metric: str) -> ByBlock:
    """Give a latency of the group in which it is greatest, by fork: a percentile of a mix has no simple form."""
    own = _by_group(every, stack, groups, lambda figures: known_latency_us(figures, link.name, link.wire, metric)[0])
    return _slowest(every, stack, groups, own)


def _latency(figures: Figures, *, link: SituationLink, metric: str, measured: bool) -> ByBlock:
    """Give a latency over a link: measured where that was said of all that are compared, predicted otherwise."""
    if measured:
        return known_latency_us(figures, link.name, link.wire, metric)[0]
    return latency_us(figures, link.wire, metric)


def _mean_of(every: Every, stack: str, groups: Mapping[str, float], of: Callable[[Figures], ByBlock]) -> ByBlock:
    return mixed(every, stack, groups, _by_group(every, stack, groups, of))


def _amounts(
    every: Every,
    stack: str,
    groups: Mapping[str, float],
    of: Callable[[Figures], ByBlock],
    gather: Callable[[Every, str, Mapping[str, float], ByGroup], ByBlock] = mixed,
) -> _Amounts:
    own, least = (
        gather(every, stack, groups, _by_group(every, stack, groups, each))
        for each in (of, lambda figures: of(at_least(figures)))
    )
    return _Amounts(own, least if least != own else {})


def _slowest(every: Every, stack: str, groups: Mapping[str, float], by_group: ByGroup) -> ByBlock:  # noqa: ARG001 - as `mixed`
    if len(by_group) < len(groups) or not all(by_group.values()):
        return {}
    forks = set.intersection(*map(set, by_group.values()))
    return {fork: max(values[fork] for values in by_group.values()) for fork in sorted(forks)}


def _by_group(every: Every, stack: str, groups: Mapping[str, float], of: Callable[[Figures], ByBlock]) -> ByGroup:
    return {group: of(every[stack, group]) for group in groups if (stack, group) in every}


def _processor(figures: Figures, *, both: bool, link: str = "") -> ByBlock:
    return processor_us(figures.over[link] if link else figures.here, both=both)


def _bytes(figures: Figures, place: int) -> ByBlock:
    sizes = wire_bytes(figures)
    return dict.fromkeys(figures.here.latency_us.get("mean_us", {}), sizes[place]) if sizes else {}


def _line(  # noqa: PLR0913, PLR0917 - a figure of two stacks, and by what it can be off
    name: str,
    unit: str,
    each: Sequence[_Amounts],
    off: Callable[[float], float] | None = None,
    error: float | None = None,
    exact: Sequence[float] = (0.0, 0.0),
) -> CostLine | None:
    """Put a line together; None where the stack that is advised has no such figure.

    Args:
        name: of the line.
        unit: of its values.
        each: of the stack that is advised and of the other one, by fork, in µs if the unit is ms.
        off: the error of a prediction as a log-ratio, of its µs. None where all was measured.
        error: that of a comparison of predictions; None: that of the longer one.
        exact: of each stack, the part of its values that is counted: none of these errors is of it.
    """
    scale = 1e-3 if unit == "ms" else 1.0
    if not each[0].values:
        return None
    amounts = [_amount_of(known, scale) for known in each if known.values]
    saved = _saved(each, scale)
    uncertain = [difference.middle - part for difference, part in zip(amounts, exact, strict=False)]
    longest = max(uncertain)
    if off is not None:
        widened = zip(amounts, uncertain, exact, strict=False)
        amounts = [_times(difference, off(rest / scale), part) for difference, rest, part in widened]
        error = off(longest / scale) if error is None else error
    return CostLine(
        name=name,
        unit=unit,
        own=amounts[0],
        other=amounts[1] if len(amounts) > 1 else None,
        saved=None if saved is None else _wider(saved, longest * (error or 0.0)),
        predicted=off is not None,
        at_most=(bool(each[0].least), bool(each[-1].least) and len(each) > 1),
    )


def _amount_of(known: _Amounts, scale: float) -> Difference:
    most = amount_of([number * scale for number in known.values.values()])
    if not known.least:
        return most
    least = amount_of([number * scale for number in known.least.values()])
    return replace(most, low=least.low)


def _saved(each: Sequence[_Amounts], scale: float) -> Difference | None:
    """Give what the first saves beside the other, from one end to the other of what an upper bound stands for."""
    own, other = each[0], each[1] if len(each) > 1 else _Amounts({}, {})
    if not paired(other.values, own.values) or (own.least and other.least):
        return None

    def between(whole: ByBlock, part: ByBlock) -> Difference:
        return mean([number * scale for number in paired(whole, part)])

    saved = between(other.values, own.values)
    if own.least:
        return replace(saved, high=between(other.values, own.least).high)
    return replace(saved, low=between(other.least, own.values).low) if other.least else saved


def amount_of(values: Sequence[float]) -> Difference:
    """Compute the mean of what cannot be below 0, so its interval is not either."""
    average = mean(values)
    return average if average.low is None else replace(average, low=max(0.0, average.low))


def _wider(difference: Difference, by: float) -> Difference:
    if difference.low is None or difference.high is None:
        return difference
    return Difference(difference.middle, difference.low - by, difference.high + by, difference.forks)


def _times(difference: Difference, log: float, exact: float = 0.0) -> Difference:
    """Widen the interval of a value by a factor each way, but for the part of it that is exact."""
    if difference.low is None or difference.high is None:
        return difference
    low, high = (end - exact for end in (difference.low, difference.high))
    return Difference(difference.middle, exact + low / math.exp(log), exact + high * math.exp(log), difference.forks)
