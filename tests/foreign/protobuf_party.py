"""Protocol Buffers with Google's package, compiled from contract/service.proto."""

import importlib
import itertools
import sys
from pathlib import Path
from typing import Any

from grpc_tools import protoc
from party import Person, RefusedError, post

CONTRACT = Path(__file__).parents[2] / "contract"


def compiled(folder: Path) -> Any:
    """The module that protoc makes of the service's description."""
    status = protoc.main(["protoc", f"-I{CONTRACT}", f"--python_out={folder}", str(CONTRACT / "service.proto")])
    assert status == 0
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("service_pb2")
    finally:
        sys.path.remove(str(folder))


class Protobuf:
    """The envelope `CallRequest` and `CallAnswer`."""

    def __init__(self, url: str, folder: Path) -> None:
        """Talk to the service at `url`; what protoc makes goes into `folder`."""
        self._url = url
        self._types = compiled(folder)
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
