"""Which cells scatter most from slice to slice: these have more slices in a round than the others.

Where the same time is shared out among things that scatter unlike, it is best spent in proportion to how much each of
them does (Neyman, "On the two different aspects of the representative method", Journal of the Royal Statistical Society
97, 1934). What a cell's next slices come to is not touched by that: only how many there are.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Collection

from callbench.model.cell import Cell
from callbench.runner.slices import WATCHED_SECONDS

# How often a round goes round again among those that scatter,
PASSES = 2
# who scatter by so many times as much as the cell in the middle,
TIMES = 2.0
# and are not more than this share of all.
SHARE = 1 / 8


class Scatter:
    """Gathers the rates of slices, fork by fork."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._logs: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))

    def takes(self, cell: Cell, fork: int, rate_per_s: float, seconds: float) -> None:
        """A slice was driven.

        Args:
            cell: what was driven.
            fork: its number.
            rate_per_s: of the slice.
            seconds: how long it was.
        """
        # Schedules are not to be replayed more often than was foretold, and what takes long has no time for more.
        if rate_per_s > 0 and not cell.load.open and seconds <= WATCHED_SECONDS:
            self._logs[cell.id][fork].append(math.log(rate_per_s))

    def most(self, among: Collection[str]) -> set[str]:
        """The cells that are to be driven more often; none while hardly any was driven twice in a fork."""
        known = {name: found for name in among if (found := self._of(name)) is not None}
        if not known:
            return set()
        least = TIMES * statistics.median(known.values())
        ordered = sorted((name for name in known if known[name] > least), key=lambda name: -known[name])
        return set(ordered[: int(SHARE * len(among))])

    def _of(self, name: str) -> float | None:
        """The standard deviation of the log of a slice's rate within a fork."""
        forks = [logs for logs in self._logs.get(name, {}).values() if len(logs) > 1]
        freedom = sum(len(logs) - 1 for logs in forks)
        squares = sum((len(logs) - 1) * statistics.variance(logs) for logs in forks)
        return math.sqrt(squares / freedom) if freedom else None
