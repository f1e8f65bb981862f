"""What a dissector makes of the GIOP messages that this machine's loopback carries meanwhile."""

import contextlib
import shutil
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

ALL_PROTOCOLS = 3
# Of Linux's headers, since Python does not name them.
SO_RCVBUFFORCE, SOL_PACKET, PACKET_STATISTICS = 33, 263, 6
ROOM = 64 << 20


def dissected(act: Callable[[], object], folder: Path) -> str:
    """Tshark's words about the frames with GIOP in them that were seen while `act` ran; skips where it cannot be."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    try:
        seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    except (PermissionError, AttributeError) as why:
        pytest.skip(f"frames cannot be seen here: {why}")
    with closing(seen):
        with contextlib.suppress(PermissionError):
            seen.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
        seen.bind(("lo", 0))
        act()
        seen.setblocking(False)
        frames = list(_waiting(seen))
        _, lost = struct.unpack("II", seen.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    if lost:
        pytest.skip(f"other programs on this machine's loopback pushed {lost} frames out of the capture")
    capture = folder / "calls.pcap"
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1)
    capture.write_bytes(head + b"".join(struct.pack("<IIII", 0, 0, len(f), len(f)) + f for f in frames))
    shown = subprocess.run(
        ["tshark", "-r", capture, "-d", "tcp.port==1-65535,giop", "-Y", "giop", "-V"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return shown.stdout


def _waiting(seen: socket.socket) -> Iterator[bytes]:
    """The frames that wait at a socket and belong to GIOP."""
    while True:
        try:
            frame = seen.recv(262_144)
        except BlockingIOError:
            return
        if b"GIOP" in frame:
            yield frame
