"""Captures by tcpdump: the HTTP/1.1 requests and answers in them."""

import zlib
from collections.abc import Iterator

import h11

from callbench.catalog.imports.samples import body
from callbench.catalog.imports.samples.conversation import Conversation, HttpMessage
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.left_out import LeftOut
from callbench.catalog.imports.samples.recorded import RecordedExchange, sample
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.imports.samples.streams import Chunk, End, chunks
from callbench.catalog.imports.source import Source

_METHODS = (b"GET ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ", b"HEAD ", b"OPTIONS ", b"QUERY ", b"CONNECT ", b"TRACE ")
_TLS = (b"\x16\x03", b"\x14\x03", b"\x15\x03", b"\x17\x03")
_HTTP2 = b"PRI * HTTP/2.0"


class _Connection:
    """One connection of the capture."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.client: End | None = None
        self.unreadable = ""
        self._before: list[Chunk] = []

    def take(self, chunk: Chunk) -> Iterator[tuple[HttpMessage, HttpMessage]]:
        """What a chunk completes."""
        if self.unreadable or self.conversation.ended:
            return
        if self.client is None and not (chunk.data and self._recognised(chunk)):
            return
        if chunk.missing:
            self.unreadable = "connection with packets missing in the capture (take it with `tcpdump -s 0`)"
            return
        waiting, self._before = [*self._before, chunk], []
        try:
            for segment in waiting:
                talk = self.conversation.from_client if segment.sender == self.client else self.conversation.from_server
                if segment.data or segment.sender != self.client:
                    yield from talk(segment.data)
        except h11.ProtocolError as error:
            self.unreadable = f"connection that broke HTTP/1.1 ({error})"

    def _recognised(self, chunk: Chunk) -> bool:
        """Whether a connection is known to be HTTP/1.1, and who is the client."""
        if chunk.data.startswith(_TLS):
            self.unreadable = (
                "connection under TLS, which a capture cannot be read under: record a HAR file in a browser"
            )
        elif chunk.data.startswith(_HTTP2):
            self.unreadable = "connection with HTTP/2, which is not read from captures: record a HAR file in a browser"
        elif chunk.data.startswith(_METHODS) or any(method.startswith(chunk.data) for method in _METHODS):
            self.client = chunk.sender
            return True
        elif chunk.data.startswith(b"HTTP/1.") or (self._before and self._before[0].sender == chunk.sender):
            # The answer to a request from before the capture, or one that was captured a little late.
            self._before.append(chunk)
            if len(self._before) > 1000:
                self.unreadable = "connection whose requests are not in the capture"
        else:
            self.unreadable = "connection that is no HTTP/1.1 from its beginning"
        return False


def exchanges(source: Source, secrets: SampleSecrets, left_out: LeftOut) -> Iterator[Exchange]:
    """The samples of a capture.

    Raises:
        BadInput: it is no capture.
    """
    connections: dict[tuple[End, End, int], _Connection] = {}
    for chunk in chunks(source, left_out):
        connection = connections.setdefault(chunk.connection, _Connection())
        before = connection.unreadable
        for request, answer in connection.take(chunk):
            exchange = _sample(request, answer, f"{source.name}, packet {chunk.packet},", secrets, left_out)
            if exchange is not None:
                yield exchange
        if connection.unreadable and not before:
            left_out.count(connection.unreadable)
        if chunk.last:
            del connections[chunk.connection]


def _sample(
    request: HttpMessage, answer: HttpMessage, place: str, secrets: SampleSecrets, left_out: LeftOut
) -> Exchange | None:
    for name, _ in (*request.headers, *answer.headers):
        secrets.header(name)
    if request.too_large or answer.too_large:
        left_out.count(f"request with a body over {body.LARGEST // 2**20} MiB")
        return None
    method, target = request.first if isinstance(request.first, tuple) else ("", "")
    status = answer.first if isinstance(answer.first, int) else 0
    bodies = []
    for message in (request, answer):
        plain, why = _plain(message)
        if why:
            left_out.count(why)
            return None
        bodies.append(plain)
    recorded = RecordedExchange(
        place=place,
        method=method,
        url=target,
        request_type=request.header("content-type"),
        request=bodies[0],
        status=status,
        answer_type=answer.header("content-type"),
        answer=bodies[1],
    )
    return sample(recorded, left_out)


def _plain(message: HttpMessage) -> tuple[bytes, str]:
    """The body without its compression, or why that is not possible."""
    coding = message.header("content-encoding").strip().lower()
    if coding in {"", "identity"} or not message.body:
        return bytes(message.body), ""
    if coding not in {"gzip", "x-gzip", "deflate"}:
        return b"", f"body compressed by {coding[:20]}, which is not read (gzip and deflate are)"
    # 32 more bits of window: zlib looks at the header itself. Deflate comes with a header, or without.
    for window in (47, -15):
        reader = zlib.decompressobj(window)
        try:
            plain = reader.decompress(bytes(message.body), body.LARGEST)
        except zlib.error:
            continue
        if reader.unconsumed_tail:
            return b"", f"compressed body that becomes larger than {body.LARGEST // 2**20} MiB"
        return plain, ""
    return b"", f"body that says it is compressed by {coding}, and is not"
