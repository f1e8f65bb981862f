"""Latencies that stand where no computing puts them: a timer's work, named as what it probably is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.histogram import Buckets


@dataclass(frozen=True)
class KnownDelay:
    """A place where latencies gather, from `low_ns` to `high_ns`, and what usually puts them there."""

    about: str
    low_ns: float
    high_ns: float
    probably: str


# Linux delays an acknowledgement by 40 ms at least (TCP_DELACK_MIN is HZ / 25, include/net/tcp.h); a sender with
# Nagle's algorithm on holds its last small segment until then (RFC 896; RFC 1122, sections 4.2.3.2 and 4.2.3.4).
KNOWN: Sequence[KnownDelay] = (
    KnownDelay(
        "1.1 ms",
        1.0e6,
        1.35e6,
        "a timer of 1 ms in a polling loop, or an HTTP body streamed in chunks (Java's HttpURLConnection)",
    ),
    KnownDelay("10 ms", 9.9e6, 11.5e6, "a sleep or a poll of 10 ms"),
    KnownDelay(
        "40 ms",
        38e6,
        46e6,
        "Nagle's algorithm waiting for a delayed acknowledgement, after an answer in two small pieces without"
        " TCP_NODELAY",
    ),
    KnownDelay("100 ms", 99e6, 108e6, "a sleep or a poll of 100 ms"),
    KnownDelay(
        "200 ms",
        198e6,
        212e6,
        "a retransmission (Linux's minimum time-out is 200 ms), or a delayed acknowledgement of another system",
    ),
)
# So many of the calls make a plateau, that many times as many as in bands as wide beside it.
SHARE = 0.05
STANDS_OUT = 4.0
# Of each: where the band below it begins, it begins and ends, and the band above it ends.
_EDGES = np.array(
    [
        (
            delay.low_ns / (delay.high_ns / delay.low_ns),
            delay.low_ns,
            delay.high_ns,
            delay.high_ns * (delay.high_ns / delay.low_ns),
        )
        for delay in KNOWN
    ]
)


@dataclass(frozen=True)
class Plateau:
    """Calls that gather at a known place.

    Attributes:
        share: of all calls.
    """

    about: str
    share: float
    probably: str

    def sentence(self) -> str:
        """Describe it in a sentence."""
        return f"{percent(self.share)} of the calls took about {self.about}, probably because of {self.probably}"


def plateaus(buckets: Buckets) -> list[Plateau]:
    """Find the known places at which a histogram's values gather.

    A place counts where it holds 5 % of the values and four times as many as each of the two bands beside it, which are
    as wide on a logarithmic scale: a slow stack passes through 40 ms without standing there.
    """
    total = int(buckets.counts.sum()) if len(buckets.counts) else 0
    if not total:
        return []
    sums = np.concatenate([[0], np.cumsum(buckets.counts)])
    within = np.diff(sums[np.searchsorted(buckets.lows + buckets.widths / 2, _EDGES)])
    found = []
    for known, (below, here, above) in zip(KNOWN, within.tolist(), strict=True):
        if here >= SHARE * total and here >= STANDS_OUT * max(below, above):
            found.append(Plateau(known.about, here / total, known.probably))
    return found
