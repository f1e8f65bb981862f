"""What was asked of one server: which it is, and how it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RequestedServer:
    """How an external server is called.

    Attributes:
        study: a name or a file whose `[servers]` can be named; None: no study.
        path: the path after host and port, for commands and for URLs without a path.
        request: members of its requests that were given; they replace those of a study's server.
        pid: the process behind a URL.
        options: as typed, those that are for external servers alone, such as `--path`.
        notes: what a log contains that the requests do not, in sentences.
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
        name: a stack, a study's server, a URL or a command, as given.
        call: of the service; empty: the server's only call, else `Hello`.
        arguments: of the call.
        timeout_s: a call without an answer for so long has failed.
        server: how to call an external server.
        any_host: whether a URL may be on another machine.
        link: between client and server: a name of `callbench list links`.
        options: of the client.
        first_clients: how many clients connect when it opens, before the first call.
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
