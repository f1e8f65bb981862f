"""How a count grows with a size: step by step, with what repeats, and where it jumps."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_PERIOD = 6
_SUPPORT = 0.6


def growth(sizes: Sequence[int], counts: Sequence[int], unit: int) -> list[int]:
    """Take the overhead that each step adds: d(n) = f(n) - f(n') - unit (n - n'), n' being the size before n.

    The thesis's formula as its own table 5 needs it: the printed one, f(n) - f(n - 1) - f(0), cannot give that table.

    Args:
        sizes: rising.
        counts: bytes at each size.
        unit: bytes of data in one item.
    """
    steps = zip(sizes, sizes[1:], counts, counts[1:], strict=False)
    return [after - before - unit * (size - last) for last, size, before, after in steps]


def accumulated(values: Sequence[int]) -> list[int]:
    """Add up what came so far."""
    total, sums = 0, []
    for value in values:
        total += value
        sums.append(total)
    return sums


@dataclass(frozen=True)
class PeriodicSteps:
    """A count that grows by the same amount every that many steps, except for jumps.

    Attributes:
        steps: the period in steps of the grid.
        rise: how much the count grows in a period.
        offsets: what the count is above rise x (step div steps), by place within the period.
    """

    steps: int
    rise: int
    offsets: tuple[int, ...]

    def at(self, step: int) -> int:
        """Return the count at a step, had it no jumps."""
        return self.rise * (step // self.steps) + self.offsets[step % self.steps]


def rhythm(counts: Sequence[int]) -> PeriodicSteps:
    """Find the shortest period in which the count always rises alike; else the one in which it does so most often.

    A jump here and there does not hide a period. Where none is common enough (counts that follow random content), the
    period is one step and the rise the mean one.

    Args:
        counts: at steps 0, 1, 2 ...; at least two.

    Raises:
        ValueError: fewer than two counts.
    """
    if len(counts) < 2:
        raise ValueError("growth needs at least two counts")
    best, support = PeriodicSteps(1, round((counts[-1] - counts[0]) / (len(counts) - 1)), (counts[0],)), 0.0
    for steps in range(1, min(LONGEST_PERIOD, len(counts) // 2) + 1):
        rises = [after - before for before, after in zip(counts, counts[steps:], strict=False)]
        rise, often = Counter(rises).most_common(1)[0]
        if often / len(rises) > max(support, _SUPPORT):
            best, support = PeriodicSteps(steps, rise, _offsets(counts, steps, rise)), often / len(rises)
    return best


def _offsets(counts: Sequence[int], steps: int, rise: int) -> tuple[int, ...]:
    """Find what counts are above the rise, by their place within the period: the commonest, since some have jumped."""
    above: list[list[int]] = [[] for _ in range(steps)]
    for step, count in enumerate(counts):
        above[step % steps].append(count - rise * (step // steps))
    return tuple(Counter(values).most_common(1)[0][0] for values in above)
