"""Check a link: measure what it does to datagrams, and compare that with its profile."""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from callbench.adapter.network.pair import HostPair
from callbench.catalog.links.profile import Link
from callbench.stats.estimate.share import binomial
from callbench.stats.wire.link import Way, ways

_ECHO_BYTES = 64
_HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP
_MOST_PACKETS = 20_000
_WAYS = {"to_server": "to the server", "to_client": "to the client"}


@dataclass(frozen=True)
class LinkFinding:
    """One measured property.

    Attributes:
        wanted: the profile's value, or None.
        low: lower end of the 95 % interval, for a share of counted frames.
        high: upper end.
    """

    what: str
    unit: str
    asked: float | None
    measured: float
    low: float | None = None
    high: float | None = None

    def record(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return asdict(self)

    def row(self) -> dict[str, str]:
        """Return the finding as texts."""
        span = f" ({self.low:.3g} to {self.high:.3g})" if self.low is not None and self.high is not None else ""
        wanted = "" if self.asked is None else f"{self.asked:.4g} {self.unit}"
        return {"what": self.what, "asked": wanted, "measured": f"{self.measured:.4g}{span} {self.unit}"}


def check_link(link: Link, seconds: float = 2.0) -> Iterator[LinkFinding]:
    """Create the link and measure delay, rate and losses, each for about so many seconds.

    Raises:
        LinkFailure: the link cannot be created here.
    """
    asked = dict(zip(_WAYS, ways(link.wire), strict=True))
    with HostPair(**link.wire) as pair:
        yield from _delay(pair, asked.values(), seconds)
        for name, words in _WAYS.items():
            if rate_bps := asked[name].get("rate_bps"):
                yield _rate(pair, name, asked[name], rate_bps, seconds)
            else:
                result = pair.ask("stream", "streamed", 30 + seconds, way=_way(name), seconds=seconds)["stream"]
                yield LinkFinding(f"a TCP stream {words}", "Gbit/s", None, result["bytes"] * 8 / result["elapsed_ns"])
        for name in _WAYS:
            yield from _shares(pair, name, asked[name], seconds)
        counts = pair.ask("count", "counted")
        missed = sum(tally["missed"] for name in _WAYS if (tally := counts[name]))
        if missed:
            yield LinkFinding("the emulator was too slow for", "frames", 0, missed)


def _delay(pair: HostPair, both: Collection[Way], seconds: float) -> Iterator[LinkFinding]:
    asked_ns = sum(way.get("delay_ns", 0) + _on_line_ns(way) for way in both)
    times = int(min(500, max(20, seconds * 1e9 / (asked_ns + 1e6))))
    patience_ms = int(4 * asked_ns / 1e6) + 1000
    within = 30 + times * patience_ms / 1000
    result = pair.ask("echo", "echoed", within, times=times, bytes=_ECHO_BYTES, gap_us=1000, patience_ms=patience_ms)
    taken_ms = np.asarray(result["ns"], dtype=float) / 1e6
    if len(taken_ms):
        yield LinkFinding("there and back, median", "ms", asked_ns / 1e6, float(np.median(taken_ms)))
        yield LinkFinding("there and back, 99th percentile", "ms", None, float(np.percentile(taken_ms, 99)))
    kept = [1 - way.get("loss", 0.0) for way in both]
    lost = times - len(taken_ms)
    low, high = binomial(lost, times)
    wanted = 100 * (1 - float(np.prod(kept)))
    yield LinkFinding("there and back, lost", "%", wanted, 100 * lost / times, 100 * low, 100 * high)


def _on_line_ns(way: Way) -> float:
    """Return how long the echo's datagram occupies the line, in nanoseconds."""
    rate = way.get("rate_bps")
    return 8e9 * (_ECHO_BYTES + _HEADERS + way.get("overhead_bytes", 0)) / rate if rate else 0.0


def _rate(pair: HostPair, name: str, way: Way, rate: int, seconds: float) -> LinkFinding:
    """Send more than the line can carry: the arrivals show its rate."""
    overhead = way.get("overhead_bytes", 0)
    # Use short datagrams on a slow line, so that there are enough of them.
    size = 1400 if rate > 1_000_000 else 100
    per_second = 1.3 * rate / 8 / (size + _HEADERS + overhead)
    result = _flooded(pair, name, way, max(20, int(per_second * seconds)), size, per_second)
    carried = (result["bytes_after_first"] + (result["arrived"] - 1) * overhead) * 8
    mbit = carried / result["span_ns"] * 1e3 if result["span_ns"] else 0.0
    return LinkFinding(f"rate {_WAYS[name]}", "Mbit/s", rate / 1e6 * (1 - way.get("loss", 0.0)), mbit)


def _shares(pair: HostPair, name: str, way: Way, seconds: float) -> Iterator[LinkFinding]:
    """Count lost, duplicated and reordered datagrams, well below the line's rate."""
    on_line = 8 * (_ECHO_BYTES + _HEADERS + way.get("overhead_bytes", 0))
    rate = way.get("rate_bps")
    per_second = min(10_000.0, 0.5 * rate / on_line) if rate else 10_000.0
    packets = int(min(_MOST_PACKETS, max(50, per_second * seconds)))
    result = _flooded(pair, name, way, packets, _ECHO_BYTES, per_second)
    lost = result["sent"] - (result["arrived"] - result["again"])
    counted = (
        ("lost", way.get("loss", 0.0), lost),
        ("twice", way.get("duplicate", 0.0), result["again"]),
        ("overtaken", way.get("reorder", 0.0), result["overtaken"]),
    )
    for what, share, count in counted:
        if share or count:
            low, high = binomial(count, result["sent"])
            yield LinkFinding(
                f"{what} {_WAYS[name]}",
                "%",
                100 * share,
                100 * count / result["sent"],
                100 * low,
                100 * high,
            )


def _flooded(  # noqa: PLR0913, PLR0917 - what a flood is made of
    pair: HostPair, name: str, way: Way, packets: int, size: int, per_second: float
) -> dict[str, int]:
    # Datagrams in the queue still arrive. After a silence longer than the link, no more will come.
    rate = way.get("rate_bps")
    frame_ns = 8e9 * (size + _HEADERS) / rate if rate else 0.0
    patience_ms = int((2 * way.get("delay_ns", 0) + 2 * way.get("reorder_by_ns", 0) + 4 * frame_ns) / 1e6) + 500
    within = 60 + packets / per_second * 4 + patience_ms / 1000
    members = {"packets": packets, "bytes": size, "per_second": per_second, "patience_ms": patience_ms}
    result: dict[str, int] = pair.ask("flood", "flooded", within, way=_way(name), **members)["flood"]
    return result


def _way(name: str) -> str:
    return name.replace("_", "-")
