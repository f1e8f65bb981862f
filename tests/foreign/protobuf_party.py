"""Protocol Buffers with Google's package, compiled from contract/service.proto."""

import itertools
from pathlib import Path
from typing import Any

from party import Person, RefusedError, post

from grpcio_party import contract_stubs


class Protobuf:
    """The envelope `CallRequest` and `CallAnswer`."""

    def __init__(self, url: str, _: Path) -> None:
        """Talk to the service at `url`."""
        self._url = url
        self._types, _stubs = contract_stubs()
        self._ids = itertools.count()

    def _call(self, **call: object) -> Any:
        request = self._types.CallRequest(id=next(self._ids), **call)
        answer = self._types.CallAnswer.FromString(
            post(self._url, "application/x-protobuf", request.SerializeToString())
        )
        assert answer.id == request.id
        kind = answer.WhichOneof("answer")
        if kind == "fault":
            raise RefusedError(answer.fault.message)
        return getattr(answer, kind)

    def sum(self, a: int, b: int) -> int:
        return int(self._call(sum={"a": a, "b": b}).result)

    def persons(self, n: int) -> list[Person]:
        return [(it.id, it.first_name, it.last_name) for it in self._call(get_persons={"n": n}).result]

    def binary(self, size: int, fill: str) -> bytes:
        return bytes(self._call(get_binary_data={"size": size, "fill": fill}).result)
