"""The ranking of each group while a run is in progress: one line per group, with the first three stacks."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.stats.digits import figure, percent

PLACES = 3
# Fewer slices give no useful spread.
_FEWEST = 3


@dataclass
class _CellRates:
    """The rates of a cell so far, as logarithms, one per slice."""

    cell: Cell
    logs: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The geometric mean of the rates."""
        return math.exp(statistics.fmean(self.logs))

    @property
    def spread(self) -> float | None:
        """Twice the standard error of the mean over slices, as a share."""
        if len(self.logs) < _FEWEST:
            return None
        return math.expm1(2 * statistics.stdev(self.logs) / math.sqrt(len(self.logs)))


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


class LiveRanking:
    """Collects slices. With two conditions it shows the first."""

    def __init__(self, cells: Sequence[Cell], condition: str) -> None:
        """Start without slices."""
        self._cells = {cell.id: cell for cell in cells if cell.idle == condition and not cell.load.open}
        self._seen: dict[str, _CellRates] = {}

    def add_slice(self, cell: str, calls: float, window_ns: int) -> None:
        """Add a slice."""
        known = self._cells.get(cell)
        if known is not None and calls > 0 and window_ns > 0:
            self._seen.setdefault(cell, _CellRates(known)).logs.append(math.log(calls / window_ns * 1e9))

    def lines(self, most: int) -> list[GroupLine]:
        """Return the groups in the order of the run; groups with several stacks come first.

        Args:
            most: the largest number of lines.
        """
        groups: dict[tuple[str, int, str], list[_CellRates]] = {}
        for one in self._cells.values():
            key = one.group, one.load.clients, one.link
            groups.setdefault(key, [])
            if one.id in self._seen:
                groups[key].append(self._seen[one.id])
        some = [(key, own) for key, own in groups.items() if own]
        some.sort(key=lambda pair: len(pair[1]) < 2)
        return [_line(key, own) for key, own in some[:most]]


def _line(key: tuple[str, int, str], own: Sequence[_CellRates]) -> GroupLine:
    group, clients, link = key
    name = group + (f", {clients} clients" if clients > 1 else "") + (f", {link}" if link != LOOPBACK else "")
    best = sorted(own, key=lambda one: -one.rate)[:PLACES]
    return GroupLine(name, [_place(one) for one in best], len(own))


def _place(one: _CellRates) -> str:
    """Return a stack with its rate: `native/bin+tcp 31,000 ± 4 %`."""
    spread = one.spread
    spread_text = "" if spread is None else f" ± {percent(spread)}"
    return f"{one.cell.stack} {figure(one.rate, spread)}{spread_text}"
