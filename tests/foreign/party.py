"""A foreign party: an independent library that calls the service in one of the messages."""

import urllib.error
import urllib.request
from typing import Protocol

Person = tuple[int, str, str]


class RefusedError(Exception):
    """The server's own "no", as the foreign library understood it."""


class Party(Protocol):
    """The calls of every foreign party."""

    def sum(self, a: int, b: int) -> int: ...

    def persons(self, n: int) -> list[Person]: ...

    def binary(self, size: int, fill: str) -> bytes: ...


def post(url: str, content_type: str, body: bytes) -> bytes:
    """POST with the standard library alone; a fault may come under an error status, and its body counts."""
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            content: bytes = answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            content = refusal.read()
    return content
