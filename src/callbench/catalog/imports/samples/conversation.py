"""HTTP/1.1 out of the two directions of a connection, by h11: each request with its answer, once both are whole."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import h11

from callbench.catalog.imports.samples import body

_NO_DATA = (h11.NEED_DATA, h11.PAUSED)


@dataclass(slots=True)
class HttpMessage:
    """A request or an answer.

    Attributes:
        first: method and target, or the status.
        headers: names in small letters.
        body: as sent, perhaps compressed.
        too_large: the body has more bytes than a sample may have, so it is not kept.
    """

    first: tuple[str, str] | int
    headers: list[tuple[str, str]]
    body: bytearray = field(default_factory=bytearray)
    too_large: bool = False

    def header(self, name: str) -> str:
        """The first header of this name, or nothing."""
        return next((value for known, value in self.headers if known == name), "")


class Conversation:
    """One connection, seen from outside.

    Attributes:
        ended: it cannot be read on: it is no HTTP/1.1, or became another protocol.
    """

    def __init__(self) -> None:
        """Nothing was said yet."""
        self.ended = False
        self._server = h11.Connection(h11.SERVER)
        self._client: h11.Connection | None = None
        self._early = bytearray()
        self._request: HttpMessage | None = None
        self._answer: HttpMessage | None = None
        self._open: deque[HttpMessage] = deque()

    def from_client(self, data: bytes) -> Iterator[tuple[HttpMessage, HttpMessage]]:
        """What the client sends next.

        Raises:
            h11.RemoteProtocolError: it is no HTTP/1.1.
        """
        self._server.receive_data(data)
        while (event := self._server.next_event()) not in _NO_DATA and not self.ended:
            if isinstance(event, h11.Request):
                self._request = HttpMessage((event.method.decode(), event.target.decode("latin-1")), _headers(event))
            elif isinstance(event, h11.Data) and self._request is not None:
                _more(self._request, event.data)
            elif isinstance(event, h11.EndOfMessage) and self._request is not None:
                self._open.append(self._request)
                rest, _ = self._server.trailing_data
                self._server = h11.Connection(h11.SERVER)
                # No bytes would mean that the client sends no more.
                if rest:
                    self._server.receive_data(rest)
            elif isinstance(event, h11.ConnectionClosed):
                return
        early, self._early = bytes(self._early), bytearray()
        if early:
            yield from self.from_server(early)

    def from_server(self, data: bytes) -> Iterator[tuple[HttpMessage, HttpMessage]]:
        """What the server sends next; an empty text says that it sends no more.

        Raises:
            h11.RemoteProtocolError: it is no HTTP/1.1.
        """
        rest = data
        while not self.ended:
            if self._client is None:
                if not self._open:
                    # The capture has the answer before the end of its request.
                    self._early += rest
                    return
                self._client = _awaiting(self._open[0])
            if rest or not data:
                self._client.receive_data(rest)
            done, rest = self._answered(self._client)
            if done is None:
                return
            yield done
            if not rest:
                return

    def _answered(self, client: h11.Connection) -> tuple[tuple[HttpMessage, HttpMessage] | None, bytes]:
        while (event := client.next_event()) not in _NO_DATA:
            if isinstance(event, h11.Response):
                self._answer = HttpMessage(event.status_code, _headers(event))
            elif isinstance(event, h11.InformationalResponse) and event.status_code == 101:
                self.ended = True
                return None, b""
            elif isinstance(event, h11.Data) and self._answer is not None:
                _more(self._answer, event.data)
            elif isinstance(event, h11.EndOfMessage) and self._answer is not None:
                rest, _ = client.trailing_data
                pair = self._open.popleft(), self._answer
                self._client = self._answer = None
                return pair, bytes(rest)
            elif isinstance(event, h11.ConnectionClosed):
                self.ended = True
                return None, b""
        return None, b""


def _awaiting(request: HttpMessage) -> h11.Connection:
    """A connection that has sent this request: its method decides whether the answer has a body."""
    client = h11.Connection(h11.CLIENT)
    method = request.first[0] if isinstance(request.first, tuple) else "GET"
    client.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
    client.send(h11.EndOfMessage())
    return client


def _headers(event: h11.Request | h11.Response) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers]


def _more(message: HttpMessage, data: bytes) -> None:
    if len(message.body) + len(data) > body.LARGEST:
        message.too_large = True
        message.body.clear()
    elif not message.too_large:
        message.body += data
