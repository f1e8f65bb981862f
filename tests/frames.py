"""Frames that go over the loopback while a test runs, kept for a dissector."""

import contextlib
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

_ALL_PROTOCOLS = 3
# Of Linux's headers, since Python does not name them.
_SO_RCVBUFFORCE, _SOL_PACKET, _PACKET_STATISTICS = 33, 263, 6
_ROOM = 64 << 20
_LONGEST = 262_144


class Frames:
    """Return the frames since it was opened."""

    def __init__(self, seen: socket.socket) -> None:
        """Of this socket."""
        self._seen = seen

    def waiting(self) -> Iterator[tuple[bytes, bool]]:
        """Each frame, and whether it was seen as it left: on the loopback each is seen twice.

        Where some were lost, the test is skipped: other programs on this machine pushed them out.
        """
        self._seen.setblocking(False)
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:
                frame, place = self._seen.recvfrom(_LONGEST)
                found.append((frame, place[2] == socket.PACKET_OUTGOING))
        _, lost = struct.unpack("II", self._seen.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        if lost:
            pytest.skip(f"other programs on this machine's loopback pushed {lost} frames out of the capture")
        yield from found


@contextlib.contextmanager
def on_loopback() -> Iterator[Frames]:
    """Sees the loopback's frames from now on; where that is not allowed, the test is skipped."""
    try:
        seen = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_PROTOCOLS))
    except (PermissionError, AttributeError) as why:
        pytest.skip(f"frames cannot be seen here: {why}")
    with closing(seen):
        with contextlib.suppress(PermissionError):
            seen.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _ROOM)
        seen.bind(("lo", 0))
        yield Frames(seen)


def keep(frames: Iterable[bytes], file: Path) -> Path:
    """Writes a capture. Returns its file."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, _LONGEST, 1)
    file.write_bytes(head + b"".join(struct.pack("<IIII", 0, 0, len(one), len(one)) + one for one in frames))
    return file
