"""Where a server listens, and what a request to it looks like: learned from its own client, through a relay."""

import re
import socket
import threading
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

from callbench.adapter.stack.target import Target
from callbench.model.errors import AdapterFailure, BadInput
from callbench.runner.stability.mischief import Known

_PLACE = re.compile(r"(?P<host>\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
_CHUNK = 1 << 16
_PATIENCE_S = 10.0


def address(endpoint: str) -> tuple[str, int]:
    """The host and port of a server.

    Raises:
        BadInput: the endpoint has none: what is no TCP cannot be tortured.
    """
    if "://" in endpoint:
        parts = urlsplit(endpoint)
        if parts.hostname:
            return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    place = _PLACE.search(endpoint)
    if place is None:
        raise BadInput(f"the server is at {endpoint[:60]!r}, which names no host and port: only TCP can be tortured")
    return place["host"].strip("[]"), int(place["port"])


def known_of(target: Target) -> Known:
    """Overhear one call: the client is led through a relay of ours, if its endpoint lets itself be led."""
    endpoint, (host, port) = target.endpoint, address(target.endpoint)
    secure = endpoint.startswith("https:")
    with _Relay(host, port) as relay:
        led = _led(endpoint, relay.port)
        if led is None:
            return Known(secure=secure)
        try:
            target.connected(target.client, 1, led)
            target.client.call(target.aim.call, target.aim.arguments)
        except AdapterFailure:
            # A client that will not be led has no request that could be told: what needs none can still be done.
            return Known(secure=secure)
        finally:
            target.alone()
    return Known(relay.heard, secure)


def _led(endpoint: str, port: int) -> str | None:
    """The endpoint with the relay's port for its own."""
    if _PLACE.search(endpoint):
        return _PLACE.sub(f"127.0.0.1:{port}", endpoint, count=1)
    parts = urlsplit(endpoint)
    return parts._replace(netloc=f"{parts.hostname}:{port}").geturl() if parts.hostname else None


class _Relay:
    """Hands on what one connection says, and keeps what its client said."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_PATIENCE_S)
        self._ends: list[socket.socket] = []
        self._heard = bytearray()
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listener.getsockname()[1])

    @property
    def heard(self) -> bytes:
        """What the client has said."""
        return bytes(self._heard)

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to, _PATIENCE_S)
                self._ends += [near, far]
                # A client that connects anew for its call says it there.
                self._heard.clear()
                threading.Thread(target=self._hand_on, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self._hand_on, args=(far, near, False), daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket, keep: bool) -> None:
        with suppress(OSError):
            while octets := source.recv(_CHUNK):
                if keep:
                    self._heard += octets
                sink.sendall(octets)
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._thread.join(_PATIENCE_S)


def numeric(host: str, port: int) -> str:
    """A place as the engine reads it: an address, not a name.

    Raises:
        BadInput: nobody knows the name.
    """
    try:
        place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4]
    except OSError as failure:
        raise BadInput(f"nobody knows where {host} is: {failure.strerror}") from failure
    found = str(place[0])
    return f"[{found}]:{port}" if ":" in found else f"{found}:{port}"
