"""The frames of .NET Remoting's TCP channel, from [MS-NRTP]: a mark, what it is, a length, headers, content."""

import struct
from dataclasses import dataclass
from typing import Any

from nrbf import WireError

REQUEST, REPLY = 0, 2
_MARK = b".NET\x01\x00"
_END, _CUSTOM, _URI, _CONTENT_TYPE = 0, 1, 4, 6


@dataclass
class Frame:
    """One message. `headers` by their number in the specification, or by name where they are custom."""

    operation: int
    headers: dict[int | str, Any]
    content: bytes


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if count < 0 or self.at + count > len(self.data):
            raise WireError(f"a frame needs {count} bytes at {self.at}, and {len(self.data) - self.at} are there")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def text(self) -> str:
        encoding = self.number("<B")
        if encoding not in (0, 1):
            raise WireError(f"a string of a frame has no encoding {encoding}")
        try:
            return self.take(self.number("<i")).decode("utf-8" if encoding else "utf-16-le")
        except UnicodeDecodeError as why:
            raise WireError(f"a string of a frame is broken: {why.reason}") from None

    def value(self) -> Any:
        kind = self.number("<B")
        if kind == 1:
            return self.text()
        forms = {2: "<B", 3: "<H", 4: "<i"}
        if kind in forms:
            return self.number(forms[kind])
        if kind == 0:
            return None
        raise WireError(f"a header has no type {kind}")


def read(data: bytes) -> Frame:
    """The one frame that the bytes are, or WireError."""
    cursor = _Cursor(data)
    if cursor.take(len(_MARK)) != _MARK:
        raise WireError("a frame begins with .NET and version 1.0")
    operation = cursor.number("<H")
    if cursor.number("<H") != 0:
        raise WireError("content in chunks is none that this channel sends")
    length = cursor.number("<i")
    headers: dict[int | str, Any] = {}
    while (token := cursor.number("<H")) != _END:
        if token == _CUSTOM:
            name = cursor.text()
            headers[name] = cursor.text()
        else:
            headers[token] = cursor.value()
    content = cursor.take(length)
    if cursor.at != len(data):
        raise WireError(f"{len(data) - cursor.at} bytes follow the frame")
    return Frame(operation, headers, content)


def uri(frame: Frame) -> str | None:
    """The object that a request is for."""
    return frame.headers.get(_URI)


def request(to: str, content: bytes) -> bytes:
    """A request for the object of that URI."""
    head = _MARK + struct.pack("<HHi", REQUEST, 0, len(content))
    texts = [(_URI, to), (_CONTENT_TYPE, "application/octet-stream")]
    headers = b"".join(struct.pack("<HBBi", token, 1, 1, len(text)) + text.encode() for token, text in texts)
    return head + headers + struct.pack("<H", _END) + content
