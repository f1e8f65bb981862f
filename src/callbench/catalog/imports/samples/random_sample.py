"""The samples of a call that become payloads: all of them, or a random choice of many."""

import json
from random import Random

from callbench.model.service.imported import Pair

KEPT = 256
"""Samples of a call that are kept. They are the same ones each time."""
_BYTES = 64 * 2**20


class RandomSample:
    """A choice in which each sample is with the same chance (algorithm R).

    Attributes:
        pairs: the choice.
        count: samples seen.
    """

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self.pairs: list[Pair] = []
        self.count = 0
        self._bytes = 0
        self._random = Random(20)  # noqa: S311 - nothing secret

    def add(self, pair: Pair) -> None:
        """See a sample. Fewer are kept if they are large."""
        self.count += 1
        if len(self.pairs) < KEPT and self._bytes < _BYTES:
            self.pairs.append(pair)
            self._bytes += len(json.dumps([pair.request, pair.answer]))
            return
        at = self._random.randrange(self.count)
        if at < len(self.pairs):
            self.pairs[at] = pair

    def merge(self, other: "RandomSample") -> None:
        """See what another one saw, as far as it is kept there."""
        for pair in other.pairs:
            self.add(pair)
        self.count += other.count - len(other.pairs)

    def notes(self, call: str) -> list[str]:
        """A sentence for the user, if samples were left out."""
        if len(self.pairs) == self.count:
            return []
        return [f"{call}: {len(self.pairs)} of {self.count:,} samples are kept, chosen at random."]
