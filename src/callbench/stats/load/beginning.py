"""Whether a load has two rates: a slow beginning, as of a server that warms up, and what follows."""

from collections.abc import Sequence
from dataclasses import dataclass

# What follows is so many times as fast as the beginning, and as each later stretch of its length is at least.
_FASTER, _LATER = 2.0, 1.5
# A beginning takes no more of the time, at least so long, and makes the whole rate so much lower.
_MOST, _LEAST_S, _MATTERS = 0.75, 0.3, 1.05


@dataclass(frozen=True)
class Beginning:
    """A slow beginning: how long it took, and the rates in it and after it, in calls a second."""

    seconds: float
    per_s: float
    then_per_s: float

    def sentence(self) -> str:
        """Describe it, and what leaves it out."""
        return (
            f"The first {self.seconds:.1f} s had {self.per_s:,.0f} calls/s, and the rest {self.then_per_s:,.0f}: the"
            " rate is of both. `--warm-up` leaves a beginning out."
        )


def slow_beginning(ticks: Sequence[tuple[int, int, int]], window_ns: int) -> Beginning | None:
    """Find one; None where there is none.

    A pause that comes again is none: a beginning is slower than each stretch of its length that follows.

    Args:
        ticks: when, and how many calls were answered and had failed until then, some times a second.
        window_ns: the length of the load.
    """
    seen = [(0.0, 0), *((at_ns / 1e9, calls) for at_ns, calls, _ in ticks if at_ns <= window_ns)]
    end_s, every = seen[-1]
    found, clearest = None, 0.0
    for place, (at_s, calls) in enumerate(seen):
        if not _LEAST_S <= at_s <= _MOST * end_s:
            continue
        first, then = calls / at_s, (every - calls) / (end_s - at_s)
        # Of all places, the one where the two rates explain the most.
        clearness = (then - first) ** 2 * at_s * (end_s - at_s)
        matters = then > _FASTER * first and then * end_s > _MATTERS * every
        if clearness > clearest and matters and _slowest_later(seen, place) > _LATER * first:
            found, clearest = Beginning(at_s, first, then), clearness
    return found


def _slowest_later(seen: Sequence[tuple[float, int]], place: int) -> float:
    """Return the least rate of stretches as long as the first one, behind it; of the rest, where that is shorter."""
    length = min(place, len(seen) - 1 - place)
    later = zip(seen[place:], seen[place + length :], strict=False)
    return min((end[1] - begin[1]) / (end[0] - begin[0]) for begin, end in later if end[0] > begin[0])
