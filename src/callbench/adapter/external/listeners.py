"""Find every process that holds a listening socket of an address, in /proc."""

import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from callbench.model.process_tree import PROC

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_LISTENS = "0A"
_IPV4_HEX = 8


@dataclass(frozen=True)
class Listeners:
    """The processes that listen.

    Attributes:
        pids: processes that hold one of the sockets, sorted.
        hidden: sockets whose process is not visible: of another user, or of another PID namespace.
    """

    pids: tuple[int, ...] = ()
    hidden: int = 0


def listeners_at(host: str, port: int) -> Listeners:
    """Return who listens for connections to this host and port; empty if it is not an address of this machine.

    Several sockets can listen there (SO_REUSEPORT), and several processes can hold one socket (a master and its
    workers).
    """
    for address in _local_addresses(host):
        inodes = _sockets(address, port)
        if inodes:
            return _holders(inodes)
    return Listeners()


def _local_addresses(host: str) -> Iterator[Address]:
    """Yield the addresses of a name that belong to this machine."""
    with suppress(OSError, UnicodeError):
        for family, *_, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
            with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind((address[0], 0, *address[2:]))
                yield _plain(ipaddress.ip_address(str(address[0]).partition("%")[0]))


def _sockets(address: Address, port: int) -> set[int]:
    """Return the inodes of the sockets that get connections to an address: the most specific ones, as in the kernel."""
    found: dict[Address, set[int]] = {}
    for table in ("tcp", "tcp6"):
        for local, inode in _listening(table, port):
            found.setdefault(local, set()).add(inode)
    any4, any6 = ipaddress.IPv4Address(0), ipaddress.IPv6Address(0)
    # A socket bound to :: also accepts IPv4, unless this is switched off. In that case another one is bound to 0.0.0.0.
    order: list[Address] = [address, any4, any6] if isinstance(address, ipaddress.IPv4Address) else [address, any6]
    return next((found[address] for address in order if address in found), set())


def _listening(table: str, port: int) -> Iterator[tuple[Address, int]]:
    """Yield the addresses with a listening socket on a port, from /proc/net/tcp or tcp6, with the sockets' inodes."""
    with suppress(OSError):
        for line in (PROC / "self" / "net" / table).read_text().splitlines()[1:]:
            fields = line.split()
            host, _, at_port = fields[1].partition(":")
            if fields[3] == _LISTENS and int(at_port, 16) == port:
                yield _address(host), int(fields[9])


def _address(text: str) -> Address:
    """Return an address of /proc/net: words of 32 bits in the machine's byte order."""
    words = [int(text[place : place + 8], 16) for place in range(0, len(text), 8)]
    packed = b"".join(struct.pack("=I", word) for word in words)
    return _plain(ipaddress.IPv4Address(packed) if len(text) == _IPV4_HEX else ipaddress.IPv6Address(packed))


def _plain(address: Address) -> Address:
    """Return an IPv4 address that is written as IPv6 in its own form."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _holders(inodes: set[int]) -> Listeners:
    """Return the processes that hold sockets."""
    wanted = {f"socket:[{inode}]" for inode in inodes}
    seen: set[str] = set()
    pids = []
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (mine := wanted & _targets(f"{entry}/fd")):
            pids.append(int(entry.name))
            seen |= mine
    return Listeners(tuple(sorted(pids)), len(wanted - seen))


def _targets(folder: str) -> set[str]:
    """Return the targets of a process's descriptors; empty if they are not readable or it has ended."""
    found = set()
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - thousands of them, and often
            with suppress(OSError):
                found.add(os.readlink(f"{folder}/{name}"))  # noqa: PTH115 - likewise
    return found
