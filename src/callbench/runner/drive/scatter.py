"""Find the cells that vary most from slice to slice, so that a round drives them more often.

A given time is best divided in proportion to how much each quantity varies (Neyman, "On the two different aspects of
the representative method", Journal of the Royal Statistical Society 97, 1934). Only the number of a cell's slices
changes, not their values.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Collection

from callbench.model.cell import Cell
from callbench.runner.drive.slices import WATCHED_SECONDS

# How many extra passes of a round drive the scattered cells:
PASSES = 2
# those that vary at least so many times as much as the median cell,
TIMES = 2.0
# and at most this share of all cells.
SHARE = 1 / 8


class ForkRates:
    """Collects the rates of slices by fork."""

    def __init__(self) -> None:
        """Start without slices."""
        self._logs: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add_slice(self, cell: Cell, fork: int, rate_per_s: float, seconds: float) -> None:
        """Add a slice.

        Args:
            cell: the driven cell.
            fork: its number.
            rate_per_s: of the slice.
            seconds: duration of the slice.
        """
        # Open loops are not repeated, since schedules are finite. Long slices leave no time for more.
        if rate_per_s > 0 and not cell.load.open and seconds <= WATCHED_SECONDS:
            self._logs[cell.id][fork].append(math.log(rate_per_s))

    def most_scattered(self, among: Collection[str]) -> set[str]:
        """Return the cells to drive more often; none until cells were driven twice in a fork."""
        known = {name: spread for name in among if (spread := self._of(name)) is not None}
        if not known:
            return set()
        least = TIMES * statistics.median(known.values())
        ordered = sorted((name for name in known if known[name] > least), key=lambda name: -known[name])
        return set(ordered[: int(SHARE * len(among))])

    def _of(self, name: str) -> float | None:
        """Return the standard deviation of the logarithm of a slice's rate within a fork."""
        forks = [logs for logs in self._logs.get(name, {}).values() if len(logs) > 1]
        freedom = sum(len(logs) - 1 for logs in forks)
        squares = sum((len(logs) - 1) * statistics.variance(logs) for logs in forks)
        return math.sqrt(squares / freedom) if freedom else None
