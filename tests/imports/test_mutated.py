"""Valid documents of every format that is text or JSON, mutated: taken, or refused with one sentence."""

import copy
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import DOCUMENTS

from callbench.catalog.generator.filled import filled
from callbench.catalog.imports import document as read
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput

VALUES: list[Any] = [
    *(None, 0, -1, 2**70, 1e300, "", "x", "é" * 50, [], {}, [[]], {"a": None}, True, "#/x", {"$ref": "#"}, [None] * 3),
]
WORDS = [
    *(
        "$ref",
        "type",
        "items",
        "allOf",
        "oneOf",
        "discriminator",
        "required",
        "enum",
        "const",
        "properties",
        "minItems",
    ),
    *("maxLength", "multipleOf", "pattern", "format", "additionalProperties", "minimum", "exclusiveMaximum"),
    *("uniqueItems", "name", "fields", "status", "postData", "content", "tools", "messages"),
]
REQUEST = {"method": "POST", "url": "http://a/b?c=1&c=2", "postData": {"mimeType": "application/json", "text": "{}"}}
ANSWER = {"status": 200, "content": {"size": 2, "mimeType": "application/json", "text": '{"a": 1}'}}
HAR = {"log": {"entries": [{"request": REQUEST, "response": ANSWER}]}}
TREES = sorted(file.name for file in DOCUMENTS.iterdir() if file.suffix in {".json", ".yaml", ".avsc", ".avpr"})


def _holders(value: Any) -> list[Any]:
    """The objects and lists of a document that hold something."""
    found, waiting = [], [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict | list) and inner:
            found.append(inner)
            waiting += inner.values() if isinstance(inner, dict) else inner
    return found


def _mutated(document: Any, luck: random.Random) -> Any:
    made = copy.deepcopy(document)
    for _ in range(luck.choice((1, 1, 2, 4))):
        holders = _holders(made)
        if not holders:
            break
        holder = luck.choice(holders)
        key = luck.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        change = luck.randrange(4)
        if change == 0:
            holder[key] = copy.deepcopy(luck.choice(VALUES))
        elif change == 1:
            del holder[key]
        elif change == 2:
            holder[key] = copy.deepcopy(luck.choice(holders))
        elif isinstance(holder, dict):
            holder[luck.choice(WORDS)] = copy.deepcopy(luck.choice(VALUES))
    return made


@pytest.mark.parametrize("name", [*TREES, "shop.har"])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(luck=st.randoms(use_true_random=False))
def test_a_mutated_document_is_taken_or_refused(name: str, luck: random.Random) -> None:
    """Payloads are drawn of what is taken."""
    document: Any = HAR
    if name != "shop.har":
        document = read.parsed(name, (DOCUMENTS / name).read_bytes())
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / name
        file.write_text(json.dumps(_mutated(document, luck), default=str))
        try:
            filled(registry.service([str(file)], Options(unions=True)))
        except BadInput as error:
            assert "\n" not in str(error)  # noqa: PT017 - some of them are taken


@pytest.mark.parametrize("schema", [{"enum": []}, {"type": {"a": 1}}, {"type": "integer", "minimum": 5, "maximum": 3}])
def test_schemas_that_fuzzing_found(tmp_path: Path, schema: Any) -> None:
    """They were tracebacks."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"$schema": "x", "type": "object", "properties": {"a": schema}, "required": ["a"]}))
    try:
        filled(registry.service([str(file)], Options()))
    except BadInput as error:
        assert "there is no type" in str(error)  # noqa: PT017 - some of them are taken


def test_a_list_of_itself_has_one_message_wherever_it_stands(tmp_path: Path) -> None:
    """Its second place named a message that was never made: a KeyError in the generator."""
    lists = {"type": "array", "items": {"$ref": "#/$defs/lists"}}
    both = {name: {"$ref": "#/$defs/lists"} for name in ("first", "second")}
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Order", "type": "object"}
    file = tmp_path / "order.schema.json"
    file.write_text(json.dumps({**document, "properties": both, "$defs": {"lists": lists}}))
    service, _ = filled(registry.service([str(file)], Options()))
    names = {message.name for message in service.schema.messages}
    used = {field.type_name for message in service.schema.messages for field in message.fields if field.type_name}
    assert used <= names | {one.name for one in service.schema.enumerations}
