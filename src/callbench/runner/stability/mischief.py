"""What can be done to a server, one entry each: what connections send, read and do at their end."""

import base64
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.catalog.study.near import allowed
from callbench.model.errors import BadInput

_HEAD_END = b"\r\n\r\n"
_MIB = 1 << 20


@dataclass(frozen=True)
class Known:
    """What is known of how the server is called.

    Attributes:
        request: one request as a client sends it; empty where it could not be overheard.
        secure: whether that is TLS.
    """

    request: bytes = b""
    secure: bool = False

    @property
    def http(self) -> bool:
        """Whether the request is one of HTTP, to be read."""
        return not self.secure and b"HTTP/1." in self.request.partition(b"\r\n")[0]


@dataclass(frozen=True)
class Mischief:
    """One way to misbehave.

    Attributes:
        about: what each connection does.
        most: so many connections at once at most, however many were asked for.
        needs: `connection`, `request`, `plain` (a request that is not TLS) or `http`.
        does: the members of the storm's wish, beside its address, connections, seconds and pace.
    """

    name: str
    about: str
    most: int
    needs: str
    does: Callable[[Known], Mapping[str, Any]]

    def why_not(self, known: Known) -> str:
        """Why it cannot be done to this server, or nothing."""
        if self.needs == "connection" or (self.needs == "request" and known.request):
            return ""
        if not known.request:
            return "what a request looks like could not be overheard: its clients do not connect to a plain address"
        if known.secure:
            return "its requests are TLS, which cannot be cut or lengthened from outside"
        return "its requests are not HTTP" if self.needs == "http" and not known.http else ""


def _does(send: bytes = b"", **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    usual: dict[str, Any] = {"reads": "nothing", "hold_ms": None, "ends": "close", "again": True}
    return {**usual, "send": _text(send), **members}


def _text(octets: bytes) -> str:
    return base64.b64encode(octets).decode()


def _unfinished(request: bytes) -> bytes:
    """All of a request's head but its end; of what is not HTTP all but the last octet."""
    head, end, _ = request.partition(_HEAD_END)
    return head if end else request[:-1]


def _overlong(known: Known) -> dict[str, Any]:
    first = known.request.partition(b"\r\n")[0] + b"\r\nHost: localhost\r\nX-Long: "
    return _does(first, endlessly=_text(b"a" * 4096), most_bytes=16 * _MIB, reads="all")


def _slow_readers(known: Known) -> dict[str, Any]:
    again = _text(known.request)
    return _does(known.request, endlessly=again, most_bytes=_MIB, reads="slowly", read_ms=200, receive_buffer=4096)


EVERY: Sequence[Mischief] = (
    Mischief(
        "flood", "connects, is silent for 50 ms, closes, and another one connects", 60_000, "connection",
        lambda _: _does(hold_ms=50),
    ),
    Mischief("half-open", "connects and never sends anything", 60_000, "connection", lambda _: _does()),
    Mischief(
        "slowloris", "sends the head of a request at two bytes per second, and never its end", 60_000, "plain",
        lambda known: _does(_unfinished(known.request), drip_ms=500),
    ),
    Mischief(
        "slow-readers", "sends many requests, and reads five bytes of the answers per second", 500, "plain",
        _slow_readers,
    ),
    Mischief(
        "resets", "sends a request and resets the connection", 200, "request",
        lambda known: _does(known.request, hold_ms=0, ends="reset"),
    ),
    Mischief(
        "half-request", "sends half a request and closes", 200, "request",
        lambda known: _does(known.request[: len(known.request) // 2], hold_ms=0),
    ),
    Mischief("overlong-header", "sends a header of up to 16 MiB", 20, "http", _overlong),
    Mischief(
        "garbage", "sends a kilobyte of random bytes, and closes after 100 ms", 200, "connection",
        # Any octets will do, and the same ones each time.
        lambda _: _does(random.Random(1).randbytes(1024), hold_ms=100, reads="all"),  # noqa: S311
    ),
)  # fmt: skip


def chosen(names: Sequence[str]) -> list[Mischief]:
    """Find what was asked for, in the order of the table; all of it where nothing was.

    Raises:
        BadInput: there is no such test.
    """
    known = {one.name: one for one in EVERY}
    for name in names:
        if name not in known:
            raise BadInput(f"--test {name}: there is no such test: {allowed(name, known)}")
    return [one for one in EVERY if not names or one.name in names]
