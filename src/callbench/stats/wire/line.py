"""How long a call takes over a line, from how long it takes without one and from its bytes."""

from collections.abc import Mapping, Sequence
from typing import Any

# Of Ethernet, before what the line adds or saves.
_FRAME_HEADER = 14
_WAYS = ("to_server", "to_client")


def on_the_line_ms(wire: Mapping[str, Any], rows: Sequence[Mapping[str, float]], connections: float = 0.0) -> float:
    """Compute what a line adds to a call: each round trip once, and each byte at the line's rate.

    time = trips * (delay there + delay back) + bytes there * 8 / rate there + bytes back * 8 / rate back; of a line
    that is busy with nothing else, where each side waits for the other (store and forward of whole messages).

    Args:
        wire: the link as the network lab makes it.
        rows: what was counted, to the server and to the client: packets, ip, tcp, payload, retransmitted, turns.
        connections: how many are opened, a round trip each before the first byte of data.

    Returns:
        Milliseconds.
    """
    link = wire.get("link") or {}
    ways = [link.get(name) or {} for name in _WAYS]
    trip_ns = sum(way.get("delay_ns", 0) for way in ways)
    # Where packets cross, fewer turns are seen than the call waits for: an answer takes a round trip all the same.
    least = 1.0 if all(row["payload"] for row in rows) else 0.0
    trips = max(sum(row["turns"] for row in rows) / 2, least) + connections
    spent = float(trips * trip_ns / 1e6)
    for way, row in zip(ways, rows, strict=True):
        if way.get("rate_bps"):
            frames = row["packets"] * (_FRAME_HEADER + way.get("overhead_bytes", 0))
            sent_bytes = row["ip"] + row["tcp"] + row["payload"] + row["retransmitted"] + frames
            spent += float(sent_bytes * 8e3 / way["rate_bps"])
    return spent
