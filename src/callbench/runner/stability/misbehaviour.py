"""The torture tests: what misbehaving connections send, read, and do at their end."""

import base64
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

_HEAD_END = b"\r\n\r\n"
_MIB = 1 << 20


@dataclass(frozen=True)
class RecordedRequest:
    """A recorded request to the server.

    Attributes:
        request: one request as a client sends it; empty if it could not be recorded.
        secure: whether the connection uses TLS.
    """

    request: bytes = b""
    secure: bool = False

    @property
    def http(self) -> bool:
        """Whether the request is readable HTTP."""
        return not self.secure and b"HTTP/1." in self.request.partition(b"\r\n")[0]


@dataclass(frozen=True)
class Misbehaviour:
    """One kind of misbehaviour.

    Attributes:
        about: what each connection does.
        most: the largest number of connections at once.
        needs: `connection`, `request`, `plain` (a request that is not TLS) or `http`.
        actions: returns the engine's request, without address, connections, seconds and pace.
    """

    name: str
    about: str
    most: int
    needs: str
    actions: Callable[[RecordedRequest], Mapping[str, object]]

    def why_not(self, recorded: RecordedRequest) -> str:
        """Return why the test is not possible with this server, or ""."""
        if self.needs == "connection" or (self.needs == "request" and recorded.request):
            return ""
        if not recorded.request:
            return "no request could be recorded: its clients do not connect to a plain address"
        if recorded.secure:
            return "its requests are TLS, which cannot be cut or lengthened from outside"
        return "its requests are not HTTP" if self.needs == "http" and not recorded.http else ""


def _actions(send: bytes = b"", **members: Any) -> dict[str, object]:  # noqa: ANN401 - JSON
    usual: dict[str, object] = {"reads": "nothing", "hold_ms": None, "close_with": "close", "reconnect": True}
    return {**usual, "send": _text(send), **members}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unfinished(request: bytes) -> bytes:
    """Return an HTTP header without its end; for another protocol, all but the last byte."""
    head, end, _ = request.partition(_HEAD_END)
    return head if end else request[:-1]


def _overlong(recorded: RecordedRequest) -> dict[str, object]:
    first = recorded.request.partition(b"\r\n")[0] + b"\r\nHost: localhost\r\nX-Long: "
    return _actions(first, repeat=_text(b"a" * 4096), max_bytes=16 * _MIB, reads="all")


def _slow_readers(recorded: RecordedRequest) -> dict[str, object]:
    again = _text(recorded.request)
    return _actions(recorded.request, repeat=again, max_bytes=_MIB, reads="slowly", read_ms=200, receive_buffer=4096)


MISBEHAVIOURS: Sequence[Misbehaviour] = (
    Misbehaviour(
        "flood", "connects, is silent for 50 ms, closes, and another one connects", 60_000, "connection",
        lambda _: _actions(hold_ms=50),
    ),
    Misbehaviour("half-open", "connects and never sends anything", 60_000, "connection", lambda _: _actions()),
    Misbehaviour(
        "slowloris", "sends the head of a request at two bytes per second, and never its end", 60_000, "plain",
        lambda recorded: _actions(_unfinished(recorded.request), byte_interval_ms=500),
    ),
    Misbehaviour(
        "slow-readers", "sends many requests, and reads five bytes of the answers per second", 500, "plain",
        _slow_readers,
    ),
    Misbehaviour(
        "resets", "sends a request and resets the connection", 200, "request",
        lambda recorded: _actions(recorded.request, hold_ms=0, close_with="reset"),
    ),
    Misbehaviour(
        "half-request", "sends half a request and closes", 200, "request",
        lambda recorded: _actions(recorded.request[: len(recorded.request) // 2], hold_ms=0),
    ),
    Misbehaviour("overlong-header", "sends a header of up to 16 MiB", 20, "http", _overlong),
    Misbehaviour(
        "garbage", "sends a kilobyte of random bytes, and closes after 100 ms", 200, "connection",
        # Any bytes would do, but they must be the same each time.
        lambda _: _actions(random.Random(1).randbytes(1024), hold_ms=100, reads="all"),  # noqa: S311
    ),
)  # fmt: skip


def select_tests(names: Sequence[str]) -> list[Misbehaviour]:
    """Return the tests with these names in the order of the table; all tests if there are no names.

    Raises:
        BadInput: a test does not exist.
    """
    recorded = {misbehaviour.name: misbehaviour for misbehaviour in MISBEHAVIOURS}
    for name in names:
        if name not in recorded:
            raise BadInput(f"--test {name}: there is no such test: {allowed_names(name, recorded)}")
    return [misbehaviour for misbehaviour in MISBEHAVIOURS if not names or misbehaviour.name in names]
