"""How far the clocks of two hosts are apart, from four times of an order and its answer."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class ClockExchange:
    """Four times in nanoseconds: `sent` and `back` on the one clock, `received` and `answered` on the other."""

    sent: int
    received: int
    answered: int
    back: int

    @property
    def round_trip_ns(self) -> int:
        """The time on the way there and back, without that at the other host."""
        return (self.back - self.sent) - (self.answered - self.received)


@dataclass(frozen=True)
class ClockOffset:
    """The other clock less the own one, in nanoseconds: it lies within `ns - bound_ns` and `ns + bound_ns`.

    Attributes:
        round_trip_ns: the least round trip. 0: it is the own clock.
        at_ns: when it was measured, on the own clock.
    """

    ns: float
    bound_ns: float
    round_trip_ns: int
    at_ns: float = 0.0


def clock_offset(exchanges: Iterable[ClockExchange]) -> ClockOffset:
    """Return the offset from the exchange with the least round trip.

    Both ways of a round trip take at least nothing, so the offset lies within half of it (RFC 5905, section 8). Nothing
    is assumed about how alike the two ways are.

    Raises:
        ValueError: there is no exchange.
    """
    best = min(exchanges, key=lambda exchange: exchange.round_trip_ns)
    ns = ((best.received - best.sent) + (best.answered - best.back)) / 2
    return ClockOffset(ns, best.round_trip_ns / 2, best.round_trip_ns, (best.sent + best.back) / 2)
