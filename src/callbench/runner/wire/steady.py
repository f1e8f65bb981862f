"""What a steady call costs, from several counts of it: exact where they agree, else their mean and spread."""

from collections.abc import Sequence
from dataclasses import dataclass

from callbench.analysis.wire.counts import Row, mean, stream, whole


@dataclass(frozen=True)
class Steady:
    """The account of a steady call.

    Attributes:
        rows: a row a direction: the count that came twice in a row, or the mean of all.
        exact: whether one count came twice in a row, in whole bytes.
        counts: bytes of the streams a call, both ways, of every count that was made, in their order.
    """

    rows: list[Row]
    exact: bool
    counts: list[float]


def agreed(counts: Sequence[Sequence[Row]]) -> bool:
    """Say whether the last two counts are of the same call.

    They have the same bytes, and whole ones each way. A fraction twice in a row is no exact count: the calls of a drive
    differed, as by a ping between some of them.
    """
    return len(counts) > 1 and stream(counts[-1]) == stream(counts[-2]) and whole(counts[-1]) and whole(counts[-2])


def told(counts: Sequence[list[Row]]) -> Steady:
    """Say what the counts come to."""
    streams = [stream(one) for one in counts]
    exact = agreed(counts)
    return Steady(counts[-1] if exact else mean(counts), exact, streams)
