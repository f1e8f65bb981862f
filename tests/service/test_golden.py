"""The golden vectors, which the engine's tests hold against its own implementation."""

import json
from typing import Any

import pytest

from callbench.adapter.service import ServiceFault, expected, sent
from callbench.model.installation import home

VECTORS: list[dict[str, Any]] = json.loads((home() / "contract/golden/service.json").read_text(encoding="utf-8"))


def named(vector: dict[str, Any]) -> str:
    return f"{vector['call']} {json.dumps(vector['arguments'])[:60]}"


@pytest.mark.parametrize("vector", VECTORS, ids=named)
def test_every_vector_is_reproduced(vector: dict[str, Any]) -> None:
    if "fault" in vector:
        with pytest.raises(ServiceFault) as caught:
            expected(vector["call"], vector["arguments"])
        assert caught.value.message == vector["fault"]["message"]
    else:
        assert expected(vector["call"], vector["arguments"]) == vector["value"]
    if "sent" in vector:
        assert sent(vector["arguments"]) == vector["sent"]


def test_the_file_covers_every_call_type_and_content() -> None:
    assert {vector["call"] for vector in VECTORS} == {
        "Empty",
        "Send",
        "Sum",
        "GetPersons",
        "GetBinaryData",
        "EchoStructure",
        "EchoString",
        "Hello",
        "FindItems",
    }
    kinds = ("boolean", "byte", "char", "short", "int", "long", "float", "double", "string", "object")
    sends = {(it["arguments"]["type"], it["arguments"].get("content")) for it in VECTORS if it["call"] == "Send"}
    assert sends >= {
        (kind + array, content) for kind in kinds for array in ("", "[]") for content in ("fixed", "random")
    }
    fills = {it["arguments"]["fill"] for it in VECTORS if it["call"] == "GetBinaryData"}
    assert fills >= {"article", "random", "zero", "text"}
