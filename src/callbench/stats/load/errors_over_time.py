"""Errors by kind over the time of a load, from the sums that a driver reports."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

# Seconds since the start, and a sum since then.
Sums = Sequence[tuple[float, float]]
_MOST = 240


class ErrorsOverTime:
    """The errors of a drive second by second, or in longer parts if it lasts long."""

    def __init__(self, most: int = _MOST) -> None:
        """Keep so many moments at most: when there are more, each part has twice the length."""
        self._most, self._part_ns = most, 10**9
        self._kept: list[tuple[int, Mapping[str, int]]] = []

    def add(self, at_ns: int, kinds: Mapping[str, int]) -> None:
        """Take the sums at a time since the start. They come in order."""
        if at_ns < (self._kept[-1][0] if self._kept else 0) + self._part_ns:
            return
        self._kept.append((at_ns, kinds))
        if len(self._kept) > self._most:
            self._kept, self._part_ns = self._kept[1::2], 2 * self._part_ns

    def sums(self, every: Mapping[str, int], end_ns: int) -> dict[str, Sums]:
        """Return the sums at each moment, by kind; nothing if no kind was reported meanwhile.

        Args:
            every: of the whole drive.
            end_ns: when the last call ended.
        """
        if not any(kinds for _, kinds in self._kept):
            return {}
        moments = [*self._kept, (max(end_ns, self._kept[-1][0]), every)]
        return {kind: [(at_ns / 1e9, kinds.get(kind, 0)) for at_ns, kinds in moments] for kind in every}


def per_second(sums: Sums) -> Sums:
    """Return what was added a second between two moments, in the middle of them, from sums since the start."""
    ends = pairwise([(0.0, 0.0), *sums])
    return [((then + at) / 2, (now - before) / (at - then)) for (then, before), (at, now) in ends if at > then]
