"""Knowing an exact count at every size of a grid while measuring few of them."""

import heapq
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from callbench.stats.wire.growth import PeriodicSteps, rhythm

PREFIX = 13
_LONG = 8


@dataclass(frozen=True)
class Jump:
    """A place where the count leaves its rhythm for good.

    Attributes:
        after: the last size before it.
        by: the first size of the grid behind it.
        bytes: how much is added, beyond the rhythm.
    """

    after: int
    by: int
    bytes: int


@dataclass(frozen=True)
class SweepResult:
    """What is known of a count over a grid.

    Attributes:
        measured: counts by size, as measured.
        inferred: counts by size that follow from the measured ones.
        rhythm: how the count grows.
        jumps: where it leaves that, in rising order; only where every size is known.
    """

    grid: tuple[int, ...]
    measured: Mapping[int, int]
    inferred: Mapping[int, int]
    rhythm: PeriodicSteps
    jumps: tuple[Jump, ...]

    @property
    def exact(self) -> bool:
        """Whether the count is known at every size."""
        return len(self.measured) + len(self.inferred) == len(self.grid)

    def count(self, size: int) -> int | None:
        """Return the count at a size of the grid, measured or inferred."""
        return self.measured.get(size, self.inferred.get(size))


def even(grid: Sequence[object]) -> bool:
    """Return whether these are more than two numbers that rise in equal steps. Only then one follows from others."""
    numbers = [point for point in grid if isinstance(point, int)]
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) == len(grid) > 2 and len(steps) == 1 and min(steps) > 0


def swept(grid: Sequence[int], measure: Callable[[int], int], most: int) -> SweepResult:
    """Explore a count that is exact: measuring a size twice would give the same.

    The first sizes are all measured, which gives the rhythm in which the count grows (a line is a rhythm of one step).
    The rest is halved: where both ends of a stretch lie equally far from the rhythm, and so do its middle and, in a
    long stretch, one more place chosen by lot, all between is inferred; else its halves are looked at, the longest
    first. A stretch that departs and returns between the places looked at is not found.

    Args:
        grid: sizes, rising evenly.
        measure: gives the count at a size.
        most: how many sizes may be measured, at least 2; if they do not suffice, sizes between stay unknown.

    Raises:
        ValueError: fewer than two sizes.
    """
    if len(grid) < 2:
        raise ValueError("a sweep needs at least two sizes")
    counted: dict[int, int] = {}

    def at(step: int) -> int:
        if step not in counted:
            counted[step] = measure(grid[step])
        return counted[step]

    last = len(grid) - 1
    first = min(PREFIX, last, max(1, most - 1))
    for step in range(first):
        at(step)
    at(last)
    tact = rhythm([counted[step] for step in range(first)]) if first > 1 else rhythm([at(0), at(last)])
    known = _halved(at, counted, tact, (max(first - 1, 0), last), most, random.Random(1))  # noqa: S311 - a choice to be repeated
    inferred = {grid[step]: tact.at(step) + departure for step, departure in known.items() if step not in counted}
    measured = {grid[step]: counted[step] for step in sorted(counted)}
    jumps: tuple[Jump, ...] = ()
    if len(measured) + len(inferred) == len(grid):
        counts = [measured.get(size, inferred.get(size, 0)) for size in grid]
        jumps = _jumps(grid, counts, tact)
    return SweepResult(tuple(grid), measured, inferred, tact, jumps)


def _halved(  # noqa: PLR0913, PLR0917 - one step of `swept`
    at: Callable[[int], int],
    counted: Mapping[int, int],
    tact: PeriodicSteps,
    whole: tuple[int, int],
    most: int,
    dice: random.Random,
) -> dict[int, int]:
    """Halve stretches until all is known or `most` sizes are measured. Returns departures from the rhythm by step."""

    def departure(step: int) -> int:
        return at(step) - tact.at(step)

    known: dict[int, int] = {}
    stretches = [(-(whole[1] - whole[0]), whole[0], whole[1])]
    while stretches:
        _, low, high = heapq.heappop(stretches)
        if high - low < 2:
            continue
        middle = (low + high) // 2
        probes = {middle} | ({dice.randrange(low + 1, high)} if high - low > _LONG else set())
        if len(counted) + len(probes - counted.keys()) > most:
            return known
        departures = {departure(step) for step in (low, high, *sorted(probes))}
        if len(departures) == 1:
            known.update(dict.fromkeys(range(low + 1, high), departures.pop()))
            continue
        for part in ((low, middle), (middle, high)):
            heapq.heappush(stretches, (-(part[1] - part[0]), *part))
    return known


def _jumps(grid: Sequence[int], counts: Sequence[int], tact: PeriodicSteps) -> tuple[Jump, ...]:
    """Find where the departure from the rhythm changes."""
    departures = [count - tact.at(step) for step, count in enumerate(counts)]
    return tuple(
        Jump(grid[step], grid[step + 1], departures[step + 1] - departures[step])
        for step in range(len(grid) - 1)
        if departures[step] != departures[step + 1]
    )
