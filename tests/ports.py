"""Ports for servers that cannot be given any free one, and for addresses at which nobody may listen."""

import contextlib
import itertools
import os
import socket
from collections.abc import Iterator
from pathlib import Path

# Above those that `adapter/external/program.py` takes for servers of users.
_FIRST = 21_000


def _places() -> Iterator[int]:
    """Ports below those that the kernel gives away by itself: between choice and use nobody is given one."""
    given_away = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    size = max(given_away - _FIRST - 8, 1000)
    # Tests run beside each other, and each process begins elsewhere.
    return (_FIRST + (os.getpid() * 1009 + step) % size for step in itertools.count(0, 8))


_PLACES = _places()


def free_ports(count: int = 1, host: str = "127.0.0.1") -> int:
    """Return the first of up to eight free neighbouring ports; no test of this process is given them again."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for first in itertools.islice(_PLACES, 1000):
        with contextlib.ExitStack() as open_, contextlib.suppress(OSError):
            for port in range(first, first + count):
                open_.enter_context(socket.create_server((host, port), family=family))
            return first
    raise AssertionError("no neighbouring ports are free")
