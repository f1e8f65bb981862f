"""How much the message matters, and how much the channel: only where one adapter has them crossed.

A message in Java beside one in Rust differs by its language before it differs by its message. So a factor is taken
within one adapter, whose stacks have the same loop, language and server, over messages and channels that were all
measured with each other, and with one library for a message over all channels.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.analysis.results import Result
from callbench.model.cell import MIXED
from callbench.stats.decision import Decision, by_ratio
from callbench.stats.digits import figure
from callbench.stats.interval import Interval, geometric_mean

Layout = Mapping[tuple[str, str], Result]


@dataclass(frozen=True)
class Influence:
    """How far one attribute moves the rate when the other is averaged out.

    Attributes:
        factor: rate of the best value over that of the worst, geometric means over the other attribute.
        by_fork: its logarithm in each fork.
    """

    best: str
    worst: str
    factor: Interval
    by_fork: Mapping[int, float]


def effects(cells: Sequence[Result], cards: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Describe it for each adapter that has messages and channels crossed, by adapter.

    Args:
        cells: of one load and link, that may be ranked.
        cards: the stacks of the plan by id, for their libraries.
    """
    influences = {}
    for adapter in dict.fromkeys(one.attributes["adapter"] for one in cells):
        own = [one for one in cells if one.attributes["adapter"] == adapter and MIXED not in one.attributes["stack"]]
        layout = _crossed(own, cards)
        if layout and _forks(layout):
            influences[adapter] = _sentence(layout)
    return influences


def _crossed(cells: Sequence[Result], cards: Mapping[str, Mapping[str, Any]]) -> Layout:
    """Take the channels that every message was measured over; nothing if there are fewer than two of either."""
    by_message: dict[str, dict[str, Result]] = {}
    libraries: dict[str, set[str]] = {}
    for one in cells:
        message, channel = one.attributes["message"], one.attributes["channel"]
        by_message.setdefault(message, {})[channel] = one
        card = cards.get(one.attributes["stack"], {})
        libraries.setdefault(message, set()).add(f"{card.get('library')} {card.get('version')}")
    fair = {message: row for message, row in by_message.items() if len(libraries[message]) == 1}
    common = set.intersection(*(set(row) for row in fair.values())) if fair else set()
    if len(fair) < 2 or len(common) < 2:
        return {}
    return {(message, channel): row[channel] for message, row in fair.items() for channel in sorted(common)}


def _forks(layout: Layout) -> list[int]:
    """List the forks that have all of a layout's cells."""
    return sorted(set.intersection(*(set(one.by_fork["rate_per_s"]) for one in layout.values())))


def _sentence(layout: Layout) -> str:
    """Write which of the two moves the rate more, if that can be told."""
    message, channel = _influence(layout, lambda key: key[0]), _influence(layout, lambda key: key[1])
    first, second = ("channel", channel), ("message", message)
    if message.factor.middle > channel.factor.middle:
        first, second = second, first
    gap = geometric_mean([math.exp(first[1].by_fork[fork] - second[1].by_fork[fork]) for fork in _forks(layout)])
    shown = by_ratio(gap) is Decision.BETTER
    sentence = f"the {first[0]} mattered more" if shown else "it is undecided whether message or channel matters more"
    return (
        f"{sentence}. The {first[0]} changed the rate by a factor of {_factor(first[1])}, the {second[0]} by"
        f" {_factor(second[1])}"
    )


def _factor(influence: Influence) -> str:
    certain = by_ratio(influence.factor) is Decision.BETTER
    doubt = "" if certain else ", not distinguished from 1"
    factor = figure(influence.factor.middle, influence.factor.half_width)
    return f"{factor} ({influence.worst} to {influence.best}{doubt})"


def _influence(layout: Layout, of: Callable[[tuple[str, str]], str]) -> Influence:
    """Measure how much one attribute matters.

    These are the main effects of an additive model of the logarithm in a balanced two-way layout (Fisher,
    "Statistical Methods for Research Workers", 1925, chapter VIII), fork by fork.
    """
    names = dict.fromkeys(of(key) for key in layout)
    forks = _forks(layout)
    means: dict[str, dict[int, float]] = {}
    for name in names:
        own = [one.by_fork["rate_per_s"] for key, one in layout.items() if of(key) == name]
        means[name] = {fork: math.fsum(math.log(one[fork]) for one in own) / len(own) for fork in forks}
    best = max(names, key=lambda name: math.fsum(means[name].values()))
    worst = min(names, key=lambda name: math.fsum(means[name].values()))
    by_fork = {fork: means[best][fork] - means[worst][fork] for fork in forks}
    return Influence(best, worst, geometric_mean([math.exp(value) for value in by_fork.values()]), by_fork)
