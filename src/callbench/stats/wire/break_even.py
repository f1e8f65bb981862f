"""Sending fewer bytes for more time: the rate of a link below which that is the quicker way."""

from collections.abc import Mapping
from dataclasses import dataclass

from callbench.stats.estimate.difference import mean, paired


@dataclass(frozen=True)
class BreakEven:
    """A link's rate in Mbit/s, below which the smaller message arrives sooner.

    Attributes:
        middle: 0 where it saves nothing and so never pays; infinite if it takes no longer even without a link.
        low: lower end of the 95 % interval, or None if one fork alone says nothing about spread.
        high: upper end, infinite if the time it adds may be none, or None likewise.
        forks: how many forks it was computed from.
    """

    middle: float
    low: float | None
    high: float | None
    forks: int


def break_even(saved_bytes: float, longer_us: Mapping[int, float], shorter_us: Mapping[int, float]) -> BreakEven | None:
    """Divide the bits saved by the time added, in every fork that both have.

    A call over a link of rate r takes t + 8 b / r; two calls take the same where r = 8 (b2 - b1) / (t1 - t2). The
    interval is that of the difference of times (Student's t over the forks), turned into rates.

    Args:
        saved_bytes: how much less the first of the two sends.
        longer_us: the mean time of a call by fork of the one that sends less, without a link, in microseconds.
        shorter_us: that of the other.

    Returns:
        None if they have no fork in common.
    """
    differences = paired(longer_us, shorter_us)
    if not differences:
        return None
    added = mean(differences)

    def rate(added_us: float) -> float:
        if saved_bytes <= 0:
            return 0.0
        return 8 * saved_bytes / added_us if added_us > 0 else float("inf")

    low, high = (None if end is None else rate(end) for end in (added.high, added.low))
    return BreakEven(rate(added.middle), low, high, added.forks)
