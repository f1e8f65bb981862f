"""The ranking of each group while a run is in progress: one line per group, with the first three stacks.

A rate that the load loop itself limits is "at least". Those that reach the first place stand before it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.stats.estimate.digits import figure, percent
from callbench.stats.load.bottleneck import LOOP, MOST_OF_ONE

PLACES = 3
# Fewer slices give no useful spread.
_FEWEST = 3
# What a page of progress holds.
_MOST_GROUPS, _MOST_STACKS = 40, 20


@dataclass
class _CellRates:
    """The rates of a cell so far, as the mean of their logarithms and the sum of the squares about it.

    Both are carried on from slice to slice: B. P. Welford, "Note on a method for calculating corrected sums of squares
    and products", Technometrics 4(3), 1962. So a look costs the same however many slices there are.
    """

    cell: Cell
    slices: int = 0
    mean: float = 0.0
    squares: float = 0.0
    loop_ns: int = 0
    window_ns: int = 0

    @property
    def rate(self) -> float:
        """The geometric mean of the rates, without the load loop's own time where that is taken off."""
        return math.exp(self.mean) / self.without_loop

    def add(self, rate: float) -> None:
        """Add the rate of a slice."""
        self.slices += 1
        away = math.log(rate) - self.mean
        self.mean += away / self.slices
        self.squares += away * (math.log(rate) - self.mean)

    @property
    def spread(self) -> float | None:
        """Twice the standard error of the mean over slices, as a share."""
        if self.slices < _FEWEST:
            return None
        return math.expm1(2 * math.sqrt(self.squares / (self.slices - 1) / self.slices))

    @property
    def at_least(self) -> bool:
        """Whether the load loop took so much of the clients' time that the rate is a lower bound."""
        load = self.cell.load
        most = MOST_OF_ONE if load.clients == 1 else LOOP
        return not load.think_ns and self.loop_ns > most * self.window_ns * load.clients

    @property
    def without_loop(self) -> float:
        """The share of the time that is left without the load loop's own time, where that is taken off."""
        load = self.cell.load
        taken = load.clients == 1 and not load.think_ns and not self.at_least and self.window_ns
        return 1 - self.loop_ns / self.window_ns if taken else 1.0

    def reach(self, sign: int) -> float:
        """Return an end of what the rate may be: the upper one with a sign of 1, the lower one with -1."""
        return self.rate * (1 + (self.spread or 0.0)) ** sign


@dataclass(frozen=True)
class GroupLine:
    """The ranking of one group so far.

    Attributes:
        name: the group with its load and link.
        places: the first stacks with their rates, best first.
        stacks: the number of stacks with a rate.
    """

    name: str
    places: Sequence[str]
    stacks: int


class RankedSoFar(TypedDict):
    """A stack in a ranking so far: its rate with its interval, and whether that lies below the first one's."""

    stack: str
    rate_per_s: float
    low_per_s: float | None
    high_per_s: float | None
    at_least: bool
    slices: int
    apart: bool


class RankingSoFar(TypedDict):
    """A ranking so far: how many are not told from the first, and how many are not shown."""

    name: str
    open: int
    more: int
    stacks: list[RankedSoFar]


class RankingsSoFar(TypedDict):
    """The rankings so far, and how many more there are."""

    rankings: list[RankingSoFar]
    more_rankings: int


class LiveRanking:
    """Collects slices. With two conditions it shows the first."""

    def __init__(self, cells: Sequence[Cell], condition: str) -> None:
        """Start without slices."""
        self._cells = {cell.id: cell for cell in cells if cell.idle == condition and not cell.load.open}
        self._seen: dict[str, _CellRates] = {}

    def add_slice(self, cell: str, calls: float, window_ns: int, loop_ns: int = 0) -> None:
        """Add a slice; `loop_ns` is the time of all clients together that the load loop itself took."""
        known = self._cells.get(cell)
        if known is not None and calls > 0 and window_ns > 0:
            rates = self._seen.setdefault(cell, _CellRates(known))
            rates.add(calls / window_ns * 1e9)
            rates.loop_ns += loop_ns
            rates.window_ns += window_ns

    def lines(self, most: int) -> list[GroupLine]:
        """Return the groups in the order of the run; groups with several stacks come first.

        Args:
            most: the largest number of lines.
        """
        return [_line(name, own) for name, own in self._groups()[:most]]

    def standing(self) -> RankingsSoFar:
        """Return the rankings as `progress.schema.json` has them, so many as a reader can look at."""
        groups = self._groups()
        shown = [_standing(name, own) for name, own in groups[:_MOST_GROUPS]]
        return {"rankings": shown, "more_rankings": len(groups) - len(shown)}

    def _groups(self) -> list[tuple[str, list[_CellRates]]]:
        """Return the groups that have a rate, those with several stacks first."""
        groups: dict[tuple[str, int, str], list[_CellRates]] = {}
        for cell in self._cells.values():
            key = cell.group, cell.load.clients, cell.link
            groups.setdefault(key, [])
            if cell.id in self._seen:
                groups[key].append(self._seen[cell.id])
        some = [(key, own) for key, own in groups.items() if own]
        some.sort(key=lambda pair: len(pair[1]) < 2)
        return [(_name(key), _best_first(own)) for key, own in some]


def _name(key: tuple[str, int, str]) -> str:
    group, clients, link = key
    return group + (f", {clients} clients" if clients > 1 else "") + (f", {link}" if link != LOOPBACK else "")


def _best_first(own: Sequence[_CellRates]) -> list[_CellRates]:
    first = max((rates.reach(-1) for rates in own if not rates.at_least), default=0.0)
    return sorted(own, key=lambda rates: (not (rates.at_least and rates.reach(1) >= first), -rates.rate))


def _line(name: str, own: Sequence[_CellRates]) -> GroupLine:
    return GroupLine(name, [_place(rates) for rates in own[:PLACES]], len(own))


def _standing(name: str, own: Sequence[_CellRates]) -> RankingSoFar:
    first = own[0]
    apart = [rates is not first and _apart(first, rates) for rates in own]
    return {
        "name": name,
        "open": sum(not so for so in apart[1:]),
        "more": max(0, len(own) - _MOST_STACKS),
        "stacks": [
            {
                "stack": rates.cell.stack,
                "rate_per_s": rates.rate,
                "low_per_s": None if rates.spread is None else rates.reach(-1),
                "high_per_s": None if rates.spread is None else rates.reach(1),
                "at_least": rates.at_least,
                "slices": rates.slices,
                "apart": so,
            }
            for rates, so in zip(own[:_MOST_STACKS], apart, strict=False)
        ],
    }


def _apart(first: _CellRates, other: _CellRates) -> bool:
    """Return whether the intervals do not meet; a rate that is "at least" may be any greater one."""
    known = first.spread is not None and other.spread is not None
    return known and not other.at_least and other.reach(1) < first.reach(-1)


def _place(rates: _CellRates) -> str:
    """Return a stack with its rate: `native/bin+tcp 31,000 ± 4 %`."""
    spread = rates.spread
    spread_text = "" if spread is None else f" ± {percent(spread)}"
    return f"{rates.cell.stack} {'≥ ' if rates.at_least else ''}{figure(rates.rate, spread)}{spread_text}"
