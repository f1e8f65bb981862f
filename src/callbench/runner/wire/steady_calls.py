"""The bytes of a steady call from several counts: exact if two counts agree, otherwise mean and spread."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.wire.counts import Row, mean, stream, whole


@dataclass(frozen=True)
class Steady:
    """The count of a steady call.

    Attributes:
        rows: one row per direction: the count that came twice in a row, or the mean of all.
        exact: whether one count came twice in a row, in whole bytes.
        counts: stream bytes per call in both directions, of every count, in order.
    """

    rows: list[Row]
    exact: bool
    counts: list[float]


def counts_agree(counts: Sequence[Sequence[Row]]) -> bool:
    """Return whether the last two counts agree.

    They must have the same bytes, and whole numbers in each direction. The same fraction twice is not exact: some calls
    of the drive differed, for example by a ping.
    """
    return len(counts) > 1 and stream(counts[-1]) == stream(counts[-2]) and whole(counts[-1]) and whole(counts[-2])


def steady_counts(counts: Sequence[list[Row]]) -> Steady:
    """Return the result of the counts."""
    streams = [stream(counted) for counted in counts]
    exact = counts_agree(counts)
    return Steady(counts[-1] if exact else mean(counts), exact, streams)
