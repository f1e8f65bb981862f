# ruff: noqa: E501 - a document stands on one line, beside what it becomes
"""Documents that other programs take although they are a little unusual: taken, and what is wrong is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import imported

from callbench.model.errors import BadInput

TOOLS: list[dict[str, Any]] = [
    {"name": "ping", "inputSchema": {"type": "object"}},
    {"name": "read", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}},
]
MORE: list[dict[str, Any]] = [{"name": "more", "inputSchema": {"type": "object"}}]


def answer(tools: list[dict[str, Any]], **result: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools, **result}})


@pytest.mark.parametrize(
    ("name", "text", "calls", "note"),
    [
        ("a.json", json.dumps({"tools": TOOLS}), ["Ping", "Read"], ""),
        ("a.json", json.dumps(TOOLS), ["Ping", "Read"], ""),
        ("a.json", answer(TOOLS), ["Ping", "Read"], ""),
        ("a.json", answer(TOOLS, nextCursor="x"), ["Ping", "Read"], "nextCursor"),
        ("a.json", f"event: message\ndata: {answer(TOOLS)}\n\n", ["Ping", "Read"], ""),
        (
            "a.json",
            f"\nevent: endpoint\ndata: /messages?id=1\n\nevent: message\ndata: {answer(TOOLS)}\n\n",
            ["Ping", "Read"],
            "",
        ),
        ("a.txt", f": hello\r\n\r\nid: 1\r\ndata:{answer(TOOLS)}\r\n\r\n", ["Ping", "Read"], ""),
        (
            "a.sse",
            f'data: {{"jsonrpc": "2.0", "method": "x"}}\n\ndata: {answer(TOOLS, nextCursor="x")}\n\ndata: {answer(MORE)}\n\n',
            ["Ping", "Read", "More"],
            "",
        ),
        ("a.jsonl", f"{answer(TOOLS, nextCursor='x')}\n{answer(MORE)}\n", ["Ping", "Read", "More"], ""),
        ("a.json", f"[{answer(TOOLS)}, {answer(MORE, nextCursor='y')}]", ["Ping", "Read", "More"], "nextCursor"),
    ],
)
def test_lists_of_tools_as_people_save_them(tmp_path: Path, name: str, text: str, calls: list[str], note: str) -> None:
    """With and without the envelope, as events, in pages."""
    file = tmp_path / name
    file.write_text(text)
    service = imported(file)
    assert [call.name for call in service.schema.calls] == calls
    assert any("nextCursor" in said for said in service.notes) == bool(note)


def test_a_stream_that_was_cut_is_refused_as_a_stream(tmp_path: Path) -> None:
    """It was read as YAML, in which `event` stood twice."""
    file = tmp_path / "a.json"
    file.write_text(f"event: message\ndata: {answer(TOOLS)[:-3]}\n\nevent: message\ndata: {{}}\n\n")
    with pytest.raises(BadInput, match="is not JSON"):
        imported(file)


def test_an_event_stream_without_tools_says_what_to_save(tmp_path: Path) -> None:
    file = tmp_path / "a.sse"
    file.write_text('event: message\ndata: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n')
    from callbench.catalog.imports import registry, source  # noqa: PLC0415 - only this test names the format

    with pytest.raises(BadInput, match="save what the server answers to tools/list"):
        registry.format_named("mcp").read([source.source(str(file))], source.Options())


XSD = "http://www.w3.org/2001/XMLSchema"
WSDL = '<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="{}" xmlns:t="urn:t" xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/" targetNamespace="urn:t">\n<w:types>{}</w:types><w:message name="In"><w:part name="p" element="t:In"/></w:message><w:portType name="P"><w:operation name="Do"><w:input message="t:In"/></w:operation></w:portType></w:definitions>'


def schema(inner: str) -> str:
    return f'<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">{inner}</xs:schema>'


def element(inner: str) -> str:
    return schema(
        f'<xs:element name="In"><xs:complexType><xs:sequence>{inner}</xs:sequence></xs:complexType></xs:element>'
    )


@pytest.mark.parametrize(
    ("types", "fields", "note"),
    [
        (element('<xs:element name="p" type="xs:int" default=""/>'), ["p"], "is not compatible with element's type"),
        (
            element('<xs:element name="p" type="xs:boolean" fixed="False"/>'),
            ["p"],
            "is not compatible with element's type",
        ),
        (
            element('<xs:element name="p" type="t:P"/>').replace(
                "</xs:schema>",
                '<xs:simpleType name="P"><xs:restriction base="xs:string"><xs:pattern value="^(?!x)[a-z]+$"/></xs:restriction></xs:simpleType></xs:schema>',
            ),
            ["p"],
            "pattern: invalid",
        ),
        (
            element(
                '<xs:element name="p" type="xs:string" minOccurs="0"/><xs:any minOccurs="0" maxOccurs="unbounded" namespace="##any" processContents="lax"/>'
            ),
            ["p"],
            "Unique Particle Attribution",
        ),
        (
            schema('<xs:element name="In" type="o:A" xmlns:o="urn:o"/>')
            + '<xs:schema targetNamespace="urn:o"><xs:complexType name="A"><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType></xs:schema>',
            ["x"],
            "without an import",
        ),
    ],
)
def test_types_that_are_a_little_wrong(tmp_path: Path, types: str, fields: list[str], note: str) -> None:
    """Taken as lenient clients do. What is wrong changes no message, and is said."""
    file = tmp_path / "a.wsdl"
    file.write_text(WSDL.format(XSD, types))
    service = imported(file)
    (call,) = service.schema.calls
    assert [field.name for field in service.schema.message(call.request).fields] == fields
    assert any("a.wsdl" in said and note in said for said in service.notes)


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        (element('<xs:element name="p" type="t:Nothing"/>'), "unknown type 't:Nothing'"),
        (
            schema(
                '<xs:element name="In" type="t:N"/><xs:complexType name="N"><xs:complexContent><xs:restriction base="enc:Array"/></xs:complexContent></xs:complexType>'
            ),
            "a.wsdl, line 2: SOAP encoding's arrays are not supported",
        ),
        (
            element('<xs:element name="p" type="enc:Array"/>'),
            "a.wsdl, line 2: SOAP encoding's arrays are not supported",
        ),
    ],
)
def test_types_that_are_wrong(tmp_path: Path, types: str, sentence: str) -> None:
    """They would change a message."""
    file = tmp_path / "a.wsdl"
    file.write_text(WSDL.format(XSD, types))
    with pytest.raises(BadInput) as error:
        imported(file)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        'const string ID = "id" (name = "x")\nstruct B { 1: i32 a }',
        'struct B { 1: i32 (a.b = "c") a (d) ; 2: list<string (x = "y")> (z) b = [], } (e = "f", g)',
        'namespace * shop (a = "b")\ncpp_include "x.h"\nc_include "y.h"\nenum E { X = 1 (a = "b"), Y } (c)\nstruct B { 1: E a }',
        'typedef i32 (a = "b") N (c = "d")\nstruct B { 1: N a }\nservice S extends T { B get(1: i32 a (b = "c")) throws (1: B b) (d = "e"), } (f)\nservice T { }',
        'struct B { 1: i32 a xsd_optional, 2: map cpp_type "m" <string, i32> b, 3: list<i32> cpp_type "l" c }',
        "/** a */ struct B xsd_all { 1: required i32 a // b\n # c\n }",
    ],
)
def test_annotations_of_thrift(tmp_path: Path, text: str) -> None:
    """Wherever its own compiler takes them."""
    file = tmp_path / "a.thrift"
    file.write_text(text)
    assert imported(file).schema.message("B").fields[0].name == "a"


def test_files_of_thrift_with_dots_in_their_names(tmp_path: Path) -> None:
    """The name of a file, without `.thrift`, stands before its types."""
    (tmp_path / "shop.types.thrift").write_text("struct A { 1: string v }\nservice Base { A base() }")
    (tmp_path / "a.thrift").write_text(
        'include "shop.types.thrift"\nstruct B { 1: shop.types.A a }\nservice S extends shop.types.Base { B get() }'
    )
    service = imported(tmp_path / "a.thrift")
    assert [call.name for call in service.schema.calls] == ["Get", "Base"]
    assert service.schema.message("B").fields[0].type_name == "A"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "shop.types.thrift").write_text("struct C { 1: string v }")
    (tmp_path / "b.thrift").write_text(
        'include "shop.types.thrift"\ninclude "in/shop.types.thrift"\nstruct B { 1: shop.types.A a }'
    )
    with pytest.raises(BadInput, match=r"two files that are called shop\.types"):
        imported(tmp_path / "b.thrift")
