"""The array of MessagePack-RPC: in MessagePack with the msgpack package, and in CBOR with the cbor2 package."""

import itertools
from collections.abc import Callable
from typing import Any

import cbor2
import msgpack
from party import Person, RefusedError, post

REQUEST, ANSWER = 0, 1


class _Array:
    """`[0, id, method, [parameters]]`, answered by `[1, id, error, result]`."""

    def __init__(self, url: str, media_type: str, dumps: Callable[[Any], bytes], loads: Callable[[bytes], Any]) -> None:
        """Talk to the service at `url` by two functions of a package."""
        self._url, self._type = url, media_type
        self._dumps, self._loads = dumps, loads
        self._ids = itertools.count()

    def _call(self, method: str, *parameters: object) -> Any:
        mark = next(self._ids)
        request = self._dumps([REQUEST, mark, method, parameters])
        kind, answered, error, result = self._loads(post(self._url, self._type, request))
        assert (kind, answered) == (ANSWER, mark)
        if error is not None:
            raise RefusedError(error)
        return result

    def sum(self, a: int, b: int) -> int:
        return int(self._call("Sum", a, b))

    def persons(self, n: int) -> list[Person]:
        return [(it["ID"], it["FirstName"], it["LastName"]) for it in self._call("GetPersons", n)]

    def binary(self, size: int, fill: str) -> bytes:
        return bytes(self._call("GetBinaryData", size, fill))


class Cbor(_Array):
    """In CBOR."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        super().__init__(url, "application/cbor", cbor2.dumps, cbor2.loads)


class MsgPack(_Array):
    """In MessagePack."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        super().__init__(url, "application/msgpack", msgpack.packb, msgpack.unpackb)
