"""How far the clocks of two hosts are apart at a moment between two measurements, with the drift between them."""

import math
from dataclasses import dataclass

from callbench.stats.estimate.clock_offset import ClockOffset

# A clock's frequency may wander by so much: PHI of RFC 5905, section 7.3.
WANDER = 15e-6
# It gains or loses no more than this, also while something sets it (the kernel's limit of a slew).
MOST_DRIFT = 500e-6


@dataclass(frozen=True)
class ClockFit:
    """Another clock less the own one, from a measurement before and one after. Moments are of the own clock, in ns.

    Attributes:
        before: the earlier measurement.
        after: the later one.
    """

    before: ClockOffset
    after: ClockOffset

    @property
    def drift(self) -> float:
        """What the other clock gains a nanosecond: the least that explains both measurements, often 0."""
        apart_ns = self.after.at_ns - self.before.at_ns
        moved_ns = self.after.ns - self.before.ns
        certain_ns = max(0.0, abs(moved_ns) - self.before.bound_ns - self.after.bound_ns)
        return math.copysign(certain_ns, moved_ns) / apart_ns if apart_ns > 0 else 0.0

    def offset_ns(self, at_ns: float) -> float:
        """Return the estimate: the middle of all lines of this drift that explain both measurements."""
        return self._at_first_ns + self.drift * (at_ns - self.before.at_ns)

    @property
    def _at_first_ns(self) -> float:
        before, after = self.before, self.after
        then_ns = after.ns - self.drift * (after.at_ns - before.at_ns)
        least = max(before.ns - before.bound_ns, then_ns - after.bound_ns)
        most = min(before.ns + before.bound_ns, then_ns + after.bound_ns)
        return (least + most) / 2

    def bound_ns(self, at_ns: float) -> float:
        """Return how far the offset may be from the estimate, at a moment between the two measurements or after them.

        Each line that explains both lies within it. A clock is not a line: it may gain by `WANDER` until then, and lose
        as much afterwards. After them, nothing but `MOST_DRIFT` holds it.
        """
        before, after = self.before, self.after
        if not before.round_trip_ns and not after.round_trip_ns:
            # It is the own clock.
            return 0.0
        apart_ns = max(1.0, after.at_ns - before.at_ns)
        late = min(1.0, max(0.0, (at_ns - before.at_ns) / apart_ns))
        middle_ns = before.ns + late * (after.ns - before.ns)
        half_ns = before.bound_ns + late * (after.bound_ns - before.bound_ns)
        wandered_ns = WANDER * 2 * late * (1.0 - late) * apart_ns
        since_ns = MOST_DRIFT * max(0.0, at_ns - after.at_ns)
        return abs(middle_ns - self.offset_ns(min(at_ns, after.at_ns))) + half_ns + wandered_ns + since_ns

    def own_ns(self, other_ns: float) -> float:
        """Return when the own clock shows what the other one shows at `other_ns`."""
        first_ns = self.before.at_ns
        return first_ns + (other_ns - first_ns - self._at_first_ns) / (1.0 + self.drift)
