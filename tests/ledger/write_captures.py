"""Writes the golden captures by hand, from the RFCs and nothing of the crate: python3 tests/ledger/write_captures.py.

Their expected results are in engine/ledger/tests/golden.rs, counted by hand. Checksums are 0, because they are not
checked here.
"""

import struct
from pathlib import Path

CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
SYN, ACK, FIN, PSH = 2, 16, 1, 8


def tcp(ports: tuple[int, int], numbers: tuple[int, int], flags: int, payload: bytes, options: bytes = b"") -> bytes:
    """One segment (RFC 9293, section 3.1)."""
    offset = (5 + len(options) // 4) << 4
    return struct.pack(">HHIIBBHHH", *ports, *numbers, offset, flags, 65535, 0, 0) + options + payload


def ipv4(source: str, destination: str, body: bytes) -> bytes:
    """A packet (RFC 791, section 3.1)."""
    ends = b"".join(bytes(map(int, one.split("."))) for one in (source, destination))
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 1, 0x4000, 64, 6, 0) + ends + body


def ipv6(source: int, destination: int, body: bytes) -> bytes:
    """A packet (RFC 8200, section 3)."""
    ends = source.to_bytes(16, "big") + destination.to_bytes(16, "big")
    return struct.pack(">IHBB", 6 << 28, len(body), 6, 64) + ends + body


def ethernet(kind: int, body: bytes, tag: bytes = b"") -> bytes:
    """A frame, at least 60 bytes long, as cards send it."""
    return (b"\2" * 6 + b"\4" * 6 + tag + struct.pack(">H", kind) + body).ljust(60, b"\0")


def classic(frames: list[bytes], link: int = 1, cut: int = 1 << 16) -> bytes:
    """A pcap file with times in microseconds, big-endian, as a Sun would write it."""
    records = (
        struct.pack(">IIII", 100, 1000 * place, min(cut, len(frame)), len(frame)) + frame[:cut]
        for place, frame in enumerate(frames)
    )
    return struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, cut, link) + b"".join(records)


def fork(kind: int, body: bytes) -> bytes:
    """A fork of pcapng (draft-ietf-opsawg-pcapng, section 3.1)."""
    filled = body.ljust(-(-len(body) // 4) * 4, b"\0")
    return struct.pack("<II", kind, 12 + len(filled)) + filled + struct.pack("<I", 12 + len(filled))


def next_generation(frames: list[bytes]) -> bytes:
    """A pcapng file with one interface."""
    head = fork(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + fork(1, struct.pack("<HHI", 1, 0, 0))
    return head + b"".join(
        fork(6, struct.pack("<IIIII", 0, 0, place, len(frame), len(frame)) + frame)
        for place, frame in enumerate(frames)
    )


def conversation() -> list[bytes]:
    """10 bytes there, 30 back in three pieces: the second is sent twice, the third overlaps it."""
    there, back = (4000, 80), (80, 4000)
    mss = bytes([2, 4, 5, 180])

    def up(number: int, acknowledged: int, flags: int, payload: bytes = b"", options: bytes = b"") -> bytes:
        return ethernet(0x0800, ipv4(CLIENT, SERVER, tcp(there, (number, acknowledged), flags, payload, options)))

    def down(number: int, acknowledged: int, flags: int, payload: bytes = b"", options: bytes = b"") -> bytes:
        return ethernet(0x0800, ipv4(SERVER, CLIENT, tcp(back, (number, acknowledged), flags, payload, options)))

    last = 0xFFFFFFFF  # the server's numbers wrap within its answer
    return [
        up(1000, 0, SYN, options=mss),
        down(last - 4, 1001, SYN | ACK, options=mss),
        up(1001, last - 3, ACK),
        up(1001, last - 3, PSH | ACK, b"0123456789"),
        down(last - 3, 1011, ACK),
        down(last - 3, 1011, ACK, b"a" * 10),
        down(6, 1011, ACK, b"b" * 10),
        down(6, 1011, ACK, b"b" * 10),
        down(11, 1011, PSH | ACK, b"b" * 5 + b"c" * 10),
        up(1011, 26, ACK),
        up(1011, 26, FIN | ACK),
        down(26, 1012, FIN | ACK),
        up(1012, 27, ACK),
    ]


def secret() -> list[bytes]:
    """Over IPv6 and a VLAN: three TLS records cut across two segments that come in the wrong order."""
    there = (5000, 443)
    records = bytes([22, 3, 1, 0, 4]) + b"abcd" + bytes([20, 3, 3, 0, 1, 1]) + bytes([23, 3, 3, 0, 8]) + b"x" * 8
    tag = struct.pack(">HH", 0x8100, 7)

    def up(number: int, flags: int, payload: bytes = b"") -> bytes:
        return ethernet(0x86DD, ipv6(1, 2, tcp(there, (number, 9), flags, payload)), tag)

    return [up(0, SYN), up(1 + 12, ACK, records[12:]), up(1, ACK, records[:12]), ethernet(0x0806, b"\0" * 28)]


if __name__ == "__main__":
    here = Path(__file__).resolve().parents[2] / "engine/ledger/tests/golden"
    (here / "conversation.pcap").write_bytes(classic(conversation()))
    (here / "conversation.pcapng").write_bytes(next_generation(conversation()))
    (here / "cut.pcap").write_bytes(classic(conversation(), cut=58))
    (here / "raw.pcap").write_bytes(classic([frame[14:54] for frame in conversation()[2:3]], link=101))
    (here / "secret.pcap").write_bytes(classic(secret()))
    (here / "strange-link.pcap").write_bytes(classic(conversation(), link=147))
    (here / "broken-off.pcap").write_bytes(classic(conversation())[:-7])
