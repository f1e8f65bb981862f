"""The array of MessagePack-RPC in CBOR, with the cbor2 package."""

import itertools
from typing import Any

import cbor2
from party import Person, RefusedError, post

REQUEST, ANSWER = 0, 1


class Cbor:
    """`[0, id, method, [parameters]]`, answered by `[1, id, error, result]`."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._url = url
        self._ids = itertools.count()

    def _call(self, method: str, *parameters: object) -> Any:
        mark = next(self._ids)
        request = cbor2.dumps([REQUEST, mark, method, parameters])
        kind, answered, error, result = cbor2.loads(post(self._url, "application/cbor", request))
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
