"""Bytes of a fixed length in an imported Avro schema: a native client sends what fastavro writes by that schema."""

import io
import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastavro
import pytest
from answering import answering

from callbench.adapter.own_answers import PAIR
from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.model.errors import AdapterFailure
from callbench.model.service.imported import Json, Pair
from callbench.runner.plan import own_service

# The test waits for the compiler, which takes long on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
HASH = {"type": "fixed", "name": "Hash", "size": 4}
ORDER: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "hash", "type": HASH},
        {"name": "maybe", "type": ["null", {"type": "fixed", "name": "Long", "size": 16}]},
        {"name": "hashes", "type": {"type": "array", "items": "Hash"}},
        {"name": "by_name", "type": {"type": "map", "values": "Hash"}},
        {"name": "numbers", "type": ["null", {"type": "array", "items": "int"}]},
    ],
}
VALUES: list[dict[str, Any]] = [
    {"hash": b"abcd", "maybe": None, "hashes": [], "by_name": {}, "numbers": None},
    {
        "hash": bytes(4),
        "maybe": b"\xff" * 16,
        "hashes": [b"1234", b"5678"],
        "by_name": {"a": b"....", "b": b"----"},
        "numbers": [],
    },
]


def _as_json(value: Any) -> Json:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {key: _as_json(inner) for key, inner in value.items()}
    return [_as_json(inner) for inner in value] if isinstance(value, list) else value


def test_a_native_client_sends_them_without_their_length(tmp_path: Path) -> None:
    (tmp_path / "order.avsc").write_text(json.dumps(ORDER))
    service = registry.service([str(tmp_path / "order.avsc")], Options())
    pairs = tuple(Pair(_as_json(value), _as_json(value)) for value in VALUES)
    folder.write(tmp_path / "order", replace(service, payloads={"Echo": pairs}))
    native = own_service.added(catalogue.load(), tmp_path / "order").adapter("native").manifest
    received: list[bytes] = []

    def keep(body: bytes) -> bytes:
        received.append(body)
        return b""

    with answering("text/plain", keep) as url, Adapter(native, "the client") as client:
        client.connect("native/avro+http", url, 1)
        for number in range(1, len(VALUES) + 1):
            with pytest.raises(AdapterFailure):
                client.call("Echo", {PAIR: number})
    for value, body in zip(VALUES, received, strict=True):
        written = io.BytesIO()
        fastavro.schemaless_writer(written, fastavro.parse_schema(ORDER), value)
        # An empty map of metadata, and the call's name.
        assert body == b"\0\x08Echo" + written.getvalue()
