"""How much the message matters, and how much the channel: only where one adapter has them crossed.

A message in Java beside one in Rust differs by its language before it differs by its message. So a factor is taken
within one adapter, whose stacks have the same loop, language and server, over messages and channels that were all
measured with each other, and with one library for a message over all channels.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from callbench.analysis.cells.results import Result
from callbench.model.card import PlannedStacks
from callbench.model.cell import MIXED
from callbench.stats.decide.decision import Decision, by_ratio
from callbench.stats.estimate.digits import figure
from callbench.stats.estimate.interval import Interval, geometric_mean

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

    @property
    def shown(self) -> bool:
        """Whether the factor is told from 1."""
        return by_ratio(self.factor) is Decision.BETTER

    @property
    def text(self) -> str:
        """The factor, with no more digits than its interval supports."""
        return figure(self.factor.middle, self.factor.half_width)


@dataclass(frozen=True)
class Influences:
    """How far each of the two moves the rate.

    Attributes:
        shown: whether one is shown to matter more than the other.
    """

    message: Influence
    channel: Influence
    shown: bool


def effects(cells: Sequence[Result], cards: PlannedStacks) -> dict[str, str]:
    """Describe it in sentences, by adapter.

    Args:
        cells: of one load and link, that may be ranked.
        cards: the stacks of the plan by id, for their libraries.
    """
    return {adapter: _sentence(both) for adapter, both in influences(cells, cards).items()}


def influences(cells: Sequence[Result], cards: PlannedStacks) -> dict[str, Influences]:
    """Measure it within each adapter that has messages and channels crossed, by adapter.

    Args:
        cells: as for `effects`.
        cards: likewise.
    """
    by_adapter = {}
    for adapter in dict.fromkeys(cell.attributes["adapter"] for cell in cells):
        own = [
            cell for cell in cells if cell.attributes["adapter"] == adapter and MIXED not in cell.attributes["stack"]
        ]
        layout = _crossed(own, cards)
        if layout and _forks(layout):
            by_adapter[adapter] = _influences(layout)
    return by_adapter


def _crossed(cells: Sequence[Result], cards: PlannedStacks) -> Layout:
    """Take the channels that every message was measured over; nothing if there are fewer than two of either."""
    by_message: dict[str, dict[str, Result]] = {}
    libraries: dict[str, set[str]] = {}
    for cell in cells:
        message, channel = cell.attributes["message"], cell.attributes["channel"]
        by_message.setdefault(message, {})[channel] = cell
        stack = cards.get(cell.attributes["stack"])
        libraries.setdefault(message, set()).add(f"{stack['library']} {stack['version']}" if stack else "")
    fair = {message: row for message, row in by_message.items() if len(libraries[message]) == 1}
    common = set.intersection(*(set(row) for row in fair.values())) if fair else set()
    if len(fair) < 2 or len(common) < 2:
        return {}
    return {(message, channel): row[channel] for message, row in fair.items() for channel in sorted(common)}


def _forks(layout: Layout) -> list[int]:
    """List the forks that have all of a layout's cells."""
    return sorted(set.intersection(*(set(cell.by_fork["rate_per_s"]) for cell in layout.values())))


def _influences(layout: Layout) -> Influences:
    """Measure both, and whether one is shown to move the rate more."""
    message, channel = _influence(layout, lambda key: key[0]), _influence(layout, lambda key: key[1])
    more, less = (message, channel) if message.factor.middle > channel.factor.middle else (channel, message)
    gap = geometric_mean([math.exp(more.by_fork[fork] - less.by_fork[fork]) for fork in _forks(layout)])
    return Influences(message, channel, by_ratio(gap) is Decision.BETTER)


def _sentence(both: Influences) -> str:
    """Write which of the two moves the rate more, if that can be told."""
    first, second = ("channel", both.channel), ("message", both.message)
    if both.message.factor.middle > both.channel.factor.middle:
        first, second = second, first
    undecided = "it is undecided whether message or channel matters more"
    sentence = f"the {first[0]} mattered more" if both.shown else undecided
    return (
        f"{sentence}. The {first[0]} changed the rate by a factor of {_factor(first[1])}, the {second[0]} by"
        f" {_factor(second[1])}"
    )


def _factor(influence: Influence) -> str:
    doubt = "" if influence.shown else ", not distinguished from 1"
    return f"{influence.text} ({influence.worst} to {influence.best}{doubt})"


def _influence(layout: Layout, of: Callable[[tuple[str, str]], str]) -> Influence:
    """Measure how much one attribute matters.

    These are the main effects of an additive model of the logarithm in a balanced two-way layout (Fisher,
    "Statistical Methods for Research Workers", 1925, chapter VIII), fork by fork.
    """
    names = dict.fromkeys(of(key) for key in layout)
    forks = _forks(layout)
    means: dict[str, dict[int, float]] = {}
    for name in names:
        own = [cell.by_fork["rate_per_s"] for key, cell in layout.items() if of(key) == name]
        means[name] = {fork: math.fsum(math.log(by_fork[fork]) for by_fork in own) / len(own) for fork in forks}
    best = max(names, key=lambda name: math.fsum(means[name].values()))
    worst = min(names, key=lambda name: math.fsum(means[name].values()))
    by_fork = {fork: means[best][fork] - means[worst][fork] for fork in forks}
    return Influence(best, worst, geometric_mean([math.exp(value) for value in by_fork.values()]), by_fork)
