# ruff: noqa: E501 - a document stands on one line, beside what it becomes
"""The mapping of each format, compared with an independent program's result for the same document."""

import json
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import google.api
import jsonschema
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from importing import DOCUMENTS, Carried, classes, imported

from callbench.catalog.own import folder
from callbench.catalog.own.conform import Conformance
from callbench.catalog.own.protoc import compiled
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported

ALL = [
    "bookshop.yaml",
    "clinic.yaml",
    "museum.json",
    "parcels.thrift",
    "rooms.capnp",
    "flights.avpr",
    "library.wsdl",
    "orders.proto",
    "order.schema.json",
    "tools.json",
]


@pytest.fixture(scope="module")
def services() -> dict[str, Imported]:
    return {name: imported(DOCUMENTS / name) for name in ALL}


@pytest.mark.parametrize("name", ALL)
def test_a_document_makes_the_schema_that_a_person_has_read(services: dict[str, Imported], name: str) -> None:
    """The folder is read back as it was written; `schema.proto` is one that somebody has looked through."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made) / "own"
        folder.write(place, services[name])
        assert folder.read(place) == _grouped(services[name])
        written = (place / "schema.proto").read_text()
    assert written == (Path(__file__).parent / "expected" / f"{name}.proto").read_text()


def _grouped(service: Imported) -> Imported:
    """Losses stand in groups in the folder."""
    losses = service.schema.losses
    order = list(dict.fromkeys((loss.problem, loss.mapped) for loss in losses))
    ordered = tuple(sorted(losses, key=lambda loss: order.index((loss.problem, loss.mapped))))
    return replace(service, schema=replace(service.schema, losses=ordered))


@pytest.mark.parametrize("name", ["bookshop.yaml", "clinic.yaml", "museum.json", "flights.avpr"])
def test_payloads_come_back_from_protobuf(services: dict[str, Imported], tmp_path: Path, name: str) -> None:
    service = services[name]
    carried = Carried(tmp_path, service.schema)
    calls = {call.name: call for call in service.schema.calls}
    for call, pairs in service.payloads.items():
        for pair in pairs:
            assert _without_empty(carried.over(calls[call].request, pair.request)) == _without_empty(pair.request)
            assert _without_empty(carried.over(calls[call].answer, pair.answer)) == _without_empty(pair.answer)


def _without_empty(value: Any) -> Any:
    """Absent and empty lists are one: a loss that the import names."""
    if isinstance(value, dict):
        within = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in within.items() if one not in ([], {})}
    return [_without_empty(one) for one in value] if isinstance(value, list) else value


def _without_null(value: Any) -> Any:
    """Absent and null are one where both are allowed, which here is the key `x`: a loss that the import names."""
    if isinstance(value, dict):
        return {key: _without_null(one) for key, one in value.items() if (key, one) != ("x", None)}
    return [_without_null(one) for one in value] if isinstance(value, list) else value


# What is drawn here uses every rule of the mapping that keeps all of a value.
SCALARS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": -5, "maximum": 5},
        {"type": "integer", "format": "int64", "minimum": -(2**62), "maximum": 2**62},
        {"type": "number"},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": ["string", "integer"]},
        {"enum": ["a", "in stock", "A"]},
        {"enum": ["yes", None]},
        {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        {"$ref": "#/$defs/node"},
        {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 9}},
        {},
    ]
)
KEYS = st.sampled_from(["id", "unitPrice", "unit_price", "unit-price", "x", "class", "Ünit", "a b", "1"])


# Each example starts protobuf's compiler, so a failing one is shown as it is found.
UNHURRIED = settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(KEYS, inner, min_size=1, max_size=4).map(
        lambda properties: {
            "type": "object",
            "properties": properties,
            "required": [key for key in properties if key != "x"],
            "additionalProperties": False,
        }
    )


SCHEMAS = _objects(
    st.recursive(
        SCALARS, lambda inner: _objects(inner) | inner.map(lambda of: {"type": "array", "items": of}), max_leaves=6
    )
)
NODE: dict[str, Any] = {
    "type": "object",
    "required": ["label"],
    "properties": {
        "label": {"type": "string"},
        "left": {"$ref": "#/$defs/node"},
        "all": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
    "additionalProperties": False,
}


def _value(schema: dict[str, Any], luck: random.Random, depth: int = 0) -> Any:  # noqa: C901, PLR0911 - a type a line
    """A value that a schema allows."""
    if "$ref" in schema:
        schema = NODE
    if "enum" in schema:
        return luck.choice(schema["enum"])
    if "anyOf" in schema:
        return _value(luck.choice(schema["anyOf"]), luck, depth)
    kinds = schema.get("type", ["string", "integer", "null", "array"])
    kind = luck.choice(kinds) if isinstance(kinds, list) else kinds
    match kind:
        case "string":
            return "".join(luck.choice('aé\n"😀') for _ in range(luck.randrange(4)))
        case "integer":
            return luck.randint(schema.get("minimum", -(2**31)), schema.get("maximum", 2**31))
        case "number":
            return luck.choice([0.0, -1.5, 1e300, 12.25])
        case "boolean":
            return luck.random() < 0.5
        case "null":
            return None
        case "array":
            return [
                _value(schema.get("items", {"type": "boolean"}), luck, depth + 1)
                for _ in range(0 if depth > 4 else luck.randrange(3))
            ]
    if "properties" not in schema:
        return {key: _value(schema["additionalProperties"], luck) for key in ("k", "l")[: luck.randrange(3)]}
    return {
        key: _value(of, luck, depth + 1)
        for key, of in schema["properties"].items()
        if key in schema["required"] or (depth < 4 and luck.random() < 0.5)
    }


@UNHURRIED
@given(schema=SCHEMAS, luck=st.randoms(use_true_random=False))
def test_what_a_json_schema_allows_comes_back_from_protobuf(schema: dict[str, Any], luck: random.Random) -> None:
    """An independent validator says that the value is valid; protobuf's own reader and writer carry it."""
    document = {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"node": NODE}}
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "drawn.json"
        file.write_text(json.dumps(document))
        service = imported(file)
        carried = Carried(Path(made), service.schema)
    (call,) = service.schema.calls
    for _ in range(5):
        value = _value(document, luck)
        jsonschema.validate(value, document, jsonschema.Draft202012Validator)
        kept, left_out = Conformance(service.schema).kept(call.request, value)
        assert (_without_null(kept), left_out) == (_without_null(value), [])
        assert _without_empty(carried.over(call.request, kept)) == _without_empty(kept)


@UNHURRIED
@given(data=st.data(), luck=st.randoms(use_true_random=False))
def test_a_proto_keeps_its_bytes(data: st.DataObject, luck: random.Random) -> None:
    """Random messages have the same bytes under the original and under `schema.proto`."""
    original, again = _both_sides()
    name = data.draw(st.sampled_from(sorted(original)))
    sent = original[name]()
    _fill(sent, luck, 0)
    wire = sent.SerializeToString(deterministic=True)
    received = again[name].FromString(wire)
    assert received.SerializeToString(deterministic=True) == wire
    assert _known_fields(received) == _known_fields(sent)


_CACHE: list[tuple[dict[str, Any], dict[str, Any]]] = []


def _both_sides() -> tuple[dict[str, Any], dict[str, Any]]:
    if not _CACHE:
        pool = DescriptorPool()
        for file in compiled(DOCUMENTS, "orders.proto", [Path(next(iter(google.api.__path__))).parents[1]]).file:
            pool.Add(file)
        with tempfile.TemporaryDirectory() as made:
            again = classes(Path(made), imported(DOCUMENTS / "orders.proto").schema)
        # A nested message has the names around it before its own.
        names = {"Order": "Order", "OrderLine": "Order.Line", "GetOrder": "GetOrder", "Numbers": "Numbers"}
        original = {new: GetMessageClass(pool.FindMessageTypeByName(f"shop.v1.{old}")) for new, old in names.items()}
        _CACHE.append((original, {name: again[name] for name in original}))
    return _CACHE[0]


def _known_fields(message: Any) -> list[int]:
    return [field.number for field, _ in message.ListFields()]


def _fill(message: Any, luck: random.Random, depth: int) -> None:
    """Gives a message random fields, by its descriptor."""
    for field in message.DESCRIPTOR.fields:
        if luck.random() < 0.4:
            continue
        entry = field.message_type is not None and field.message_type.GetOptions().map_entry
        if entry:
            _fill_map(getattr(message, field.name), field.message_type, luck, depth)
        elif field.message_type is not None:
            if depth < 3:
                inner = getattr(message, field.name).add() if field.is_repeated else getattr(message, field.name)
                _fill_message(inner, luck, depth)
        elif field.is_repeated:
            getattr(message, field.name).extend(_scalar(field, luck) for _ in range(3))
        else:
            setattr(message, field.name, _scalar(field, luck))


def _fill_message(inner: Any, luck: random.Random, depth: int) -> None:
    if inner.DESCRIPTOR.full_name == "google.protobuf.Value":
        inner.string_value = "any"
        return
    inner.SetInParent()
    _fill(inner, luck, depth + 1)


def _fill_map(held: Any, entry: Any, luck: random.Random, depth: int) -> None:
    key = _scalar(entry.fields_by_name["key"], luck)
    value = entry.fields_by_name["value"]
    if value.message_type is not None:
        _fill_message(held[key], luck, depth)
    else:
        held[key] = _scalar(value, luck)


def _scalar(field: Any, luck: random.Random) -> Any:
    if field.enum_type is not None:
        return luck.choice(field.enum_type.values).number
    match field.cpp_type:
        case 1 | 2:
            return luck.choice([0, -1, 2 ** (31 if field.cpp_type == 1 else 63) - 1])
        case 3 | 4:
            return luck.choice([0, 1, 2 ** (32 if field.cpp_type == 3 else 64) - 1])
        case 5 | 6:
            return luck.choice([0.0, -0.5, 1e10])
        case 7:
            return luck.random() < 0.5
        case _:
            return b"\x00\xff" if field.type == 12 else luck.choice(["", "é", "text"])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}], "type": "integer"}}, "$ref": "#/$defs/a"}', ["a int64"]),
        (
            "b.json",
            '{"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"properties": {"$ref": "#/p"}}}}}}}}, "p": {"x": {"type": "boolean"}}}',
            ["x bool"],
        ),
        ("c.json", '{"$schema": "x", "properties": {"a": {"type": ["integer", "number"]}}}', ["a double"]),
        ("d.json", '{"$schema": "x", "properties": {"a": true, "b": false}}', ["a json"]),
        ("e.json", '{"$schema": "x", "properties": {"a": {"enum": [1, 2.5]}, "b": {"enum": [1, "x"]}}}', ["a double", "b json"]),
        ("f.proto", 'syntax = "proto3"; message A { fixed32 b = 7; }', ["b uint32"]),
        ("g.proto", "message A { required sint64 b = 1; optional E c = 2; } enum E { X = 3; }", ["b int64", "c enum"]),
        ("h.proto", 'edition = "2023"; message A { string b = 1; }', ["b string"]),
        ("i.thrift", 'struct A { 1: string b (x = "a \\" b"); 2: bool c = 1 }', ["b string", "c bool"]),
        ("j.capnp", "@0xbf5147cbbecf40c1;\nusing Id = UInt8;\nstruct A { struct @0 :Id; union @1 :Text; }", ["struct uint32", "union string"]),
        (
            "l.capnp",
            "@0xbf5147cbbecf40c1;\nusing Key = A.Id;\nstruct A { using Id = Data; a @0 :Key; b @1 :I; c @2 :List(I); d @3 :Text; }\ninterface I { }",
            ["a bytes", "d string"],
        ),
        ("k.avsc", '{"type": "record", "name": "A", "fields": [{"name": "b", "type": ["null", "bytes"]}]}', ["b bytes"]),
        (
            "m.avpr",
            '{"protocol": "P", "namespace": "n", "types": [{"type": "record", "name": "A", "fields": [{"name": "b", "type": "long"}]}]}',
            ["b int64"],
        ),
        (
            "n.json",
            '{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}, "b": {"$ref": "http://json-schema.org/draft-07/schema#/definitions/stringArray"}}}',
            ["a string", "b string"],
        ),
    ],
)  # fmt: skip
def test_a_small_document(tmp_path: Path, name: str, content: str, expected: list[str]) -> None:
    """What real documents do, beyond what is in the larger ones."""
    (tmp_path / name).write_text(content)
    service = imported(tmp_path / name)
    assert len(service.schema.calls) == 1
    message = service.schema.message(service.schema.calls[0].request)
    fields = [f"{'a' if message.wrapped else field.json_name} {field.kind}" for field in message.fields]
    assert fields == expected


def test_types_of_avro_in_files_of_their_own(tmp_path: Path) -> None:
    """A name that no schema has defined is a file beside it, as fastavro reads it too."""
    record = '{"type": "record", "name": "%s", "namespace": "shop", "fields": [{"name": "%s", "type": "%s"}]}'
    (tmp_path / "shop.Order.avsc").write_text(record % ("Order", "line", "Line"))
    (tmp_path / "shop.Line.avsc").write_text(record % ("Line", "price", "Price"))
    (tmp_path / "price.avsc").write_text(record % ("Price", "cents", "long"))
    schema = imported(tmp_path / "shop.Order.avsc").schema
    assert [[field.json_name for field in message.fields] for message in schema.messages] == [
        ["line"],
        ["price"],
        ["cents"],
    ]
    (tmp_path / "price.avsc").unlink()
    with pytest.raises(BadInput, match=r"shop.Line.avsc#/fields/0: there is no type 'Price'.*Price.avsc"):
        imported(tmp_path / "shop.Order.avsc")


def test_what_a_capnp_message_cannot_hold_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "files.capnp"
    file.write_text(
        "@0xbf5147cbbecf40c1;\ninterface Folder { open @0 (name :Text) -> (file :File); }\ninterface File { size @0 () -> (bytes :UInt32); }"
    )
    schema = imported(file).schema
    assert [len(schema.message(call.answer).fields) for call in schema.calls] == [0, 1]
    loss = next(loss for loss in schema.losses if "OpenAnswer.file" in loss.place)
    assert "line 2" in loss.place
    assert "capability" in loss.problem


def test_schemas_of_a_wsdl_may_use_each_other_without_an_import(tmp_path: Path) -> None:
    """Tools write them so, and others read them."""
    file = tmp_path / "shop.wsdl"
    file.write_text(
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" xmlns:a="urn:a" targetNamespace="urn:a">'
        '<types><x:schema targetNamespace="urn:a"><x:element name="order" type="t:Order"/></x:schema>'
        '<x:schema targetNamespace="urn:t"><x:complexType name="Order"><x:sequence><x:element name="id" type="x:int"/></x:sequence></x:complexType></x:schema></types>'
        '<message name="m"><part name="p" element="a:order"/></message>'
        '<portType name="p"><operation name="send"><input message="a:m"/></operation></portType></definitions>'
    )
    schema = imported(file).schema
    assert [field.json_name for field in schema.message(schema.calls[0].request).fields] == ["id"]


def test_an_included_schema_takes_the_namespace_of_the_one_that_includes_it(tmp_path: Path) -> None:
    """It declares that namespace, and has none of its own: it must not import it."""
    (tmp_path / "line.xsd").write_text(
        '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a"><x:complexType name="Line"><x:sequence><x:element name="id" type="x:int"/></x:sequence></x:complexType></x:schema>'
    )
    file = tmp_path / "shop.wsdl"
    file.write_text(
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" targetNamespace="urn:a">'
        '<types><x:schema targetNamespace="urn:a"><x:include schemaLocation="line.xsd"/><x:element name="order" type="a:Line"/></x:schema></types>'
        '<message name="m"><part name="p" element="a:order"/></message>'
        '<portType name="p"><operation name="send"><input message="a:m"/></operation></portType></definitions>'
    )
    schema = imported(file).schema
    assert [field.json_name for field in schema.message(schema.calls[0].request).fields] == ["id"]
