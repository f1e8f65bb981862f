"""Calls of one client, which wait for nobody: how long they take, and how much that varies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callbench.stats.estimate.histogram import Buckets, merged

CALLS = 400
"""So many show calls that come once in a hundred, 98 times in 100."""


@dataclass(frozen=True)
class Alone:
    """What calls of one client came to.

    Attributes:
        calls: how many were answered rightly.
        mean_us: of their times, microseconds.
        variation: their variance over the square of their mean: 0 if all take as long, 1 if exponential.
    """

    calls: int
    mean_us: float
    variation: float

    @classmethod
    def of(cls, histograms: Sequence[Mapping[int, int]]) -> "Alone | None":
        """Compute it from sparse histograms of times in nanoseconds; None without a call."""
        buckets = Buckets.of(merged(histograms))
        calls = int(buckets.counts.sum())
        if not calls:
            return None
        mean_ns, deviation_ns = buckets.mean_and_deviation()
        return cls(calls, mean_ns / 1e3, (deviation_ns / mean_ns) ** 2 if mean_ns else 0.0)

    @property
    def queues(self) -> float:
        """How many times as long a queue of such calls is as one of exponential ones; 1 where they vary less.

        That factor is (1 + c^2) / 2 with the variation c^2, for any number of workers near their capacity (Kingman,
        "On queues in heavy traffic", Journal of the Royal Statistical Society B 24, 1962).
        """
        return max(1.0, (1 + self.variation) / 2)
