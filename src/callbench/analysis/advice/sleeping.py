"""The processor time of a call over a link: that of a loop without one, times what a sleep before each call costs.

While a call travels, both sides sleep. Then they wake up with cold caches, so a call takes several times the processor
time that it takes where calls follow each other at once. How many times is learned from cells that were measured both
ways. Stacks on the same channel wake up in the same way, so they alone are asked, if there are any.

A waking takes about as long whatever the message is. So what it takes is added, and not multiplied, where messages have
another size.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from callbench.analysis.advice.figures import AddedTime, Every, Figures, OverLink
from callbench.model.situation import Situation, SituationLink
from callbench.stats.estimate.contrast import ByBlock, fork_ratios
from callbench.stats.estimate.interval import quantile

SIDES = ("server", "client")
# How much the logs of such factors vary between stacks, of one channel and of all, and what that rests on: 12 cells of
# 6 native stacks over 25 ms and 20 Mbit/s. Few cells in an advice cannot say it by themselves.
OF_CHANNEL, OF_ALL, FREEDOM = 0.15, 0.25, 10


@dataclass(frozen=True)
class SleepFactor:
    """How many times as much processor time a call takes over a link.

    Attributes:
        log: of the factor.
        reach: half of its 95 % interval for a stack that was not measured there, as a log.
        stacks: those that were measured.
    """

    log: float
    reach: float
    stacks: Sequence[str]


@dataclass(frozen=True)
class TimesAfterSleep:
    """What calls take where each side sleeps before each of them.

    Attributes:
        every: the figures, with what each stack took over each link of a situation.
        reach: how far it can be off as a log, because it was predicted; None where it was measured.
    """

    every: Every
    reach: float | None


def times(cells: Collection[Figures], link: str, side: str, channel: str, without: str = "") -> SleepFactor | None:
    """Learn from measured cells how many times as much a call takes over a link.

    The logs of the factors have the spread that is known before, moderated by their own (as a variance with its
    degrees of freedom: Smyth, "Linear models and empirical Bayes methods", 2004, section 3). The reach is that of
    Student's prediction interval of a further one.

    Args:
        cells: measured ones and others, of any record.
        link: by its name.
        side: `server` or `client`.
        channel: of the stack that is to be predicted.
        without: a stack whose cells are not asked.

    Returns:
        None where no other stack was measured.
    """
    logs: dict[str, list[float]] = {}
    channels: dict[str, str] = {}
    for cell in cells:
        ratios = fork_ratios([told(cell.over[link], side)], [told(cell.here, side)]) if link in cell.over else []
        if ratios and cell.stack != without:
            logs.setdefault(cell.stack, []).extend(math.log(ratio) for ratio in ratios)
            channels[cell.stack] = cell.channel
    same = [stack for stack in logs if channels[stack] == channel]
    known, stacks = (OF_CHANNEL, same) if same else (OF_ALL, list(logs))
    if not stacks:
        return None
    means = [math.fsum(logs[stack]) / len(logs[stack]) for stack in stacks]
    mean, number = math.fsum(means) / len(means), len(means)
    freedom = FREEDOM + number - 1
    variance = (FREEDOM * known**2 + math.fsum((stack_mean - mean) ** 2 for stack_mean in means)) / freedom
    return SleepFactor(mean, quantile(freedom) * math.sqrt(variance * (1 + 1 / number)), stacks)


def scaled(values: ByBlock, factor: float) -> dict[int, float]:
    """Give so many times the values, by fork."""
    return {fork: value * factor for fork, value in values.items()}


def awake(
    records: Sequence[Every], stacks: Sequence[str], groups: Collection[str], links: Sequence[SituationLink]
) -> TimesAfterSleep | None:
    """Give what some stacks take over all links: measured, if one record has all of it, predicted otherwise.

    Args:
        records: the main one first, then those of cells over links, the newest last.
        stacks: which.
        groups: with which calls.
        links: over which.

    Returns:
        None where nothing was measured over one of the links, or the main record lacks a stack's figures.
    """
    wanted = [(stack, group) for stack in stacks for group in groups]
    far = [link.name for link in links if link.wire.get("link")]
    if not far:
        return None
    for record in reversed(records):
        if all(key in record and all(_whole(record[key].over.get(link)) for link in far) for key in wanted):
            return TimesAfterSleep(record, None)
    main, cells = records[0], [figures for record in records for figures in record.values()]
    found, reach = {}, 0.0
    for key in wanted:
        mine = main.get(key)
        if mine is None or not _whole(mine.here):
            return None
        over = {}
        for link in far:
            by = {side: times(cells, link, side, mine.channel) for side in SIDES}
            if any(each is None for each in by.values()):
                return None
            factors = {side: math.exp(each.log) for side, each in by.items() if each is not None}
            over[link] = OverLink({}, *_scaled_sides(mine.here, factors))
            reach = max(reach, *(each.reach for each in by.values() if each is not None))
        found[key] = replace(mine, over=over)
    return TimesAfterSleep(found, reach)


def told(spent: OverLink, side: str) -> ByBlock:
    """Give the processor time of a side; nothing where only an upper bound is known: no factor follows from it."""
    return {} if f"{side}_us" in spent.least_us else spent.server_us if side == "server" else spent.client_us


def _whole(spent: OverLink | None) -> bool:
    return spent is not None and bool(spent.server_us) and bool(spent.client_us)


def with_added_time(every: Every, records: Sequence[Every], situation: Situation) -> Every:
    """Give each stack what the links of a situation add to its processor time, by their shares of the calls.

    Args:
        every: the figures of the record.
        records: all that was measured, with cells over links: they say how much that is.
        situation: with the links.

    Returns:
        The figures; as they are where no cell over one of the links was measured.
    """
    cells = [figures for record in records for figures in record.values()]
    added_by_key = {key: _added(figures, cells, situation) for key, figures in every.items()}
    if any(added is None for added in added_by_key.values()):
        return every
    return {key: replace(figures, added=added_by_key[key]) for key, figures in every.items()}


def _added(figures: Figures, cells: Sequence[Figures], situation: Situation) -> AddedTime | None:
    # Without a link nothing sleeps, and nothing is off.
    far = [link for link in situation.links if link.wire.get("link")]
    factors, reach = dict.fromkeys(SIDES, 0.0), 0.0
    for link in far:
        for side in SIDES:
            by = times(cells, link.name, side, figures.channel)
            if by is None:
                return None
            factors[side] += link.share * (math.exp(by.log) - 1)
            reach = max(reach, by.reach)
    here = figures.here
    server, client, least = _scaled_sides(here, factors)
    return AddedTime(server, client, reach, least)


def _scaled_sides(spent: OverLink, factors: Mapping[str, float]) -> tuple[ByBlock, ByBlock, Mapping[str, ByBlock]]:
    """Give so many times what each side takes, and the least of what is an upper bound."""
    least = {f"{side}_us": factor for side, factor in factors.items() if f"{side}_us" in spent.least_us}
    return (
        scaled(spent.server_us, factors["server"]),
        scaled(spent.client_us, factors["client"]),
        {name: scaled(spent.least_us[name], factor) for name, factor in least.items()},
    )
