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
# Names of ports that tests of this process were given, for as long as it lives: other processes pass over them.
_CLAIMS: list[socket.socket] = []


def _claims(port: int) -> bool:
    """Whether no test of another process was given it: where nobody shall listen, nobody's later server does."""
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0callbench-tests-port-{port}")
    except OSError:
        claim.close()
        return False
    _CLAIMS.append(claim)
    return True


def free_ports(count: int = 1, host: str = "127.0.0.1") -> int:
    """Return the first of up to eight free neighbouring ports; no other test is given them while this process lives."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for first in itertools.islice(_PLACES, 1000):
        with contextlib.ExitStack() as open_, contextlib.suppress(OSError):
            for port in range(first, first + count):
                open_.enter_context(socket.create_server((host, port), family=family))
            if all(map(_claims, range(first, first + count))):
                return first
    raise AssertionError("no neighbouring ports are free")
