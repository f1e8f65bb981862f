"""Read a packet capture with tshark: the packets of its last connections."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from callbench.model.errors import BadInput, MachineFailure

_FIELDS = (
    "frame.time_relative",
    "tcp.stream",
    "ip.src",
    "tcp.dstport",
    "tcp.flags",
    "tcp.seq",
    "tcp.payload",
    "_ws.col.Protocol",
    "_ws.col.Info",
)
_FIN, _SYN, _RST, _ACK = 1, 2, 4, 16
_PATIENCE_SECONDS = 120
# TCP without a dissector is described by ports and flags; they are shown better here.
_PLAIN = re.compile(r"^(\[.*\] )?\d+ → \d+ \[")


@dataclass(frozen=True)
class Packet:
    """One packet of a connection.

    Attributes:
        at_ms: milliseconds since the first packet of the capture.
        stream: the number of its connection in the capture.
        to_server: whether the client sent it.
        port: its destination port.
        flags: the TCP flags.
        sequence: the position of its data in what this side sends.
        data: the bytes above TCP.
        means: the dissector's description, if any.
    """

    at_ms: float
    stream: int
    to_server: bool
    port: int
    flags: int
    sequence: int
    data: bytes
    means: str

    @property
    def marks(self) -> list[str]:
        """Events of the connection itself, in words."""
        flags = [name for bit, name in ((_SYN, "SYN"), (_FIN, "FIN"), (_RST, "RST")) if self.flags & bit]
        return [*flags, "ACK"] if flags and self.flags & _ACK else flags

    def record(self, start_ms: float) -> dict[str, object]:
        """Return the packet as a JSON object.

        Args:
            start_ms: when the first shown packet was captured.
        """
        return {
            "at_ms": round(self.at_ms - start_ms, 6),
            "connection": self.stream,
            "direction": "to_server" if self.to_server else "to_client",
            "port": self.port,
            "flags": self.marks,
            "bytes": len(self.data),
            "data_hex": self.data.hex(),
            "meaning": self.means or None,
        }


def last_connections(capture: Path, connections: int, dissector: str | None) -> list[Packet]:
    """Return the packets of the connections that were opened last.

    Args:
        capture: a pcap file.
        connections: how many connections.
        dissector: the protocol for tshark, on any port; None if it does not know the protocol.

    Raises:
        BadInput: the capture does not exist or cannot be read.
        MachineFailure: tshark is not installed, or does not end.
    """
    if not capture.is_file():
        raise BadInput(f"{capture} is not there: run the study with --pcap")
    packets = _packets(capture, dissector)
    known = sorted({packet.stream for packet in packets})
    chosen = set(known[-connections:] if connections else [])
    return [packet for packet in packets if packet.stream in chosen]


def _packets(capture: Path, dissector: str | None) -> list[Packet]:
    tshark = shutil.which("tshark")
    if tshark is None:
        raise MachineFailure(
            "tshark reads captures and is not installed: install it, on Debian with `apt-get install tshark`"
        )
    words = [tshark, "-n", "-r", str(capture), "-Y", "tcp", "-T", "fields", "-E", "separator=/t", "-E", "occurrence=l"]
    words += ["-d", f"tcp.port==1-65535,{dissector}"] if dissector else []
    words += [word for field in _FIELDS for word in ("-e", field)]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as failure:
        raise MachineFailure(f"tshark has not read {capture} in {_PATIENCE_SECONDS} s") from failure
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["it does not say why"])[-1]
        raise BadInput(f"tshark cannot read {capture}: {reason}")
    return _read([line.split("\t") for line in ended.stdout.splitlines()])


def _read(rows: Sequence[Sequence[str]]) -> list[Packet]:
    """Convert tshark's rows. The client is the side that opened the first connection."""
    client = next((row[2] for row in rows if int(row[4], 16) & (_SYN | _ACK) == _SYN), "")
    packets = []
    for at, stream, source, port, flags, sequence, data, protocol, info in rows:
        bits = int(flags, 16)
        means = "" if protocol == "TCP" or _PLAIN.match(info) or not data else f"{protocol}: {info.strip()}"
        packets.append(
            Packet(
                at_ms=float(at) * 1000,
                stream=int(stream),
                to_server=source == client,
                port=int(port),
                flags=bits,
                sequence=int(sequence),
                data=bytes.fromhex(data),
                means=means,
            )
        )
    return packets
