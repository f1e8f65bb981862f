"""The ranking of each group as it sharpens while a run goes on: a line a group, the first three with their spread."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from callbench.catalog.reach import LOOPBACK
from callbench.model.cell import Cell
from callbench.stats.digits import figure, percent

PLACES = 3
# A spread from fewer slices says nothing.
_FEWEST = 3


@dataclass
class _Seen:
    """What was seen of a cell so far: the logarithms of its rates, a slice each."""

    cell: Cell
    logs: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The geometric mean of its rates."""
        return math.exp(statistics.fmean(self.logs))

    @property
    def spread(self) -> float | None:
        """Twice the standard error of its mean over slices, as a share: how sharp it is, not how sure."""
        if len(self.logs) < _FEWEST:
            return None
        return math.expm1(2 * statistics.stdev(self.logs) / math.sqrt(len(self.logs)))


@dataclass(frozen=True)
class Line:
    """One group so far.

    Attributes:
        name: the group with its load and link.
        places: the first stacks with their rates, best first.
        stacks: how many have a rate.
    """

    name: str
    places: Sequence[str]
    stacks: int


class LiveRanking:
    """Takes slices in as they end. Of a run in two conditions it shows the first."""

    def __init__(self, cells: Sequence[Cell], condition: str) -> None:
        """Nothing is known yet."""
        self._cells = {cell.id: cell for cell in cells if cell.idle == condition and not cell.load.open}
        self._seen: dict[str, _Seen] = {}

    def slice_ends(self, cell: str, calls: float, window_ns: int) -> None:
        """Takes a slice in."""
        known = self._cells.get(cell)
        if known is not None and calls > 0 and window_ns > 0:
            self._seen.setdefault(cell, _Seen(known)).logs.append(math.log(calls / window_ns * 1e9))

    def lines(self, most: int) -> list[Line]:
        """The groups so far, in the order of the run, those with several stacks first.

        Args:
            most: how many lines there is room for.
        """
        groups: dict[tuple[str, int, str], list[_Seen]] = {}
        for one in self._cells.values():
            key = one.group, one.load.clients, one.link
            groups.setdefault(key, [])
            if one.id in self._seen:
                groups[key].append(self._seen[one.id])
        some = [(key, mine) for key, mine in groups.items() if mine]
        some.sort(key=lambda pair: len(pair[1]) < 2)
        return [_line(key, mine) for key, mine in some[:most]]


def _line(key: tuple[str, int, str], mine: Sequence[_Seen]) -> Line:
    group, clients, link = key
    name = group + (f", {clients} clients" if clients > 1 else "") + (f", {link}" if link != LOOPBACK else "")
    best = sorted(mine, key=lambda one: -one.rate)[:PLACES]
    return Line(name, [_place(one) for one in best], len(mine))


def _place(one: _Seen) -> str:
    """Write a stack with its rate: `native/bin+tcp 31,000 ± 4 %`."""
    spread = one.spread
    said = "" if spread is None else f" ± {percent(spread)}"
    return f"{one.cell.stack} {figure(one.rate, spread)}{said}"
