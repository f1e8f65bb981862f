"""What the network lab is asked to make between two hosts, as plans keep it, and what follows from it for a call."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

WAYS: tuple[Literal["to_server"], Literal["to_client"]] = ("to_server", "to_client")
# Of Ethernet, before what the line adds or saves.
_FRAME_HEADER = 14


class Way(TypedDict, total=False):
    """What is done to the frames of one direction; what is left out is not done.

    Attributes:
        delay_ns: from the end of a frame's sending to its arrival.
        jitter_ns: by how much the delay varies, evenly, to both sides.
        rate_bps: of the line, bits a second; None: unlimited.
        overhead_bytes: of each frame, not in a capture; negative without Ethernet's header.
        queue_packets: how many frames may wait for the line.
        queue_bytes: likewise, of bytes.
        loss: share of the frames that never arrive.
        duplicate: that arrive twice.
        reorder: that are held back, so that others overtake them.
        reorder_by_ns: for how long they are.
    """

    delay_ns: int
    jitter_ns: int
    rate_bps: int | None
    overhead_bytes: int
    queue_packets: int
    queue_bytes: int
    loss: float
    duplicate: float
    reorder: float
    reorder_by_ns: int


class Between(TypedDict, total=False):
    """What lies between the hosts.

    Attributes:
        to_server: what is done to frames towards the server.
        to_client: likewise.
        seed: of losses, jitter, copies and reordering.
        offload: whether frames of 64 KiB stay whole; None: where the line has no rate.
        maker: `kernel` or `emulator`; left out: the kernel where it can.
    """

    to_server: Way
    to_client: Way
    seed: int
    offload: bool | None
    maker: str


class Wire(TypedDict, total=False):
    """The definition of a link; empty for the loopback of one machine.

    Attributes:
        mtu: bytes of the longest packet.
        link: what lies between the hosts; None: a cable alone.
        hosts: the names of real hosts by side, `server` and `client`; nothing is made between those. Further hosts of
            clients are `client 2` and so on, and that of a backend is `backend`.
    """

    mtu: int
    link: Between | None
    hosts: Mapping[str, str]


# By the name of the link.
Wires = Mapping[str, Wire]


def client_sides(hosts: int) -> list[str]:
    """Return what so many hosts of clients are: `client`, `client 2`, `client 3`, ..."""
    return [f"client {number}" if number > 1 else "client" for number in range(1, hosts + 1)]


def ways(wire: Wire) -> Sequence[Way]:
    """Return both directions, to the server first. A plain cable has none, and a direction can be empty."""
    link = wire.get("link")
    return [link.get(name) or {} for name in WAYS] if link else [{}, {}]


def round_trip_ns(wire: Wire) -> int:
    """Return the delay of a round trip in nanoseconds."""
    return sum(int(way.get("delay_ns", 0)) for way in ways(wire))


def on_the_line_ms(wire: Wire, rows: Sequence[Mapping[str, float]], connections: float = 0.0) -> float:
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
    trip_ns = round_trip_ns(wire)
    # Where packets cross, fewer turns are seen than the call waits for: an answer takes a round trip all the same.
    least = 1.0 if all(row["payload"] for row in rows) else 0.0
    trips = max(sum(row["turns"] for row in rows) / 2, least) + connections
    spent = float(trips * trip_ns / 1e6)
    for way, row in zip(ways(wire), rows, strict=True):
        if rate := way.get("rate_bps"):
            frames = row["packets"] * (_FRAME_HEADER + way.get("overhead_bytes", 0))
            sent_bytes = row["ip"] + row["tcp"] + row["payload"] + row["retransmitted"] + frames
            spent += float(sent_bytes * 8e3 / rate)
    return spent
