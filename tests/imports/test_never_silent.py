"""What a document says is taken, refused with its place, or listed as a loss: never dropped without a word."""

import json
from pathlib import Path

import pytest
from importing import imported

from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Kind, Shape

_F32 = 3.4028234663852886e38


def _json_schema(folder: Path, properties: dict[str, Json], **words: Json) -> Imported:
    file = folder / "order.json"
    file.write_text(json.dumps({"type": "object", "properties": properties, **words}))
    return imported(file)


def _problems(service: Imported) -> dict[str, str]:
    """What is lost, by the end of its place."""
    return {loss.place.rpartition("/")[2]: loss.problem for loss in service.schema.losses}


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, "prefixItems"),
        ({"type": "array", "items": [{"type": "string"}], "additionalItems": False}, "items of each place"),
        ({"type": "string", "format": "byte", "maxLength": 8}, "minLength or maxLength of bytes"),
        ({"type": "string", "contentEncoding": "base64", "minLength": 8}, "minLength or maxLength of bytes"),
        (
            {"type": "object", "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}},
            "discriminator",
        ),
        ({"type": "string", "readOnly": True}, "readOnly"),
        ({"type": "string", "format": "int64"}, "format: int64"),
        ({"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}}, "required"),
    ],
)
def test_a_word_that_generated_payloads_disregard_is_listed(tmp_path: Path, schema: Json, word: str) -> None:
    draft: dict[str, Json] = {"$schema": "http://json-schema.org/draft-07/schema#"} if "each place" in word else {}
    service = _json_schema(tmp_path, {"p": schema}, **draft)
    assert f"The schema limits values by `{word}`." in {loss.problem for loss in service.schema.losses}


def test_a_key_that_is_required_and_of_which_nothing_else_is_said_is_there(tmp_path: Path) -> None:
    service = _json_schema(tmp_path, {"q": {"type": "string"}}, required=["zz", "q"])
    (message,) = service.schema.messages
    assert [(field.json_name, field.kind, field.shape) for field in message.fields] == [
        ("q", Kind.STRING, Shape.ONE),
        ("zz", Kind.JSON, Shape.ONE),
    ]
    assert _problems(service) == {"required (zz)": "The type of the value is open."}


@pytest.mark.parametrize(
    ("schema", "least", "most"),
    [
        ({"type": "integer", "format": "int8"}, -128, 127),
        ({"type": "integer", "format": "uint8", "minimum": 250}, 250, 255),
        ({"type": "integer", "format": "uint16"}, 0, 65_535),
        ({"type": "number", "format": "int32", "maximum": 7}, -(2**31), 7),
        ({"type": "number", "format": "float", "maximum": 1e39, "minimum": 3e38}, 3e38, _F32),
        ({"type": "number", "minimum": -1.7e308, "maximum": 1.7e308}, -1.7e308, 1.7e308),
        ({"type": "number", "minimum": 1e300, "multipleOf": 1e-300}, 1e300, 1.8e308),
    ],
)
def test_generated_numbers_are_within_their_type(tmp_path: Path, schema: Json, least: float, most: float) -> None:
    service = _json_schema(tmp_path, {"p": schema}, required=["p"])
    drawn = from_schema(service.schema, [service.schema.calls[0].request])
    values = [message["p"] for (message,) in drawn.skeletons if isinstance(message, dict)]
    assert values
    assert all(isinstance(value, int | float) and least <= value <= most for value in values)


def _har(folder: Path, *entries: Json) -> Imported:
    file = folder / "shop.har"
    file.write_text(json.dumps({"log": {"entries": [_entry("http://x/good"), *entries]}}))
    return imported(file)


def _entry(url: str, posted: Json = None, answer: Json = None) -> Json:
    content = answer or {"mimeType": "application/json", "text": '{"b": 2}'}
    return {
        "request": {"method": "POST" if posted else "GET", "url": url, "postData": posted},
        "response": {"status": 200, "content": content},
    }


_FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (_entry("data:application/json,1"), "1 x address that is none of HTTP (data:)"),
        (_entry("blob:http://x/1"), "1 x address that is none of HTTP (blob:)"),
        (_entry("chrome-extension://a/b"), "1 x address that is none of HTTP (chrome-extension:)"),
        (
            _entry("http://x/f", {"mimeType": _FORM, "params": [{"name": "f", "fileName": "a.txt"}]}),
            "1 x request with a form that has a file",
        ),
        (
            _entry("http://x/q?a=1&b=2", {"mimeType": "application/json", "text": '{"c": 1}'}),
            "1 x parameters in the address of a request that has a body",
        ),
        (
            _entry("http://x/e", None, {"mimeType": "application/json", "encoding": "base64", "text": "e30"}),
            "1 x answer with a body that says it is base64, and is not",
        ),
    ],
)
def test_what_a_recording_has_besides_samples_is_counted(tmp_path: Path, entry: Json, why: str) -> None:
    service = _har(tmp_path, entry)
    assert f"Left out: {why}." in service.notes
    assert "/good" in {call.path for call in service.schema.calls}


@pytest.mark.parametrize(
    ("key", "name", "wrong"),
    [
        ("i32", "a", "int32"),
        ("i32", "2147483648", "int32"),
        ("i64", "01", "int64"),
        ("byte", "128", "i8"),
        ("i16", "-32769", "i16"),
        ("bool", "yes", "bool"),
    ],
)
def test_a_key_that_its_map_cannot_have_is_refused(tmp_path: Path, key: str, name: str, wrong: str) -> None:
    schema, sample = tmp_path / "shop.thrift", tmp_path / "EchoA.json"
    schema.write_text(f"struct A {{ 1: map<{key}, string> names }}")
    sample.write_text(json.dumps({"names": {name: "x"}}))
    with pytest.raises(BadInput, match=rf"\$\.names: the key '{name}' is no {wrong}"):
        registry.service([str(schema)], Options(samples=(sample,)))


def test_two_fields_with_one_number_are_refused(tmp_path: Path) -> None:
    """As thrift's own compiler does."""
    file = tmp_path / "shop.thrift"
    file.write_text("struct A { 1: i32 x, 1: i32 y }")
    with pytest.raises(BadInput, match=r"shop\.thrift: two fields of A have one number"):
        imported(file)


@pytest.mark.parametrize("fields", ["i32 x", "-1: i32 x", "20000: i32 x, 2: i32 y"])
def test_numbers_that_cannot_be_kept_are_a_loss(tmp_path: Path, fields: str) -> None:
    file = tmp_path / "shop.thrift"
    file.write_text(f"struct A {{ {fields} }}")
    assert "The fields are counted from 1, also in the table of bytes." in {
        loss.mapped for loss in imported(file).schema.losses
    }


_TWO_BYTES = {"type": "fixed", "name": "F", "size": 2}


@pytest.mark.parametrize(
    ("name", "text", "value", "why"),
    [
        ("a.thrift", "struct A { 1: i16 p }", 2**15, r"\$\.p is 32768; the schema says i16"),
        ("a.thrift", "struct A { 1: list<byte> p }", [0, -129], r"\$\.p\[1\] is -129; the schema says i8"),
        (
            "a.avsc",
            json.dumps({"type": "record", "name": "A", "fields": [{"name": "p", "type": _TWO_BYTES}]}),
            "AAAA",
            r"\$\.p has 3 bytes; the schema says 2",
        ),
    ],
)
def test_a_value_that_is_too_wide_is_refused(tmp_path: Path, name: str, text: str, value: Json, why: str) -> None:
    schema, sample = tmp_path / name, tmp_path / "EchoA.json"
    schema.write_text(text)
    sample.write_text(json.dumps({"p": value}))
    with pytest.raises(BadInput, match=why):
        registry.service([str(schema)], Options(samples=(sample,)))


def test_parameters_that_a_recorder_gives_in_a_list_alone_are_taken(tmp_path: Path) -> None:
    texts = ("\ud800", "é")
    listed: list[Json] = [[{"name": "page", "value": "2"}, {"name": "of", "value": text}] for text in texts]
    request: dict[str, Json] = {"method": "GET", "url": "http://x/q"}
    answer: Json = {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}}
    entries: list[Json] = [{"request": {**request, "queryString": given}, "response": answer} for given in listed]
    service = _har(tmp_path, *entries)
    assert [pair.request for pair in service.payloads["GetQ"]] == [{"page": "2", "of": "é"}]
    assert "Left out: 1 x request with an address or a form that cannot be read." in service.notes


def test_what_protobufs_own_json_writes_in_another_way_is_listed(tmp_path: Path) -> None:
    file = tmp_path / "a.proto"
    types = ("any.proto", "Any"), ("duration.proto", "Duration"), ("struct.proto", "NullValue")
    lines = [f'import "google/protobuf/{name}";' for name, _ in types]
    fields = [f"google.protobuf.{of} f{at} = {at};" for at, (_, of) in enumerate(types, 1)]
    call = "service S { rpc Get(google.protobuf.Value) returns (A); }"
    file.write_text('syntax = "proto3"; ' + " ".join([*lines, "message A {", *fields, "}", call]))
    said = {
        loss.place.rpartition(".")[2]: loss.problem
        for loss in imported(file).schema.losses
        if "this type" in loss.problem
    }
    before = "Protobuf's own JSON writes this type as"
    assert said == {
        "Any": f"{before} what it holds, with its type.",
        "Duration": f"{before} text.",
        "NullValue": f"{before} null.",
        "Value": f"{before} the value itself.",
    }


def test_integers_of_capnp_keep_to_their_widths(tmp_path: Path) -> None:
    file = tmp_path / "a.capnp"
    file.write_text("@0xbf5147cbbecf40c1; struct A { p @0 :Int8; q @1 :UInt16; r @2 :List(Int16); }")
    for (message,) in from_schema(imported(file).schema, ["A"]).skeletons:
        assert isinstance(message, dict)
        assert message["p"] in range(-(2**7), 2**7)
        assert message["q"] in range(2**16)
        assert all(item in range(-(2**15), 2**15) for item in message["r"])  # type: ignore[union-attr]


def test_an_array_without_items_is_empty(tmp_path: Path) -> None:
    service = _json_schema(tmp_path, {"p": {"type": "array", "items": False, "minItems": 0}}, required=["p"])
    drawn = from_schema(service.schema, [service.schema.calls[0].request]).skeletons
    assert drawn[0] == [{"p": []}]
    assert all(message == drawn[0] for message in drawn)


def test_a_map_has_no_key_twice(tmp_path: Path) -> None:
    """Whose keys JSON cannot have, so that it is a list: not in a generated payload, nor in a sample."""
    schema, sample = tmp_path / "shop.thrift", tmp_path / "EchoA.json"
    schema.write_text("enum E { X, Y } struct A { 1: map<E, i32> counts, 2: set<E> several }")
    service = imported(schema)
    fitted = from_schema(service.schema, ["A"])
    generator = Generator(fitted, service.schema)
    for (message,) in [*fitted.skeletons, *(generator.sample(number) for number in range(20))]:
        assert isinstance(message, dict)
        keys = [pair["key"] for pair in message["counts"]]  # type: ignore[index, union-attr, call-overload]
        assert len(set(keys)) == len(keys)
    assert all(len(set(message["several"])) == len(message["several"]) for (message,) in fitted.skeletons)  # type: ignore[arg-type, call-overload, index]
    sample.write_text(json.dumps({"counts": [{"key": "X", "value": 1}, {"key": "X", "value": 2}], "several": []}))
    with pytest.raises(BadInput, match=r"\$\.counts: the key \"X\" occurs twice in a map"):
        registry.service([str(schema)], Options(samples=(sample,)))


def test_avro_without_the_same_bytes_is_a_loss_that_says_so(tmp_path: Path) -> None:
    fields: list[Json] = [
        {"name": "a", "type": {"type": "fixed", "name": "F", "size": 4}},
        {"name": "b", "type": ["null", "int", "string"]},
        {"name": "c", "type": "bytes"},
    ]
    file = tmp_path / "order.avsc"
    file.write_text(json.dumps({"type": "record", "name": "R", "fields": fields}))
    mapped: dict[str, str] = {}
    for loss in imported(file).schema.losses:
        mapped.setdefault(loss.place.rpartition("/")[2], loss.mapped)
    assert mapped["0"] == "Only Avro leaves their length out."
    assert "in the calls of a stack a byte for each type" in mapped["1"]
    assert mapped["2"] == "JSON has bytes as base64, also in samples."


def test_what_openapi_says_besides_the_calls_that_are_measured_is_listed(tmp_path: Path) -> None:
    def schema(name: str) -> dict[str, Json]:
        return {"schema": {"type": "object", "properties": {name: {"type": "string"}}}}

    content: dict[str, Json] = {
        "application/json": {**schema("a"), "examples": {"x": {"externalValue": "http://x/y"}}},
        "application/xml": schema("b"),
    }
    done: Json = {"responses": {"200": {"description": "done"}}}
    parameters: list[Json] = [
        {"name": name, "in": place, "schema": {"type": "string"}}
        for name, place in (("X-Trace", "header"), ("sid", "cookie"), ("page", "query"), ("accept", "header"))
    ]
    operation: dict[str, Json] = {
        "parameters": parameters,
        "requestBody": {"content": content},
        "callbacks": {"later": {"{$request.body#/a}": {"post": done}}},
        "responses": {"200": {"description": "done", "headers": {"X-Rate": {"schema": {"type": "integer"}}}}},
        "security": [{"key": []}],
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "shop", "version": "1"},
        "paths": {"/a": {"post": operation}},
        "webhooks": {"told": {"post": done}},
    }
    file = tmp_path / "shop.json"
    file.write_text(json.dumps(document))
    assert {loss.problem for loss in imported(file).schema.losses} == {
        "The body can also be application/xml.",
        "The example stands elsewhere (externalValue).",
        "The server calls back.",
        "The server calls its clients (webhooks).",
        "HTTP has the parameter in a header.",
        "HTTP has the parameter in a cookie.",
        "The request can be without a body.",
        "The answer has headers.",
        "Clients say who they are.",
    }


@pytest.mark.parametrize(
    ("kind", "is_lost"),
    [
        ("application/json; charset=utf-8", False),
        ("application/problem+json", False),
        ("text/json", False),
        ("application/x-ndjson", True),
        ("application/jsonl", True),
        ("application/json-seq", True),
    ],
)
def test_a_stream_of_lines_is_no_json(tmp_path: Path, kind: str, is_lost: bool) -> None:
    text: Json = {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    operation: Json = {"responses": {"200": {"description": "d", "content": {kind: text}}}}
    file = tmp_path / "a.json"
    head: dict[str, Json] = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
    file.write_text(json.dumps({**head, "paths": {"/a/{id}": {"get": operation}}}))
    lost = {f"The body is {kind}."} if is_lost else set()
    missing = "The path has a part in braces that is no parameter."
    assert {loss.problem for loss in imported(file).schema.losses} == {missing, *lost}


def test_one_body_in_several_forms_is_no_loss(tmp_path: Path) -> None:
    body: Json = {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    content: Json = {"application/json": body, "application/xml": body}
    answer: Json = {"200": {"description": "d", "content": content}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "shop", "version": "1"},
        "paths": {"/a": {"get": {"responses": answer}}},
    }
    file = tmp_path / "shop.json"
    file.write_text(json.dumps(document))
    assert imported(file).schema.losses == ()


@pytest.mark.parametrize(
    ("statuses", "problems"),
    [
        (["404"], ["No answer that succeeds is described."]),
        (["404", "500"], ["No answer that succeeds is described."]),
        (["200", "404"], ["There are several answers."]),
        (["200"], []),
        ([], []),
    ],
)
def test_an_operation_without_an_answer_that_succeeds_says_so(
    tmp_path: Path, statuses: list[str], problems: list[str]
) -> None:
    """That "the first that succeeds is measured" was said of one whose only answer is 404."""
    text: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    answer: Json = {"description": "", "content": {"application/json": {"schema": text}}}
    operation: Json = {"operationId": "get", "responses": dict.fromkeys(statuses, answer)}
    file = tmp_path / "a.json"
    head: dict[str, Json] = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}}
    file.write_text(json.dumps({**head, "paths": {"/a": {"get": operation}}}))
    service = imported(file)
    assert [loss.problem for loss in service.schema.losses] == problems
    fields = {message.name: [field.name for field in message.fields] for message in service.schema.messages}
    assert fields["GetAnswer"] == (["a"] if "200" in statuses else [])


@pytest.mark.parametrize(
    ("schema", "fits"),
    [
        ({"minimum": 1e30}, range(-(2**63), 2**63)),
        ({"maximum": -1e30}, range(-(2**63), 2**63)),
        ({"minimum": 5_000_000_000, "format": "int32"}, range(-(2**31), 2**31)),
        ({"exclusiveMaximum": -5_000_000_000, "format": "int32"}, range(-(2**31), 2**31)),
        ({"maximum": -1, "format": "uint32"}, range(2**32)),
    ],
)
def test_limits_beyond_an_integers_type_are_listed_and_payloads_fit_the_type(
    tmp_path: Path, schema: dict[str, Json], fits: range
) -> None:
    service = _json_schema(tmp_path, {"p": {"type": "integer", **schema}}, required=["p"])
    assert "No integer of this type is within the limits." in {loss.problem for loss in service.schema.losses}
    drawn = [message for pair in from_schema(service.schema, ["Order"]).skeletons for message in pair]
    assert all(isinstance(message, dict) and message["p"] in fits for message in drawn)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.proto", 'syntax = "proto2"; message A { required E e = 1; } enum E { X = 5; Y = -1; }'),
        (
            "a.proto",
            'edition = "2023"; option features.enum_type = CLOSED; message A { E e = 1; } enum E { X = 5; Y = 7; }',
        ),
        ("a.thrift", "enum E { X = 5, Y = 7 } struct A { 1: required E e } service S { A get(1: A a) }"),
    ],
)
def test_no_payload_has_a_value_that_was_added_to_an_enumeration(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text + (" service S { rpc Get(A) returns (A); }" if name.endswith(".proto") else ""))
    service = imported(file)
    assert [value for value, _ in service.schema.enumerations[0].values] == ["E_UNSPECIFIED", "X", "Y"]
    folder.write(tmp_path / "stored", service)
    stored = folder.read(tmp_path / "stored").schema
    for schema in (service.schema, stored):
        messages = [message for pair in from_schema(schema, ["A"]).skeletons for message in pair]
        assert {message["e"] for message in messages if isinstance(message, dict) and "e" in message} == {"X", "Y"}


def test_a_required_parameter_of_swagger_is_no_word_that_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    parameter = {"name": "x", "in": "path", "required": True, "type": "string"}
    get = {"operationId": "get", "parameters": [parameter], "responses": {"200": {"description": "ok"}}}
    file.write_text(
        json.dumps({"swagger": "2.0", "info": {"title": "t", "version": "1"}, "paths": {"/{x}": {"get": get}}})
    )
    assert imported(file).schema.losses == ()


@pytest.mark.parametrize(("version", "kind"), [("3.0.3", Kind.STRING), ("3.1.0", Kind.JSON)])
def test_what_stands_beside_a_reference_is_ignored_before_openapi_3_1_and_listed(
    tmp_path: Path, version: str, kind: Kind
) -> None:
    reference = {"$ref": "#/components/schemas/Name", "type": "integer", "description": "of an order"}
    alone = {"$ref": "#/components/schemas/Name", "description": "says nothing of the value"}
    order = {"type": "object", "properties": {"a": reference, "b": alone}}
    answer = {"200": {"description": "", "content": {"application/json": {"schema": order}}}}
    file = tmp_path / "api.json"
    file.write_text(
        json.dumps(
            {
                "openapi": version,
                "info": {"title": "shop", "version": "1"},
                "paths": {"/orders": {"get": {"responses": answer}}},
                "components": {"schemas": {"Name": {"type": "string"}}},
            }
        )
    )
    service = imported(file)
    fields = {field.json_name: field.kind for message in service.schema.messages for field in message.fields}
    assert fields == {"a": kind, "b": Kind.STRING}
    listed = [loss.place for loss in service.schema.losses if "beside a `$ref`" in loss.problem]
    assert [place.rpartition("/")[2] for place in listed] == (["a"] if version == "3.0.3" else [])


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"one": 1e-60}, r"\$\.one is 1e-60"),
        ({"one": "1e-60"}, r"\$\.one is 1e-60"),
        ({"many": [1, -1e-60]}, r"\$\.many\[1\] is -1e-60"),
        ({"named": {"x": 1e-60}}, r"\$\.named\.x is 1e-60"),
    ],
)
def test_a_number_that_a_float_has_as_0_is_refused(tmp_path: Path, value: Json, place: str) -> None:
    """Protobuf's reader of JSON takes it, and its writer then sends nothing."""
    file = tmp_path / "a.proto"
    fields = "float one = 1; repeated float many = 2; map<string, float> named = 3; double wide = 4;"
    file.write_text(f'syntax = "proto3"; message A {{ {fields} }}')
    own_json = imported(file).own_json
    assert own_json is not None
    with pytest.raises(BadInput, match=f"{place}, which is 0 in the 32 bits of a float"):
        own_json("A", value)
    held: Json = {"one": 1e-45, "many": [0], "named": {"x": 0}, "wide": 1e-60}
    assert own_json("A", held)[0] == held


@pytest.mark.parametrize(
    ("branches", "twice"),
    [
        (["int", "string", "int"], "int"),
        (["null", "int", "null"], "null"),
        ([{"type": "array", "items": "int"}, {"type": "array", "items": "string"}], "array"),
        (["string", {"type": "string", "logicalType": "uuid"}], "string"),
    ],
)
def test_a_union_of_avro_with_a_type_twice_is_refused(tmp_path: Path, branches: list[Json], twice: str) -> None:
    """Avro's own readers refuse it: what is written does not say which of them it is."""
    file = tmp_path / "a.avsc"
    file.write_text(json.dumps({"type": "record", "name": "R", "fields": [{"name": "u", "type": branches}]}))
    with pytest.raises(BadInput, match=f"#/fields/0: the union has '{twice}' twice; take one of them out"):
        imported(file)


def test_a_logical_type_of_avro_on_another_type_is_disregarded_as_avro_does(tmp_path: Path) -> None:
    types: list[Json] = [{"type": of, "logicalType": "date"} for of in ("string", "int")]
    fields: Json = [{"name": name, "type": of} for name, of in zip("ab", types, strict=True)]
    file = tmp_path / "a.avsc"
    file.write_text(json.dumps({"type": "record", "name": "R", "fields": fields}))
    service = imported(file)
    assert [(field.kind, field.format) for field in service.schema.messages[0].fields] == [
        (Kind.STRING, ""),
        (Kind.INT32, "date"),
    ]
    assert [loss.place.rpartition("#")[2] for loss in service.schema.losses] == ["/fields/1"]


@pytest.mark.parametrize(
    ("of", "logical", "kind"),
    [
        ("int", "date", "number"),
        ({"type": "fixed", "name": "D", "size": 12}, "duration", "bytes"),
        ("bytes", "x", "bytes"),
    ],
)
def test_what_a_logical_type_of_avro_becomes_is_said_by_its_kind(
    tmp_path: Path, of: Json, logical: str, kind: str
) -> None:
    declared = {**(of if isinstance(of, dict) else {"type": of}), "logicalType": logical}
    file = tmp_path / "a.avsc"
    file.write_text(json.dumps({"type": "record", "name": "R", "fields": [{"name": "a", "type": declared}]}))
    assert f"It is the {kind} that Avro writes." in {loss.mapped for loss in imported(file).schema.losses}
