"""Processor time a call from sums over the time driven, and what a clock that ticks can tell of it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from callbench.stats.estimate.interval import Interval, geometric_mean, quantile

# The steps in which clocks of processor time count, the coarsest first, in nanoseconds.
_STEPS = (10_000_000, 4_000_000, 1_000_000, 1_000)
# What a tick is taken for where nothing tells it: the kernel's unit towards programs (USER_HZ).
TICK_NS = 10_000_000


@dataclass(frozen=True)
class ForkUse:
    """What one fork used.

    Attributes:
        ns: processor time.
        error_ns: by how much that can be wrong: a step of the clock for each trial.
        calls: made in that time, right or wrong.
    """

    ns: int
    error_ns: int
    calls: int


@dataclass(frozen=True)
class ProcessorTime:
    """Processor time of one side, by fork.

    A geometric mean of forks is no mean here: a fork in which less than a step was used has none. So the value is
    the sum of the time over the sum of the calls.
    """

    pieces: Mapping[int, ForkUse]

    @property
    def _each(self) -> list[ForkUse]:
        return list(self.pieces.values())

    @cached_property
    def calls(self) -> int:
        """All calls."""
        return sum(piece.calls for piece in self._each)

    @cached_property
    def us(self) -> float:
        """Microseconds a call."""
        return sum(piece.ns for piece in self._each) / self.calls / 1e3

    @property
    def under(self) -> float | None:
        """Below how many microseconds a call it lies, where its clock cannot tell it from nothing; else None."""
        total, error = (sum(each) for each in zip(*((piece.ns, piece.error_ns) for piece in self._each), strict=True))
        return (total + error) / self.calls / 1e3 if total <= error else None

    @property
    def by_fork(self) -> dict[int, float]:
        """Microseconds a call by fork, for ratios within forks; nothing if a fork has less than can be told."""
        if any(piece.ns <= piece.error_ns for piece in self._each):
            return {}
        return {fork: piece.ns / piece.calls / 1e3 for fork, piece in self.pieces.items()}

    @property
    def most_us(self) -> float:
        """What it is not above, in microseconds a call: the clock's steps, or how the forks differ, as says more."""
        stepped = sum(piece.ns + piece.error_ns for piece in self._each) / self.calls / 1e3
        interval = self.interval()
        return max(stepped, interval.high or 0.0) if interval else stepped

    def interval(self) -> Interval | None:
        """Return the value with its 95 % interval over the forks; None if it is under what can be told.

        Where every fork has a value, Student's interval of their logarithms about the sum's value; else that of a
        ratio of sums by its linearised residuals (Cochran, "Sampling Techniques", 3rd edition, 1977, section 6.4),
        which may reach down to 0.
        """
        if self.under is not None:
            return None
        number = len(self.pieces)
        if number < 2:
            return Interval(self.us, None, None, number)
        each = [piece.ns / piece.calls / 1e3 for piece in self._each]
        if min(each) > 0:
            logs = geometric_mean(each)
            shift = self.us / logs.middle
            low, high = (None if end is None else end * shift for end in (logs.low, logs.high))
            return Interval(self.us, low, high, number)
        residuals = [piece.ns / 1e3 - self.us * piece.calls for piece in self._each]
        error = math.sqrt(math.fsum(residual * residual for residual in residuals) * number / (number - 1)) / self.calls
        reach = quantile(number - 1) * error
        return Interval(self.us, max(0.0, self.us - reach), self.us + reach, number)


def together(parts: Iterable[ProcessorTime]) -> ProcessorTime | None:
    """Add up what several sides used for the same calls, over the forks that all have; None if there are none."""
    every = list(parts)
    common = set.intersection(*(set(side.pieces) for side in every)) if every else set()
    pieces = {
        fork: ForkUse(
            sum(side.pieces[fork].ns for side in every),
            sum(side.pieces[fork].error_ns for side in every),
            every[0].pieces[fork].calls,
        )
        for fork in sorted(common)
    }
    return ProcessorTime(pieces) if pieces else None


def step_of(values: Iterable[int]) -> int:
    """Describe the step of a clock from what it said: the coarsest of which every difference is a multiple.

    Args:
        values: differences of two readings, in nanoseconds; where none is more than 0, the step is a tick.
    """
    there = [value for value in values if value > 0]
    if not there:
        return TICK_NS
    return next((step for step in _STEPS if all(value % step == 0 for value in there)), 1)
