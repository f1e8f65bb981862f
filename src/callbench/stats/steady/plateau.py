"""Latencies that stand where no computing puts them: a timer's work, named as what it probably is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from callbench.stats.estimate.digits import percent
from callbench.stats.estimate.histogram import Buckets


@dataclass(frozen=True)
class KnownDelay:
    """A place where latencies gather, from `low_ns` to `high_ns`, and what usually puts them there.

    Attributes:
        adds: whether the kernel waits so long beside the server's own work, so that it stands above that.
        within: whether it is a pause within the answer, which a driver that reads the pieces sees.
    """

    about: str
    low_ns: float
    high_ns: float
    probably: str
    adds: bool = False
    within: bool = False


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
        adds=True,
        within=True,
    ),
    KnownDelay("100 ms", 99e6, 108e6, "a sleep or a poll of 100 ms"),
    KnownDelay(
        "200 ms",
        198e6,
        212e6,
        "a retransmission (Linux's minimum time-out is 200 ms), or a delayed acknowledgement of another system",
        adds=True,
    ),
)
NOT_SEEN = "this client does not see whether an answer pauses"
# So many of the calls make a plateau, that many times as many as in bands as wide beside it.
SHARE = 0.05
STANDS_OUT = 4.0
# Calls are of two kinds where all but so many are of one of them.
_OTHERS = 0.1
# Of less time than this, a place above it is the place itself.
_LEAST_NS = 1e6
Edges = np.ndarray[tuple[int], np.dtype[np.float64]]
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
        low_ns: where the place begins.
        above: what they took so much longer than, as `the other calls`; "" where the whole time is meant.
        within: as of the place that is known.
    """

    about: str
    share: float
    probably: str
    low_ns: float
    above: str = ""
    within: bool = False

    @property
    def place(self) -> str:
        """Where it stands: `40 ms`, `40 ms more than the other calls`."""
        return f"{self.about} more than {self.above}" if self.above else self.about

    def cause(self, *, seen: bool = False) -> str:
        """Name what probably puts calls there; "" for a pause within answers that was not seen: a queue looks alike."""
        return "" if self.within and not seen else self.probably

    def sentence(self, *, seen: bool = False) -> str:
        """Describe it in a sentence; `seen` is whether such pauses were seen within answers."""
        cause = self.cause(seen=seen)
        why = f"probably because of {cause}" if cause else f"and why is not known: {NOT_SEEN}"
        return f"{percent(self.share)} of the calls took about {self.place}, {why}"


def plateaus(buckets: Buckets, own_ns: float = 0.0) -> list[Plateau]:
    """Find the known places at which a histogram's values gather.

    A place counts where it holds 5 % of the values and four times as many as each of the two bands beside it, which are
    as wide on a logarithmic scale: a slow stack passes through 40 ms without standing there.

    A wait of the kernel comes on top of the server's own work. So such a place is sought above that work too, by the
    same rule: above what its processors took for a call, and above the quicker calls where there are two kinds.

    Args:
        buckets: of the latency.
        own_ns: processor time of the server for a call; 0 where it is not known.
    """
    total = int(buckets.counts.sum()) if len(buckets.counts) else 0
    if not total:
        return []
    found = []
    for known, edges in zip(KNOWN, _EDGES, strict=True):
        if share := _standing(buckets, edges):
            found.append(Plateau(known.about, share, known.probably, known.low_ns, "", known.within))
        elif known.adds and own_ns >= _LEAST_NS and (share := _standing(buckets, edges + own_ns)):
            low_ns, above = known.low_ns + own_ns, "the server's processors worked for them"
            found.append(Plateau(known.about, share, known.probably, low_ns, above, known.within))
        elif known.adds and (share := _of_two_kinds(buckets, edges)):
            found.append(Plateau(known.about, share, known.probably, known.low_ns, "the other calls", known.within))
    return found


def _standing(buckets: Buckets, edges: Edges) -> float:
    """Return the share of the values between the middle edges; 0 where they do not stand out there."""
    sums = np.concatenate([[0], np.cumsum(buckets.counts)])
    below, here, above = np.diff(sums[np.searchsorted(buckets.middles, edges)]).tolist()
    share = here / int(sums[-1])
    return share if share >= SHARE and here >= STANDS_OUT * max(below, above) else 0.0


def _of_two_kinds(buckets: Buckets, edges: Edges) -> float:
    """Return the share of the values that lie in a place above the quicker ones, if nearly all are one or the other.

    The quicker ones gather too: nine tenths of them within half of the place's width.
    """
    _, low_ns, high_ns, _ = edges.tolist()
    is_quick = buckets.middles < low_ns
    quick = Buckets(buckets.lows[is_quick], buckets.widths[is_quick], buckets.counts[is_quick])
    total, quicker = int(buckets.counts.sum()), int(quick.counts.sum())
    if quicker < SHARE * total:
        return 0.0
    tenth, middle, nine_tenths = quick.percentiles((0.05, 0.5, 0.95))
    if middle < _LEAST_NS or nine_tenths - tenth > (high_ns - low_ns) / 2:
        return 0.0
    share = _standing(buckets, edges + middle)
    return share if share + quicker / total >= 1 - _OTHERS else 0.0
