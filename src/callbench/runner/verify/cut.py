"""Breaks the connections between two sides from outside while both live, as a middlebox that resets them does.

The sockets are the server's own: taken over by pidfd_getfd(2), which a parent may do to what it started, and
disconnected: connect(2) to AF_UNSPEC sends a reset to the other end. It needs no rights over the network, and no
relay, whose address an object reference would not know.
"""

import contextlib
import ctypes
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

PROC = Path("/proc")
# linux/asm-generic/unistd.h: the same on every architecture that this runs on.
_PIDFD_GETFD = 438
_ESTABLISHED, _CONNECTED, _STREAM = "01", "03", "0001"
_SOCKET = "socket:["
# A sockaddr of the family AF_UNSPEC.
_NOWHERE = bytes(16)


def connections(server: Sequence[int], client: Sequence[int]) -> list[tuple[int, int]]:
    """The server's ends of what is open between the processes of two sides: process and descriptor of each.

    Of TCP those whose other end is the client's. Where there is none, all connected unix sockets of the server:
    they do not tell with whom, and a server of several processes has some among its own.
    """
    if not (server and client):
        return []
    mine, its = _sockets(server), set(_sockets(client))
    rows = list(_tcp(server[0]))
    ends = {(there, here) for here, there, inode in rows if inode in its}
    found = [mine[inode] for here, there, inode in rows if inode in mine and (here, there) in ends]
    return found or [mine[inode] for inode in _unix(server[0]) if inode in mine]


def cut(ends: Sequence[tuple[int, int]]) -> None:
    """Breaks connections, given by the processes and descriptors of their ends here.

    Raises:
        OSError: this user may not reach into the process, or it has closed the connection.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for pid, descriptor in ends:
        with _taken(libc, pid, descriptor) as end:
            if end.family == socket.AF_UNIX or libc.connect(end.fileno(), _NOWHERE, len(_NOWHERE)) != 0:
                # Also where a kernel will not disconnect a socket that a thread waits at: the end instead of a reset.
                end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _taken(libc: ctypes.CDLL, pid: int, descriptor: int) -> Iterator[socket.socket]:
    process = os.pidfd_open(pid)
    try:
        taken = libc.syscall(_PIDFD_GETFD, process, descriptor, 0)
        if taken < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    finally:
        os.close(process)
    with socket.socket(fileno=taken) as end:
        yield end


def _sockets(pids: Sequence[int]) -> dict[str, tuple[int, int]]:
    """Process and descriptor of every socket of some processes, by inode."""
    found: dict[str, tuple[int, int]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for entry in (PROC / str(pid) / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = str(entry.readlink())
                    if target.startswith(_SOCKET):
                        found[target[len(_SOCKET) : -1]] = (pid, int(entry.name))
    return found


def _tcp(pid: int) -> Iterator[tuple[str, str, str]]:
    """Local end, remote end and inode of each TCP connection on a process's host (proc_net_tcp(5))."""
    for name in ("tcp", "tcp6"):
        for fields in _rows(pid, name):
            if fields[3] == _ESTABLISHED:
                yield _short(fields[1]), _short(fields[2]), fields[9]


def _short(end: str) -> str:
    """An end by the last four octets of its address, so that an IPv4 address is the same within IPv6."""
    address, _, port = end.partition(":")
    return f"{address[-8:]}:{port}"


def _unix(pid: int) -> Iterator[str]:
    """The inode of each connected stream of unix sockets."""
    for fields in _rows(pid, "unix"):
        if fields[4] == _STREAM and fields[5] == _CONNECTED:
            yield fields[6]


def _rows(pid: int, name: str) -> Iterator[list[str]]:
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "net" / name).read_text().splitlines()[1:]:
            yield line.split()
