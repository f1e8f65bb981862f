"""JSON-RPC with nothing but the standard library."""

import base64
import itertools
import json
from typing import Any

from party import Person, RefusedError, post


class JsonRpc:
    """Requests as the specification shows them, ids as strings, parameters by name or by position."""

    def __init__(self, url: str, *, by_name: bool) -> None:
        """Talk to the service at `url`."""
        self._url = url
        self._by_name = by_name
        self._ids = (f"call {number}" for number in itertools.count())

    def _call(self, method: str, **parameters: object) -> Any:
        params = parameters if self._by_name else list(parameters.values())
        mark = next(self._ids)
        request = json.dumps({"id": mark, "params": params, "method": method, "jsonrpc": "2.0"})
        answer = json.loads(post(self._url, "application/json", request.encode()))
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == mark
        if "error" in answer:
            assert answer["error"]["code"] == -32000
            raise RefusedError(answer["error"]["message"])
        return answer["result"]

    def sum(self, a: int, b: int) -> int:
        return int(self._call("Sum", a=a, b=b))

    def persons(self, n: int) -> list[Person]:
        return [(it["ID"], it["FirstName"], it["LastName"]) for it in self._call("GetPersons", n=n)]

    def binary(self, size: int, fill: str) -> bytes:
        return base64.b64decode(self._call("GetBinaryData", size=size, fill=fill))
