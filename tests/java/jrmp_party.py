"""RMI's wire protocol (JRMP) spoken by hand: requests are put together here, answers are read by javaobj.

The registry is an object like any other, with a number that all know; what it answers is a stub, which says where its
object is. Java Object Serialization Specification, chapter 6; Java RMI Specification, chapter 10, and what
java.rmi.server.RemoteCall says of a method's hash.
"""

import hashlib
import socket
import struct
from typing import Any
from urllib.parse import urlsplit

from javaobj.v2.beans import BlockData, JavaArray, JavaInstance
from javaobj.v2.main import loads

_HEAD = struct.pack(">IHB", 0x4A524D49, 2, 0x4B)  # "JRMI", version 2, the stream protocol
_ACKNOWLEDGED, _CALL, _RETURN = 0x4E, 0x50, 0x51
_MAGIC = b"\xac\xed\x00\x05"
_BLOCK, _STRING = 0x77, 0x74
_NORMAL = 1
_REGISTRY = struct.pack(">qiqh", 0, 0, 0, 0)
_LOOKUP, _REGISTRY_HASH = 2, 4905912898345647071
_BY_HASH = -1
# How a call ended and the number of the answer, before what was answered.
_ANSWER_HEAD = 15


class RefusedError(Exception):
    """The server threw something; its message."""


class Jrmp:
    """A remote object."""

    def __init__(self, endpoint: str) -> None:
        """Looks `rmi://host:port/name` up in its registry."""
        place = urlsplit(endpoint)
        self._host, self._port, self._number = str(place.hostname), int(place.port or 0), _REGISTRY
        name = place.path.removeprefix("/").encode()
        fork = struct.pack(">iq", _LOOKUP, _REGISTRY_HASH)
        stub = self._exchange(fork, struct.pack(">BH", _STRING, len(name)) + name)
        self._host, self._port, self._number = _where(stub)

    def call(self, name: str, signature: str, *numbers: int) -> Any:
        """Calls a method by name and signature with arguments that are ints; an answer of numbers is given as bytes.

        Raises:
            RefusedError: the server threw.
        """
        digest = hashlib.sha1(_text(name + signature), usedforsecurity=False).digest()
        operation = struct.pack(">i", _BY_HASH) + digest[:8][::-1]
        answer = self._exchange(operation + b"".join(struct.pack(">i", number) for number in numbers))
        contents = loads(answer)
        head, *found = contents if isinstance(contents, list) else [contents]
        assert isinstance(head, BlockData)
        if head.data[0] != _NORMAL:
            raise RefusedError(_message(found[0]))
        if not found:
            return head.data[_ANSWER_HEAD:]
        return list(found[0]) if isinstance(found[0], JavaArray) else found[0]

    def _exchange(self, fork: bytes, after: bytes = b"") -> bytes:
        """Make a call over a new connection: only its end shows where an answer ends."""
        fork = self._number + fork
        with socket.create_connection((self._host, self._port), timeout=60) as connection:
            connection.sendall(_HEAD)
            with connection.makefile("rb") as reader:
                assert reader.read(1)[0] == _ACKNOWLEDGED
                reader.read(struct.unpack(">H", reader.read(2))[0] + 4)
                connection.sendall(_text(self._host) + struct.pack(">i", 0))
                connection.sendall(bytes([_CALL]) + _MAGIC + bytes([_BLOCK, len(fork)]) + fork + after)
                connection.shutdown(socket.SHUT_WR)
                answer = reader.read()
        assert answer[0] == _RETURN
        return answer[1:]


def _text(text: str) -> bytes:
    """As java.io.DataOutput writes a text."""
    return struct.pack(">H", len(text)) + text.encode()


def _where(stub: bytes) -> tuple[str, int, bytes]:
    """Where the object of a stub is: its reference is UnicastRef2, with a form, host, port and number.

    A stub is a proxy, whose class javaobj does not read: its reference is found by its name.
    """
    kind = _text("UnicastRef2") + b"\0"
    at = stub.index(kind) + len(kind)
    length = struct.unpack_from(">H", stub, at)[0]
    host, at = stub[at + 2 : at + 2 + length].decode(), at + 2 + length
    return host, struct.unpack_from(">i", stub, at)[0], stub[at + 4 : at + 4 + len(_REGISTRY)]


def _message(thrown: JavaInstance) -> str:
    """What an exception says."""
    for fields in thrown.field_data.values():
        for field, value in fields.items():
            if field.name == "detailMessage":
                return str(value)
    return ""
