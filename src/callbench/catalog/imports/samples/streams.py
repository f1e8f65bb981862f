"""TCP connections out of the packets of a capture: each direction's bytes in order, as they come.

dpkt reads the formats of captures and packets. Putting segments in order is ours: libraries that do it keep whole
connections in memory, or have a licence that does not fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import dpkt

from callbench.catalog.imports.samples.fragments import Fragments, Packet
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.source import Source
from callbench.model.errors import BadInput

# Bytes that wait for a segment before them. With more, that segment is taken to be missing in the capture.
_WAITING = 4 * 2**20
_ROUND = 2**32
_LINKS = {
    0: dpkt.loopback.Loopback,
    1: dpkt.ethernet.Ethernet,
    108: dpkt.loopback.Loopback,
    113: dpkt.sll.SLL,
    276: dpkt.sll2.SLL2,
}
_RAW = {12, 14, 101, 228, 229}

End = tuple[bytes, int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of a connection, in order.

    Attributes:
        connection: its two ends, and how many connections with the same ends came before.
        sender: the end that sent them.
        data: empty if the sender sends no more.
        packet: the number of the packet that brought them, from 1.
        missing: bytes before these are missing in the capture, so this direction cannot be read on.
        last: nobody sends any more.
    """

    connection: tuple[End, End, int]
    sender: End
    data: bytes
    packet: int
    missing: bool = False
    last: bool = False


@dataclass(slots=True)
class _Direction:
    next: int | None = None
    waiting: dict[int, bytes] = field(default_factory=dict)
    held: int = 0
    lost: bool = False
    ended: bool = False


def chunks(source: Source, left_out: LeftOut) -> Iterator[Chunk]:
    """The bytes of all TCP connections of a capture (pcap or pcapng).

    Args:
        source: the capture.
        left_out: counts packets whose fragments are not all there.

    Raises:
        BadInput: it is no capture, or of a link that is not known.
    """
    fragments = Fragments(left_out)
    with source.open() as stream:
        whole = ((number, fragments.whole(packet)) for number, packet in _packets(stream, source.name))
        yield from _Assembler().of((number, packet) for number, packet in whole if packet is not None)
    fragments.end()


def _packets(stream: BinaryIO, file: str) -> Iterator[tuple[int, Packet]]:
    """The IP packets with their numbers. A capture that ends in the middle of a packet ends before it."""
    try:
        reader = dpkt.pcap.UniversalReader(stream)
        link = reader.datalink()
    except (ValueError, dpkt.Error) as error:
        raise BadInput(f"{file} is no capture (pcap or pcapng): {error or 'it is cut off'}") from None
    if link not in _LINKS and link not in _RAW:
        raise BadInput(f"{file} was taken on a link of type {link}, which is not known: take it with `tcpdump -i any`")
    packets = enumerate(reader, 1)
    while True:
        try:
            number, (_, data) = next(packets)
        except (StopIteration, dpkt.Error, ValueError):
            return
        try:
            packet = dpkt.ip6.IP6(data) if link in _RAW and data[0] >> 4 == 6 else None
            packet = packet or (dpkt.ip.IP(data) if link in _RAW else _LINKS[link](data).data)
        except (dpkt.Error, IndexError, ValueError, TypeError):
            continue
        if isinstance(packet, dpkt.ip.IP | dpkt.ip6.IP6):
            yield number, packet


class _Assembler:
    """Puts segments in order."""

    def __init__(self) -> None:
        self._directions: dict[tuple[End, End], _Direction] = {}
        self._generations: dict[tuple[End, End], int] = {}

    def of(self, packets: Iterator[tuple[int, Packet]]) -> Iterator[Chunk]:
        """What the packets bring."""
        for number, packet in packets:
            segment = packet.data
            if isinstance(segment, dpkt.tcp.TCP):
                yield from self._segment(number, packet, segment)

    def _segment(self, number: int, packet: Packet, segment: dpkt.tcp.TCP) -> Iterator[Chunk]:
        sender, receiver = (packet.src, segment.sport), (packet.dst, segment.dport)
        low, high = sorted((sender, receiver))
        if segment.flags & dpkt.tcp.TH_SYN:
            direction = self._directions.get((sender, receiver))
            if not segment.flags & dpkt.tcp.TH_ACK and direction is not None and direction.next != segment.seq + 1:
                yield Chunk((low, high, self._generations.get((low, high), 0)), sender, b"", number, last=True)
                self._generations[low, high] = self._generations.get((low, high), 0) + 1
                self._directions.pop((receiver, sender), None)
                direction = None
            if direction is None:
                self._directions[sender, receiver] = _Direction(next=(segment.seq + 1) % _ROUND)
            return
        connection = low, high, self._generations.get((low, high), 0)
        direction = self._directions.setdefault((sender, receiver), _Direction())
        if segment.data and not direction.lost:
            yield from self._data(direction, connection, sender, number, segment)
        if segment.flags & (dpkt.tcp.TH_RST | dpkt.tcp.TH_FIN):
            direction.ended = True
            other = self._directions.get((receiver, sender))
            last = bool(segment.flags & dpkt.tcp.TH_RST) or (other is not None and other.ended)
            yield Chunk(connection, sender, b"", number, last=last)
            if last:
                for ends in ((sender, receiver), (receiver, sender)):
                    self._directions.pop(ends, None)

    def _data(
        self, direction: _Direction, connection: tuple[End, End, int], sender: End, number: int, segment: dpkt.tcp.TCP
    ) -> Iterator[Chunk]:
        if direction.next is None:
            direction.next = segment.seq
        data = bytes(segment.data)
        if segment.seq not in direction.waiting or len(direction.waiting[segment.seq]) < len(data):
            direction.held += len(data) - len(direction.waiting.get(segment.seq, b""))
            direction.waiting[segment.seq] = data
        ready = _ready(direction)
        if ready:
            yield Chunk(connection, sender, ready, number)
        if direction.held > _WAITING:
            direction.lost = True
            direction.waiting.clear()
            yield Chunk(connection, sender, b"", number, missing=True)


def _ready(direction: _Direction) -> bytes:
    """The bytes that are next, taken out of what waits. Sequence numbers begin anew after 2^32."""
    parts: list[bytes] = []
    grown = True
    while grown and direction.next is not None:
        grown = False
        for start in list(direction.waiting):
            behind = (direction.next - start) % _ROUND
            if behind >= _ROUND // 2:
                continue
            data = direction.waiting.pop(start)
            direction.held -= len(data)
            if behind < len(data):
                parts.append(data[behind:])
                direction.next = (start + len(data)) % _ROUND
                grown = True
    return b"".join(parts)
