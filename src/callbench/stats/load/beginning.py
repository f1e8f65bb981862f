"""Whether a load has two rates: a slow beginning, as of a server that warms up, or a slow end, as of one that broke."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# What follows is so many times as fast as the beginning, and as each later stretch of its length is at least.
_FASTER, _LATER = 2.0, 1.5
# A beginning takes no more of the time, at least so long, and makes the whole rate so much lower. A server may break
# soon, so an end may take nearly all of it.
_MOST, _MOST_END, _LEAST_S, _MATTERS = 0.75, 0.95, 0.3, 1.05


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


@dataclass(frozen=True)
class End:
    """A slow end: how long it took, and the rates in it and before it, in calls a second."""

    seconds: float
    per_s: float
    before_per_s: float

    def sentence(self) -> str:
        """Describe it."""
        had = f"{self.per_s:,.0f} calls/s" if self.per_s else "no right answer"
        before = f"the time before {self.before_per_s:,.0f} calls/s"
        return f"The last {self.seconds:.1f} s had {had}, and {before}: the rate is of both."


def slow_beginning(ticks: Sequence[tuple[int, int, int]], window_ns: int) -> Beginning | None:
    """Find one; None where there is none.

    A pause that comes again is none: a beginning is slower than each stretch of its length that follows.

    Args:
        ticks: when, and how many calls were answered and had failed until then, some times a second.
        window_ns: the length of the load.
    """
    found = _slow_until(_seen(ticks, window_ns), _MOST)
    return found and Beginning(*found)


def slow_end(ticks: Sequence[tuple[int, int, int]], window_ns: int) -> End | None:
    """Find one, as `slow_beginning` does if time ran backwards; None where there is none.

    Where the end has a stretch as good as the time before, as of a server that is away and comes back, there is none.

    Args:
        ticks: as there.
        window_ns: as there.
    """
    seen = _seen(ticks, window_ns)
    end_s, every = seen[-1]
    found = _slow_until([(end_s - at_s, every - calls) for at_s, calls in reversed(seen)], _MOST_END)
    if found is None:
        return None
    end = End(*found)
    begins = next(place for place, (at_s, _) in enumerate(seen) if at_s >= end_s - end.seconds)
    best = max(_stretches(seen[begins:], min(begins, len(seen) - 1 - begins)))
    return end if best * _LATER < end.before_per_s else None


def _seen(ticks: Sequence[tuple[int, int, int]], window_ns: int) -> list[tuple[float, int]]:
    return [(0.0, 0), *((at_ns / 1e9, calls) for at_ns, calls, _ in ticks if at_ns <= window_ns)]


def _slow_until(seen: Sequence[tuple[float, int]], most: float) -> tuple[float, float, float] | None:
    """Return when it became faster, the rate until then and the one that follows; None if it did not."""
    end_s, every = seen[-1]
    found, clearest = None, 0.0
    for place, (at_s, calls) in enumerate(seen):
        if not _LEAST_S <= at_s <= most * end_s:
            continue
        first, then = calls / at_s, (every - calls) / (end_s - at_s)
        # Of all places, the one where the two rates explain the most.
        clearness = (then - first) ** 2 * at_s * (end_s - at_s)
        matters = then > _FASTER * first and then * end_s > _MATTERS * every
        if clearness > clearest and matters and _slowest_later(seen, place) > _LATER * first:
            found, clearest = (at_s, first, then), clearness
    return found


def _slowest_later(seen: Sequence[tuple[float, int]], place: int) -> float:
    """Return the least rate of stretches as long as the first one, behind it; of the rest, where that is shorter."""
    return min(_stretches(seen[place:], min(place, len(seen) - 1 - place)))


def _stretches(seen: Sequence[tuple[float, int]], length: int) -> Iterator[float]:
    """Yield the rates of all stretches of so many ticks."""
    for begin, end in zip(seen, seen[length:], strict=False):
        if end[0] > begin[0]:
            yield (end[1] - begin[1]) / (end[0] - begin[0])
