"""Records TLS conversations of OpenSSL as the golden captures tls-*.pcap: python tests/ledger/record_tls.py.

Both sides are OpenSSL's, in memory. The lengths of signatures and keys differ each time, so it prints the records of
each file, for engine/ledger/tests/golden.rs. OpenSSL says how many bytes of data there were.
"""

import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import write_captures
from write_captures import ACK, SYN, classic, ethernet, ipv4, tcp

GOLDEN = Path(__file__).resolve().parents[2] / "engine/ledger/tests/golden"
REQUESTS, ANSWERS = (100, 40), (2000, 7)
# What a packet holds: records are cut wherever it ends.
SEGMENT = 600
CLIENT, SERVER = (4000, 443), (443, 4000)


@dataclass
class Side:
    """One end, with what it reads and writes."""

    context: ssl.SSLContext
    server: bool
    reads: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)
    writes: ssl.MemoryBIO = field(default_factory=ssl.MemoryBIO)

    def __post_init__(self) -> None:
        """Begin."""
        self.tls = self.context.wrap_bio(self.reads, self.writes, server_side=self.server)


def contexts(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return a client's and a server's context, with a certificate made for them."""
    made = ["-keyout", f"{folder}/key", "-out", f"{folder}/cert", "-days", "1", "-nodes", "-subj", "/CN=localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", *made]
    subprocess.run(command, check=True, capture_output=True)
    client, server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    server.load_cert_chain(folder / "cert", folder / "key")
    return client, server


def conversation(
    client_context: ssl.SSLContext, server_context: ssl.SSLContext
) -> tuple[list[bytes], tuple[bytes, bytes]]:
    """Shake hands, send each request and its answer, close. Return the frames, and what client and server sent."""
    client, server = Side(client_context, server=False), Side(server_context, server=True)
    frames = [segment(CLIENT, 0, 0, SYN), segment(SERVER, 0, 1, SYN | ACK), segment(CLIENT, 1, 1, ACK)]
    streams = (bytearray(), bytearray())

    def carry(side: Side) -> None:
        data, other = side.writes.read(), server if side is client else client
        for start in range(0, len(data), SEGMENT):
            piece = data[start : start + SEGMENT]
            ports = SERVER if side.server else CLIENT
            own, others = streams[side.server], streams[not side.server]
            frames.append(segment(ports, 1 + len(own), 1 + len(others), ACK, piece))
            own += piece
        other.reads.write(data)

    def tried(action: Callable[[], object]) -> bool:
        try:
            action()
        except ssl.SSLWantReadError:
            return False
        return True

    done = [False, False]
    while not all(done):
        for place, side in enumerate((client, server)):
            done[place] = done[place] or tried(side.tls.do_handshake)
            carry(side)
    for request, answer in zip(REQUESTS, ANSWERS, strict=True):
        for side, other, size in ((client, server, request), (server, client, answer)):
            side.tls.write(b"x" * size)
            carry(side)
            assert len(other.tls.read(size)) == size
    tried(client.tls.unwrap)
    carry(client)
    return frames, (bytes(streams[0]), bytes(streams[1]))


def segment(ports: tuple[int, int], number: int, acknowledgement: int, flags: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    hosts = (
        (write_captures.CLIENT, write_captures.SERVER)
        if ports == CLIENT
        else (write_captures.SERVER, write_captures.CLIENT)
    )
    return ethernet(0x0800, ipv4(*hosts, tcp(ports, (number, acknowledgement), flags, payload)))


def records(stream: bytes) -> list[tuple[int, int]]:
    """Return type and length of each record."""
    found = []
    while stream:
        length = int.from_bytes(stream[3:5])
        found.append((stream[0], length))
        stream = stream[5 + length :]
    return found


def main() -> None:
    """Write all of them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, options in {
            "tls-1.3": {},
            "tls-1.3-retry": {"curve": "secp384r1"},
            "tls-1.2-gcm": {"ciphers": "ECDHE-ECDSA-AES128-GCM-SHA256"},
            "tls-1.2-chacha": {"ciphers": "ECDHE-ECDSA-CHACHA20-POLY1305"},
            "tls-1.2-cbc": {"ciphers": "ECDHE-ECDSA-AES128-SHA256"},
        }.items():
            client, server = contexts(Path(folder))
            if "ciphers" in options:
                client.maximum_version = ssl.TLSVersion.TLSv1_2
                client.set_ciphers(str(options["ciphers"]))
            if "curve" in options:
                server.set_ecdh_curve(str(options["curve"]))
                server.num_tickets = 0
            frames, streams = conversation(client, server)
            (GOLDEN / f"{name}.pcap").write_bytes(classic(frames))
            sys.stdout.write(f"{name}: to server {records(streams[0])}, to client {records(streams[1])}\n")


if __name__ == "__main__":
    main()
