"""Avro's call format with the fastavro package, by the protocol in contract/service.avpr."""

import io
import json
from pathlib import Path
from typing import Any

import fastavro
from party import Person, RefusedError, post

PROTOCOL = json.loads((Path(__file__).parents[2] / "contract/service.avpr").read_text())
TYPES = {one["name"]: one for one in PROTOCOL["types"]}
METADATA = {"type": "map", "values": "bytes"}


def schema(said: object) -> Any:
    """A schema that needs no other: a named type is written out where it is named first."""
    known: set[str] = set()

    def filled(node: Any) -> Any:
        if isinstance(node, str) and node in TYPES and node not in known:
            known.add(node)
            return filled(TYPES[node])
        if isinstance(node, dict):
            return {key: value if key in {"name", "default"} else filled(value) for key, value in node.items()}
        return [filled(one) for one in node] if isinstance(node, list) else node

    return fastavro.parse_schema(filled(said))


def request_schema(operation: str) -> Any:
    """The parameters of an operation, as a record."""
    return schema({"type": "record", "name": operation, "fields": PROTOCOL["messages"][operation]["request"]})


def read_request(body: bytes) -> tuple[str, dict[str, Any]]:
    """The operation and the parameters of a request."""
    source = io.BytesIO(body)
    assert fastavro.schemaless_reader(source, METADATA, None) == {}
    operation = str(fastavro.schemaless_reader(source, "string", None))
    parameters = fastavro.schemaless_reader(source, request_schema(operation), None)
    assert source.read() == b""
    assert isinstance(parameters, dict)
    return operation, parameters


def write_request(operation: str, parameters: dict[str, Any]) -> bytes:
    """A request."""
    target = io.BytesIO()
    fastavro.schemaless_writer(target, METADATA, {})
    fastavro.schemaless_writer(target, "string", operation)
    fastavro.schemaless_writer(target, request_schema(operation), parameters)
    return target.getvalue()


def read_answer(operation: str, body: bytes) -> Any:
    """The value of an answer.

    Raises:
        RefusedError: it is a fault.
    """
    source = io.BytesIO(body)
    assert fastavro.schemaless_reader(source, METADATA, None) == {}
    if fastavro.schemaless_reader(source, "boolean", None):
        raise RefusedError(str(fastavro.schemaless_reader(source, ["string"], None)))
    value = fastavro.schemaless_reader(source, schema(PROTOCOL["messages"][operation]["response"]), None)
    assert source.read() == b""
    return value


def write_answer(operation: str, value: object) -> bytes:
    """An answer that is no fault."""
    target = io.BytesIO()
    fastavro.schemaless_writer(target, METADATA, {})
    fastavro.schemaless_writer(target, "boolean", False)
    fastavro.schemaless_writer(target, schema(PROTOCOL["messages"][operation]["response"]), value)
    return target.getvalue()


class Avro:
    """A client."""

    def __init__(self, url: str) -> None:
        """Talk to the service at `url`."""
        self._url = url

    def _call(self, operation: str, **parameters: object) -> Any:
        return read_answer(operation, post(self._url, "avro/binary", write_request(operation, parameters)))

    def sum(self, a: int, b: int) -> int:
        return int(self._call("Sum", a=a, b=b))

    def persons(self, n: int) -> list[Person]:
        return [(it["ID"], it["FirstName"], it["LastName"]) for it in self._call("GetPersons", n=n)]

    def binary(self, size: int, fill: str) -> bytes:
        return bytes(self._call("GetBinaryData", size=size, fill=fill))
