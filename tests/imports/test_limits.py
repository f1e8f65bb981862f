"""Payloads from the generator are valid by the user's schema, as an independent validator says, or a loss is listed."""

import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import imported

from callbench.catalog.generator.filled import filled
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Shape

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FORMATS = ["date-time", "date", "email", "ipv4", "ipv6", "uri", "uuid", "hostname", "regex", "json-pointer", "duration"]


def bounds(draw: st.DrawFn, low: str, high: str, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    least, most = sorted((draw(values), draw(values)))
    words = {}
    if draw(st.booleans()):
        words[low] = least
    if draw(st.booleans()):
        words[high] = most
    return words


@st.composite
def numbers(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["integer", "number"]))
    words = bounds(draw, "minimum", "maximum", st.integers(-1000, 1000))
    if draw(st.booleans()):
        words = bounds(draw, "exclusiveMinimum", "exclusiveMaximum", st.integers(-500, 500).map(lambda at: at * 20))
        if words.get("exclusiveMinimum", 0) == words.get("exclusiveMaximum", 1):
            words.pop("exclusiveMaximum", None)
    if draw(st.integers(0, 3)) == 0:
        words = {"multipleOf": draw(st.sampled_from([1, 5, 7] if kind == "integer" else [0.5, 5, 0.25])), "minimum": 0}
    return {"type": kind, **words}


LEAVES = (
    numbers()
    | st.composite(lambda draw: {"type": "string", **bounds(draw, "minLength", "maxLength", st.integers(0, 30))})()
    | st.sampled_from([{"type": "string", "format": form} for form in FORMATS])
    | st.sampled_from([
        {"type": "boolean"},
        {"enum": [1, 5, 9]},
        {"enum": ["a", 1, None]},
        {"const": 7},
        {"const": "x"},
        {"const": True},
        {"type": ["integer", "boolean"]},
        {"type": ["string", "null"], "minLength": 3},
        {"enum": [f"v{at}" for at in range(600)]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    ])
)  # fmt: skip


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    named = {f"p{at}": draw(inner) for at in range(draw(st.integers(1, 4)))}
    required = [name for name in named if draw(st.booleans())]
    return {"type": "object", "properties": named, "required": required, "additionalProperties": False}


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    unique = {"uniqueItems": True} if draw(st.booleans()) else {}
    if unique:
        return {
            "type": "array",
            "items": {"type": "integer"},
            **unique,
            **bounds(draw, "minItems", "maxItems", st.integers(0, 9)),
        }
    return {"type": "array", "items": draw(inner), **bounds(draw, "minItems", "maxItems", st.integers(0, 9))}


@st.composite
def maps(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    words = bounds(draw, "minProperties", "maxProperties", st.integers(0, 9))
    return {"type": "object", "additionalProperties": draw(inner), **words}


SCHEMAS = objects(st.recursive(LEAVES, lambda inner: objects(inner) | lists(inner) | maps(inner), max_leaves=6))


def echoed(folder: Path, schema: Any) -> tuple[Imported, list[Json]]:
    """The service of a schema, and the payloads of its call."""
    file = folder / "a.json"
    file.write_text(json.dumps(schema))
    service, _ = filled(imported(file))
    return service, [pair.request for pair in service.payloads["Echo"]]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS)
def test_payloads_are_valid(schema: dict[str, Any]) -> None:
    """Whatever limits there are."""
    document = {**schema, "$schema": DRAFT}
    with tempfile.TemporaryDirectory() as made:
        _, payloads = echoed(Path(made), document)
    assert payloads
    validator = jsonschema.Draft202012Validator(document, format_checker=jsonschema.FormatChecker())
    for payload in payloads:
        validator.validate(payload)


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "string", "pattern": "^[0-9]{5}$"}, "pattern"),
        ({"type": "string", "format": "isbn"}, "format: isbn"),
        ({"type": "string", "format": "date", "maxLength": 4}, "minLength or maxLength of a format"),
        ({"type": "object", "properties": {"b": {"type": "integer"}}, "minProperties": 1}, "minProperties"),
        ({"type": "array", "items": {"type": "integer"}, "contains": {"const": 1}}, "contains"),
        ({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}, "patternProperties"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"maxLength": 1}},
            "propertyNames",
        ),
        (
            {"type": "object", "properties": {"b": {"type": "integer"}}, "dependentRequired": {"b": ["c"]}},
            "dependentRequired",
        ),
    ],
)
def test_what_payloads_are_not_held_to_is_a_loss(tmp_path: Path, schema: Json, word: str) -> None:
    """With its place."""
    service, _ = echoed(tmp_path, {"$schema": DRAFT, "type": "object", "properties": {"a": schema}})
    assert any(f"`{word}`" in loss.problem and "#/properties/a" in loss.place for loss in service.schema.losses)


def test_bounds_as_draft_4_excludes_them(tmp_path: Path) -> None:
    """The words are true there, and the bounds stand beside them."""
    number = {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "maximum": 4, "exclusiveMaximum": True}
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {"a": number},
        "required": ["a"],
    }
    _, payloads = echoed(tmp_path, schema)
    assert {payload["a"] for payload in payloads if isinstance(payload, dict)} == {2, 3}


OPENAPI: dict[str, Any] = {
    "openapi": "3.0.3",
    "paths": {
        "/a": {"post": {"operationId": "put", "requestBody": {"content": {"application/json": {}}}, "responses": {}}}
    },
}


def test_payloads_that_are_made_of_an_example_are_valid_too(tmp_path: Path) -> None:
    """Its numbers and words are changed, within the limits."""
    schema = {
        "type": "object",
        "required": ["n", "tags", "code"],
        "properties": {
            "n": {"type": "integer", "minimum": 40, "maximum": 60},
            "tags": {"type": "array", "uniqueItems": True, "minItems": 2, "items": {"type": "integer", "maximum": 12}},
            "code": {"type": "string", "maxLength": 6},
        },
    }
    example = {"n": 55, "tags": [10, 11], "code": "blue 7"}
    document = json.loads(json.dumps(OPENAPI))
    content = {"application/json": {"schema": schema, "example": example}}
    document["paths"]["/a"]["post"]["requestBody"]["content"] = content
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document))
    service, _ = filled(imported(file))
    payloads = [pair.request for pair in service.payloads["Put"]]
    assert len(payloads) > 10
    for payload in payloads:
        jsonschema.validate(payload, schema, jsonschema.Draft202012Validator)


def test_children_of_a_discriminator(tmp_path: Path) -> None:
    """Their keys exist, whether the parent names them or they name the parent."""
    base = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
    ref = {"$ref": "#/components/schemas/Base"}
    cat = {"allOf": [ref, {"type": "object", "required": ["lives"], "properties": {"lives": {"type": "integer"}}}]}
    kitten = {"allOf": [{"$ref": "#/components/schemas/Cat"}, {"properties": {"age": {"type": "integer"}}}]}
    dog = {"allOf": [ref, {"type": "object", "required": ["bark"], "properties": {"bark": {"type": "boolean"}}}]}
    options = [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
    given: list[dict[str, Any]] = [
        {**base, "discriminator": {"propertyName": "kind"}},
        {**base, "discriminator": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat", "d": "Dog"}}},
        {**base, "discriminator": {"propertyName": "kind"}, "oneOf": options},
        {**base, "oneOf": options},
    ]
    for parent in given:
        document = json.loads(json.dumps(OPENAPI))
        document["components"] = {"schemas": {"Base": parent, "Cat": cat, "Dog": dog, "Kitten": kitten}}
        examples = {"c": {"value": {"kind": "c", "lives": 9}}, "d": {"value": {"kind": "d", "bark": True}}}
        document["paths"]["/a"]["post"]["requestBody"]["content"]["application/json"] = {
            "schema": ref,
            "examples": examples,
        }
        file = tmp_path / "a.json"
        file.write_text(json.dumps(document))
        service = imported(file)
        (call,) = service.schema.calls
        fields = {field.name: field for field in service.schema.message(call.request).fields}
        assert {"kind", "lives", "bark"} <= set(fields)
        assert ("age" in fields) == ("oneOf" not in parent)
        assert fields["bark"].shape is Shape.OPTIONAL
        assert [pair.request for pair in service.payloads["Put"]] == [one["value"] for one in examples.values()]
        assert any("One of several forms is allowed" in loss.problem for loss in service.schema.losses)
