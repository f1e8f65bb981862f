"""What was asked of one server: which it is, and how it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RequestedServer:
    """How an external server is called.

    Attributes:
        study: whose servers can be named, or None.
        path: behind host and port, or None.
        request: the members of its requests that were given.
        pid: the process behind a URL, or None.
        options: as typed, those that are for external servers alone.
        notes: what of a log is not in the requests, in sentences.
    """

    study: str | None = None
    path: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    pid: int | None = None
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RequestedTarget:
    """A server with a client, as a command that drives one server was asked for it.

    Attributes:
        name: a stack, a server of a study, a URL or a command, as given.
        call: of the service; empty: the only call of the server, or the usual one.
        timeout_s: a call without an answer for so long has failed.
        any_host: whether a URL may be on another machine.
        link: between client and server.
        options: of the client.
        first_clients: how many clients connect when it opens.
        hosts: names of the hosts of its clients; empty: this machine, or those of the link.
    """

    name: str
    call: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 10.0
    server: RequestedServer = field(default_factory=RequestedServer)
    any_host: bool = True
    link: str = "loopback"
    options: Mapping[str, Any] = field(default_factory=dict)
    first_clients: int = 1
    hosts: tuple[str, ...] = ()
