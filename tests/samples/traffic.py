"""Captures as tcpdump writes them, made of what both sides of connections say."""

import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from random import Random

import dpkt

CLIENT, SERVER = socket.inet_aton("127.0.0.2"), socket.inet_aton("127.0.0.3")
_PORTS = count(40000)


@dataclass
class Connection:
    """One connection: what is said, in order, by the client (True) or the server (False)."""

    said: Sequence[tuple[bool, bytes]]
    size: int = 1000
    start: int = 2**32 - 700
    handshake: bool = True
    port: int = field(default_factory=lambda: next(_PORTS))

    def packets(self) -> list[bytes]:
        sent = {True: self.start, False: 77}
        made = []
        if self.handshake:
            made = [
                self._packet(True, sent, b"", dpkt.tcp.TH_SYN),
                self._packet(False, sent, b"", dpkt.tcp.TH_SYN | 16),
            ]
            sent = {side: (number + 1) % 2**32 for side, number in sent.items()}
        for client, data in self.said:
            for at in range(0, len(data), self.size):
                part = data[at : at + self.size]
                made.append(self._packet(client, sent, part, dpkt.tcp.TH_ACK))
                sent[client] = (sent[client] + len(part)) % 2**32
        made += [self._packet(side, sent, b"", dpkt.tcp.TH_FIN | dpkt.tcp.TH_ACK) for side in (True, False)]
        return made

    def _packet(self, client: bool, sent: dict[bool, int], data: bytes, flags: int) -> bytes:
        ports = (self.port, 80) if client else (80, self.port)
        segment = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], seq=sent[client], ack=0, flags=flags, data=data)
        ends = (CLIENT, SERVER) if client else (SERVER, CLIENT)
        packet = dpkt.ip.IP(src=ends[0], dst=ends[1], p=dpkt.ip.IP_PROTO_TCP, data=segment)
        packet.len = len(packet)
        return bytes(dpkt.ethernet.Ethernet(type=dpkt.ethernet.ETH_TYPE_IP, data=packet))


def pcap(packets: Iterable[bytes], writer: Callable[..., object] = dpkt.pcap.Writer) -> bytes:
    stream = BytesIO()
    made = writer(stream)
    for number, packet in enumerate(packets):
        made.writepkt(packet, ts=number / 1000)  # type: ignore[attr-defined]
    return stream.getvalue()


def shuffled(packets: list[bytes], seed: int, distance: int = 4) -> list[bytes]:
    """Packets out of order, some twice, as on a bad link; the first two stay."""
    random = Random(seed)  # noqa: S311 - nothing secret
    keyed = [(at + (random.random() * distance if at > 1 else 0), packet) for at, packet in enumerate(packets)]
    keyed += [(at + 0.5, packet) for at, packet in keyed if random.random() < 0.2]
    return [packet for _, packet in sorted(keyed, key=lambda one: one[0])]


def http(first: str, body: bytes = b"", *headers: str) -> bytes:
    """A request or an answer."""
    length = f"Content-Length: {len(body)}"
    head = [first, "Host: shop", "Content-Type: application/json", *headers]
    if not any(header.startswith("Transfer-Encoding") for header in headers):
        head.append(length)
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def chunked(body: bytes) -> bytes:
    parts = [body[at : at + 7] for at in range(0, len(body), 7)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def fragments(packet: bytes, number: int, size: int, *, six: bool = False) -> list[bytes]:
    """A packet in fragments of so many bytes, a multiple of 8, over IPv4 or IPv6."""
    whole = dpkt.ethernet.Ethernet(packet).data
    payload = bytes(whole.data)
    made = []
    for at in range(0, len(payload), size):
        part, more = payload[at : at + size], at + size < len(payload)
        if six:
            ends = [b"\xfd" + bytes(11) + end for end in (whole.src, whole.dst)]
            header = struct.pack(">IHBB", 6 << 28, len(part) + 8, 44, 64) + ends[0] + ends[1]
            header += struct.pack(">BBHI", 6, 0, at | more, number)
        else:
            fields = (0x45, 0, 20 + len(part), number, more << 13 | at // 8, 64, 6, 0)
            header = struct.pack(">BBHHHBBH", *fields) + whole.src + whole.dst
        made.append(packet[:12] + (b"\x86\xdd" if six else b"\x08\x00") + header + part)
    return made
