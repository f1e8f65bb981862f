"""Break the connections between two living sides from outside, as a resetting middlebox does.

The server's own sockets are duplicated with pidfd_getfd(2), which a parent process may do, and disconnected: connect(2)
to AF_UNSPEC sends a reset. This needs no network privileges and no relay, whose address an object reference would not
contain.
"""

import contextlib
import ctypes
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

PROC = Path("/proc")
# linux/asm-generic/unistd.h: the same number on all supported architectures.
_PIDFD_GETFD = 438
_ESTABLISHED, _CONNECTED, _STREAM = "01", "03", "0001"
_SOCKET = "socket:["
# A sockaddr of the family AF_UNSPEC.
_NOWHERE = bytes(16)


def connections(server: Sequence[int], client: Sequence[int]) -> list[tuple[int, int]]:
    """Return the server's ends of the connections between two sides: process and descriptor of each.

    These are TCP connections whose other end is the client's. Without any, all connected unix sockets of the server are
    returned: they do not show their peer, and a server with several processes has internal ones too.
    """
    if not (server and client):
        return []
    mine, its = _sockets(server), set(_sockets(client))
    rows = list(_tcp(server[0]))
    ends = {(there, here) for here, there, inode in rows if inode in its}
    found = [mine[inode] for here, there, inode in rows if inode in mine and (here, there) in ends]
    return found or [mine[inode] for inode in _unix(server[0]) if inode in mine]


def cut(ends: Sequence[tuple[int, int]]) -> None:
    """Break connections, given by processes and descriptors.

    Raises:
        OSError: this user may not access the process, or it has closed the connection.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for pid, descriptor in ends:
        with _duplicate_socket(libc, pid, descriptor) as end:
            if end.family == socket.AF_UNIX or libc.connect(end.fileno(), _NOWHERE, len(_NOWHERE)) != 0:
                # Some kernels do not disconnect a socket on which a thread waits: then shut it down without a reset.
                end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _duplicate_socket(libc: ctypes.CDLL, pid: int, descriptor: int) -> Iterator[socket.socket]:
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
    """Return process and descriptor of every socket of some processes, by inode."""
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
    """Yield local end, remote end and inode of each TCP connection on a process's host (proc_net_tcp(5))."""
    for name in ("tcp", "tcp6"):
        for fields in _rows(pid, name):
            if fields[3] == _ESTABLISHED:
                yield _short(fields[1]), _short(fields[2]), fields[9]


def _short(end: str) -> str:
    """Return an end with the last four bytes of its address, so that IPv4 addresses within IPv6 match."""
    address, _, port = end.partition(":")
    return f"{address[-8:]}:{port}"


def _unix(pid: int) -> Iterator[str]:
    """Yield the inode of each connected stream of unix sockets."""
    for fields in _rows(pid, "unix"):
        if fields[4] == _STREAM and fields[5] == _CONNECTED:
            yield fields[6]


def _rows(pid: int, name: str) -> Iterator[list[str]]:
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "net" / name).read_text().splitlines()[1:]:
            yield line.split()
