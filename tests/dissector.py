"""What tshark, which others wrote, sees in a capture."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

# A dissector knows protocols by their ports, and ports here are ephemeral.
ANY_PORT = "tcp.port==1-65535"


def seen(capture: Path, told: Sequence[str], names: Sequence[str]) -> list[dict[str, list[str]]]:
    """Return the values of each field in each packet of TCP, in the order of the packet.

    Args:
        capture: a pcap file.
        told: options of tshark.
        names: fields. One that a packet does not have is an empty list.
    """
    fields = [option for name in names for option in ("-e", name)]
    form = ["-Y", "tcp", "-T", "fields", "-E", "separator=|", "-E", "aggregator=,"]
    lines = _said(["-r", str(capture), *told, *form, *fields]).splitlines()
    return [
        {name: value.split(",") if value else [] for name, value in zip(names, line.split("|"), strict=True)}
        for line in lines
    ]


def decrypted(capture: Path, told: Sequence[str]) -> tuple[bytes, bytes]:
    """Return what the first connection carried inside TLS, a stream a direction. Which is first differs by version."""
    streams = (bytearray(), bytearray())
    for line in _said(["-r", str(capture), *told, "-q", "-z", "follow,tls,raw,0"]).splitlines():
        # What one side sent is set in by a tab. The lines around have other characters than digits.
        piece = line.removeprefix("\t")
        if piece and set(piece) <= set("0123456789abcdef"):
            streams[line.startswith("\t")].extend(bytes.fromhex(piece))
    return bytes(streams[0]), bytes(streams[1])


def _said(options: Sequence[str]) -> str:
    command = [shutil.which("tshark") or "tshark", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
