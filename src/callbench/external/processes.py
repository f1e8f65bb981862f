"""The processes of a server that runs by itself, found by the port of its URL."""

import contextlib
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import psutil


def roots(table: Mapping[str, Any]) -> tuple[int, ...]:
    """The processes behind a URL: the one that is named, else those of this machine that listen on its port.

    Empty where they run elsewhere, or this user may not know.
    """
    if table.get("pid"):
        return (int(table["pid"]),)
    parts = urlsplit(str(table["url"]))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if not _is_here(parts.hostname or ""):
        return ()
    found: list[psutil._ntuples.sconn] = []
    with contextlib.suppress(psutil.Error, OSError):
        found = psutil.net_connections("tcp")
    pids = (one.pid for one in found if one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port)
    return tuple(dict.fromkeys(pid for pid in pids if pid))


def _is_here(host: str) -> bool:
    """Whether a name means this machine: whether one of its addresses can be listened on here."""
    with contextlib.suppress(OSError):
        for family, *_, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
            with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as one:
                one.bind((address[0], 0))
                return True
    return False
