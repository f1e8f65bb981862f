"""Record a request to a server: its own client sends one through a relay. Also the server's address."""

import re
import socket
from contextlib import suppress
from urllib.parse import urlsplit

from callbench.adapter.stack.relay import Relay
from callbench.adapter.stack.target import Target
from callbench.model.errors import AdapterFailure, BadInput
from callbench.runner.stability.misbehaviour import RecordedRequest

_PLACE = re.compile(r"(?P<host>\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
# Before the fingerprint of a certificate, in the endpoints of the native channels with TLS.
FINGERPRINT = "#sha256="
_CONNECT_S = 2.0


def address(endpoint: str) -> tuple[str, int]:
    """Return the host and port of a server.

    Raises:
        BadInput: the endpoint has no port. Only TCP servers can be tested.
    """
    if "://" in endpoint:
        parts = urlsplit(endpoint)
        if parts.hostname and parts.scheme in {"http", "https"}:
            return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    match = _PLACE.search(endpoint)
    if match is None:
        raise BadInput(f"the server is at {endpoint[:60]!r}, which names no host and port: only TCP can be tortured")
    return match["host"].strip("[]"), int(match["port"])


def record_request(target: Target) -> RecordedRequest:
    """Record one call: the client connects through a relay, if its endpoint has an address that can be replaced."""
    endpoint, (host, port) = target.endpoint, address(target.endpoint)
    secure = endpoint.startswith("https:") or FINGERPRINT in endpoint
    with Relay(host, port) as relay:
        relay_endpoint = _via_relay(endpoint, relay.port)
        if relay_endpoint is None:
            return RecordedRequest(secure=secure)
        try:
            target.connected(target.client, 1, relay_endpoint)
            target.client.call(target.spec.call, target.spec.arguments)
        except AdapterFailure:
            # If the client cannot use the relay, tests that need no request are still possible.
            return RecordedRequest(secure=secure)
        finally:
            target.disconnect_clients()
    return RecordedRequest(relay.sent, secure)


def _via_relay(endpoint: str, port: int) -> str | None:
    """Return the endpoint with the relay's port; None if that is not possible."""
    if _PLACE.search(endpoint):
        return _PLACE.sub(f"127.0.0.1:{port}", endpoint, count=1)
    parts = urlsplit(endpoint)
    return parts._replace(netloc=f"{parts.hostname}:{port}").geturl() if parts.hostname else None


def numeric(host: str, port: int) -> str:
    """Return `ADDRESS:PORT` for the engine, which does not resolve names.

    Of several addresses, it is the first to which a connection can be made.

    Raises:
        BadInput: the name cannot be resolved.
    """
    try:
        resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as failure:
        raise BadInput(f"{host} cannot be resolved: {failure.strerror}") from failure
    addresses = list(dict.fromkeys(str(resolved_address[0]) for *_, resolved_address in resolved))
    chosen = (
        next((candidate for candidate in addresses if _accepts(candidate, port)), addresses[0])
        if addresses[1:]
        else addresses[0]
    )
    return f"[{chosen}]:{port}" if ":" in chosen else f"{chosen}:{port}"


def _accepts(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), timeout=_CONNECT_S):
        return True
    return False
