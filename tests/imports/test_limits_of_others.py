"""What a document limits, gives or misspells is kept to or listed, in XSD as in JSON Schema."""

import json
from pathlib import Path

import pytest
from importing import imported
from test_lenient import WSDL, XSD, element

from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.imports import registry, source
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Kind, Shape


def _wsdl(folder: Path, inner: str, more: str = "") -> Imported:
    file = folder / "a.wsdl"
    file.write_text(WSDL.format(XSD, element(inner).replace("</xs:schema>", f"{more}</xs:schema>")))
    return imported(file)


def _restricted(base: str, facets: str) -> str:
    words = (pair.split("=") for pair in facets.split())
    inner = "".join(f'<xs:{word} value="{value}"/>' for word, value in words)
    of = f'<xs:simpleType><xs:restriction base="xs:{base}">{inner}</xs:restriction></xs:simpleType>'
    return f'<xs:element name="p">{of}</xs:element>'


def _drawn(service: Imported) -> list[Json]:
    skeletons = from_schema(service.schema, [service.schema.calls[0].request]).skeletons
    return [message["p"] for (message,) in skeletons if isinstance(message, dict)]


def _lost(service: Imported, place: str) -> set[str]:
    """The words of the losses at a place that have one."""
    return {loss.problem.split("`")[1] for loss in service.schema.losses if place in loss.place and "`" in loss.problem}


@pytest.mark.parametrize(
    ("base", "facets", "least", "most"),
    [
        ("byte", "", -128, 127),
        ("short", "maxInclusive=-32760", -32768, -32760),
        ("unsignedByte", "minExclusive=253", 254, 255),
        ("positiveInteger", "maxExclusive=3", 1, 2),
        ("negativeInteger", "minInclusive=-2", -2, -1),
        ("unsignedShort", "", 0, 65_535),
        ("double", "minInclusive=0.5 maxExclusive=0.75", 0.5, 0.75),
    ],
)
def test_numbers_keep_to_the_facets_of_xsd(tmp_path: Path, base: str, facets: str, least: float, most: float) -> None:
    values = _drawn(_wsdl(tmp_path, _restricted(base, facets)))
    assert values
    assert all(isinstance(value, int | float) and least <= value <= most for value in values)


def test_texts_and_lists_keep_to_the_facets_of_xsd(tmp_path: Path) -> None:
    assert {len(str(value)) for value in _drawn(_wsdl(tmp_path, _restricted("string", "length=7")))} == {7}
    of = '<xs:simpleType name="L"><xs:list itemType="xs:int"/></xs:simpleType>'
    length = '<xs:restriction base="t:L"><xs:length value="3"/></xs:restriction>'
    more = f'<xs:simpleType name="M">{length}</xs:simpleType>'
    values = _drawn(_wsdl(tmp_path, '<xs:element name="p" type="t:M"/>', of + more))
    assert {len(value) for value in values if isinstance(value, list)} == {3}
    values = _drawn(_wsdl(tmp_path, '<xs:element name="p" type="xs:int" minOccurs="2" maxOccurs="4"/>'))
    assert {len(value) for value in values if isinstance(value, list)} <= {2, 3, 4}


@pytest.mark.parametrize("name", ["NMTOKENS", "IDREFS", "ENTITIES"])
def test_the_lists_that_xsd_has_itself_are_lists(tmp_path: Path, name: str) -> None:
    service = _wsdl(tmp_path, f'<xs:element name="p" type="xs:{name}"/>')
    (field,) = service.schema.message("In").fields
    assert (field.kind, field.shape) == (Kind.STRING, Shape.MANY)


def test_an_element_that_may_not_occur_is_none(tmp_path: Path) -> None:
    service = _wsdl(
        tmp_path, '<xs:element name="p" type="xs:int"/><xs:element name="q" type="xs:int" minOccurs="0" maxOccurs="0"/>'
    )
    assert [field.name for field in service.schema.message("In").fields] == ["p"]


@pytest.mark.parametrize(
    ("base", "facets", "words"),
    [
        ("string", "pattern=[A-Z]+ maxLength=5", {"pattern"}),
        ("decimal", "totalDigits=5 fractionDigits=2 minInclusive=1", {"totalDigits", "fractionDigits", "minInclusive"}),
        ("hexBinary", "length=4", {"length"}),
        ("dateTime", "minInclusive=2020-01-01T00:00:00", {"minInclusive"}),
        ("decimal", "enumeration=1.5", {"enumeration"}),
        ("gYear", "", {"xs:gYear"}),
        ("language", "", {"xs:language"}),
        ("int", "minInclusive=5", set()),
    ],
)
def test_facets_that_generated_payloads_disregard_are_listed(
    tmp_path: Path, base: str, facets: str, words: set[str]
) -> None:
    assert _lost(_wsdl(tmp_path, _restricted(base, facets)), "InP") - {"decimal", "date-time"} == words


def test_values_that_the_schema_gives_are_listed(tmp_path: Path) -> None:
    service = _wsdl(
        tmp_path, '<xs:element name="p" type="xs:int" default="5"/><xs:element name="q" type="xs:int" fixed="5"/>'
    )
    assert _lost(service, "In.q") == {"fixed"}
    assert {loss.place for loss in service.schema.losses if "default of its own" in loss.problem} == {"In.p"}


def _json_schema(folder: Path, schema: dict[str, Json], **words: Json) -> Imported:
    file = folder / "order.json"
    file.write_text(json.dumps({"type": "object", "properties": {"p": schema}, "required": ["p"], **words}))
    return imported(file)


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "integer", "minimum": "5"}, "minimum"),
        ({"type": "integer", "exclusiveMaximum": "5"}, "exclusiveMaximum"),
        ({"type": "number", "multipleOf": 0}, "multipleOf"),
        ({"type": "string", "maxLength": "5"}, "maxLength"),
        ({"type": "string", "required": True}, "required"),
        ({"type": "string", "format": 5}, "format"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": "yes"}, "uniqueItems"),
        ({"type": "string", "contentEncoding": "base32"}, "contentEncoding"),
        ({"type": "string", "contentEncoding": "quoted-printable"}, "contentEncoding"),
    ],
)
def test_a_word_with_a_value_of_a_wrong_kind_is_listed(tmp_path: Path, schema: dict[str, Json], word: str) -> None:
    assert _lost(_json_schema(tmp_path, schema), "properties/p") == {word}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 1.5, "maximum": 1.9},
        {"type": "integer", "minimum": 1, "maximum": 6, "multipleOf": 7},
        {"type": "number", "minimum": 5, "exclusiveMaximum": 5},
        {"type": "string", "minLength": 5, "maxLength": 3},
        {"type": "array", "items": {"type": "integer"}, "minItems": 5, "maxItems": 3},
        {"allOf": [{"type": "integer", "maximum": 3}, {"minimum": 4}]},
    ],
)
def test_limits_that_no_value_keeps_to_are_listed(tmp_path: Path, schema: dict[str, Json]) -> None:
    assert "The limits contradict each other: no value keeps to them." in {
        loss.problem for loss in _json_schema(tmp_path, schema).schema.losses
    }


def test_either_of_two_ranges_is_no_contradiction(tmp_path: Path) -> None:
    choice: Json = [{"type": "string", "maxLength": 3}, {"type": "string", "minLength": 5}]
    service = _json_schema(tmp_path, {"anyOf": choice})
    assert service.schema.losses == ()
    assert {len(str(value)) for value in _drawn(service)} <= {1, 2, 3}


@pytest.mark.parametrize(
    ("schema", "kind", "wider"),
    [
        ({"minimum": 0, "maximum": 2**64 - 1}, Kind.UINT64, False),
        ({"minimum": 0, "maximum": float(2**64)}, Kind.UINT64, False),
        ({"minimum": 0, "maximum": 2**63 - 1}, Kind.INT64, False),
        ({"minimum": 0, "maximum": 2**70}, Kind.INT64, True),
        ({"minimum": -1, "maximum": 2**64 - 1}, Kind.INT64, True),
        ({"minimum": -(2**63) - 1}, Kind.INT64, True),
    ],
)
def test_integers_are_as_wide_as_their_bounds(
    tmp_path: Path, schema: dict[str, Json], kind: Kind, *, wider: bool
) -> None:
    service = _json_schema(tmp_path, {"type": "integer", **schema})
    (field,) = service.schema.messages[0].fields
    assert field.kind is kind
    assert ("Integers beyond 64 bits are allowed." in {loss.problem for loss in service.schema.losses}) is wider


def test_a_choice_of_what_is_required_is_listed(tmp_path: Path) -> None:
    choice: Json = [{"required": ["a"]}, {"required": ["b"]}]
    inner: dict[str, Json] = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": choice,
    }
    service = _json_schema(tmp_path, inner)
    assert [loss.problem for loss in service.schema.losses] == ["One of several forms is allowed."]


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ({"swaggerVersion": "1.2", "apis": []}, "Swagger 1"),
        ({"info": {"_postman_id": "x", "name": "n"}, "item": []}, "Postman"),
        (
            {"info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": []},
            "Postman",
        ),
        ({"asyncapi": "3.0.0", "channels": {}}, "AsyncAPI"),
        ({"openrpc": "1.3.2", "methods": []}, "OpenRPC"),
        ({"data": {"__schema": {"types": []}}}, "GraphQL"),
        ({"__schema": {"types": []}}, "GraphQL"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}, "Method not found"),
        ([{"name": "x", "input_schema": {"type": "object"}}], "language model"),
        ([{"type": "function", "function": {"name": "x", "parameters": {}}}], "language model"),
        ({"tools": [{"name": "x", "input_schema": {"type": "object"}}]}, "tools without their inputSchema"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "x"}]}}, "tools without their inputSchema"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"prompts": []}}, "MCP server"),
    ],
)
def test_descriptions_that_are_not_read_are_no_samples(tmp_path: Path, document: Json, what: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document))
    with pytest.raises(BadInput, match=rf"a\.json looks like .*{what}.*--from samples"):
        imported(file)
    given = [source.source(str(file))]
    assert registry.imported(given, source.Options(), registry.format_named("samples")).schema.calls


def test_what_a_terminal_takes_for_commands_is_not_printed(tmp_path: Path) -> None:
    """Neither from names in losses nor from those in notes."""
    key = "\x1b[31mred\n"
    service = _json_schema(tmp_path, {"type": "object", "properties": {key: {"type": "integer", "format": "\x07"}}})
    said = [*service.notes, *(text for loss in service.schema.losses for text in (loss.place, loss.problem))]
    assert any(r"\x1b[31mred\n" in text for text in said)
    assert all(text.isprintable() for text in said)
    (field,) = service.schema.messages[1].fields
    assert field.json_name == key


def test_a_list_without_tools_is_no_sample(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}')
    with pytest.raises(BadInput, match="there is no list of tools; save what the server answers to tools/list"):
        imported(file)


def test_a_body_without_a_schema_says_so(tmp_path: Path) -> None:
    answer: Json = {"200": {"description": "d", "content": {"application/octet-stream": {}}}}
    file = tmp_path / "a.json"
    file.write_text(
        json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "t", "version": "1"},
                "paths": {"/a": {"get": {"responses": answer}}},
            }
        )
    )
    assert [loss.problem for loss in imported(file).schema.losses] == ["The body has no schema."]


def test_what_json_has_not_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("openapi: 3.0.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {x: [1, !!binary aGk=]}}}\n")
    with pytest.raises(BadInput, match=r"a\.yaml#/paths//a/get/x/1: b'hi' has the type bytes"):
        imported(file)


@pytest.mark.parametrize("text", ['/* c */ {"type": "string"}', "type: string"])
def test_avro_is_json(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.avsc"
    file.write_text(text)
    with pytest.raises(BadInput, match=r"a\.avsc is not JSON \(line 1, column 1"):
        imported(file)


def test_defaults_of_avro_are_listed(tmp_path: Path) -> None:
    fields: Json = [{"name": "a", "type": "int", "default": 5}, {"name": "b", "type": "int"}]
    file = tmp_path / "a.avsc"
    file.write_text(json.dumps({"type": "record", "name": "R", "fields": fields}))
    assert [(loss.place.rpartition("/")[2], loss.problem) for loss in imported(file).schema.losses] == [
        ("0", "The field has a default of its own.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        'syntax = "proto3"; import "b.proto"; message A { B b = 1; }',
        'syntax = "proto3"; option java_package = "/*"; import "b.proto"; /* */ message A { B b = 1; }',
        'syntax = "proto3"; import /* x */ public "b" ".proto" ; message A { B b = 1; }',
        "syntax = 'proto3';\n// \"\nimport weak 'b.proto';\nmessage A { B b = 1; }",
        (
            'syntax = "proto3"; /* import "no.proto"; */ option java_package = "import \\"no.proto\\";";'
            ' import "b.proto"; message A { B b = 1; }'
        ),
    ],
)
def test_imports_of_proto_are_found_wherever_they_stand(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.proto").write_text('syntax = "proto3"; message B { int32 x = 1; }')
    file = tmp_path / "a.proto"
    file.write_text(text)
    assert [message.name for message in imported(file).schema.messages] == ["A", "B"]


@pytest.mark.parametrize(
    ("name", "what"),
    [("a.graphql", "a GraphQL schema"), ("a.xsd", "a schema of XML"), ("a.fbs", "a schema of FlatBuffers")],
)
def test_schemas_that_are_not_read_are_named_by_the_end_of_their_name(tmp_path: Path, name: str, what: str) -> None:
    file = tmp_path / name
    file.write_text("type Query { a: Int }")
    with pytest.raises(BadInput, match=rf"{name} looks like {what}.*, which is not read"):
        imported(file)


@pytest.mark.parametrize("name", ["hammer", "saw"])
def test_a_list_of_tools_of_another_kind_is_a_sample(tmp_path: Path, name: str) -> None:
    file = tmp_path / "shed.json"
    file.write_text(json.dumps({"tools": [{"name": name, "description": "it is heavy"}]}))
    assert imported(file).form == "samples"


def test_arguments_of_a_tool_that_are_no_object_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"tools": [{"name": "x", "inputSchema": {"type": "array", "items": {}}}]}))
    with pytest.raises(BadInput, match=r"a\.json#/tools/0/inputSchema: the arguments of a tool are an object"):
        imported(file)
    file.write_text(json.dumps({"tools": [{"name": "x", "inputSchema": {"type": "object", "required": ["z"]}}]}))
    assert "The schema limits values by `required`." in {loss.problem for loss in imported(file).schema.losses}


def test_what_xsd_and_a_binding_say_besides_fields_is_listed(tmp_path: Path) -> None:
    types = """
      <xs:element name="head" type="xs:string"/><xs:element name="other" type="xs:string" substitutionGroup="t:head"/>
      <xs:complexType name="Base"><xs:sequence><xs:element name="b" type="xs:int"/></xs:sequence></xs:complexType>
      <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Base"/></xs:complexContent></xs:complexType>
      <xs:element name="A"><xs:complexType><xs:sequence>
        <xs:element ref="t:head" maxOccurs="2"/><xs:element name="base" type="t:Base" maxOccurs="9"/>
        <xs:sequence minOccurs="0">
          <xs:element name="c" type="xs:int"/><xs:element name="d" type="xs:int"/></xs:sequence>
      </xs:sequence></xs:complexType>
      <xs:unique name="k"><xs:selector xpath="t:base"/><xs:field xpath="t:b"/></xs:unique></xs:element>"""
    file = tmp_path / "a.wsdl"
    file.write_text(
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"'
        ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">'
        f'<types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">{types}</xs:schema></types>'
        '<message name="In"><part name="p" element="t:A"/></message><portType name="P"><operation name="Do">'
        '<input message="t:In"/><output message="t:In"/></operation></portType><binding name="B" type="t:P">'
        '<operation name="Do"><input><s:header message="t:In" part="p" use="literal"/><s:body use="literal"/></input>'
        "</operation></binding></definitions>"
    )
    assert {loss.problem for loss in imported(file).schema.losses} == {
        "SOAP has a part in its header.",
        "Other elements can take its place.",
        "Types that are derived from it can take its place.",
        "A group of elements can be absent.",
        "The schema limits values by `xs:unique`.",
    }
