"""Broken, hostile and enormous documents: taken, or refused with one sentence that names the place."""

# ruff: noqa: E501 - a document stands on one line, beside what is said of it

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importing import DOCUMENTS, imported

from callbench.catalog.imports import document, registry, source
from callbench.catalog.own.proto_text import proto_text
from callbench.model.errors import BadInput

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + at)}: &{chr(98 + at)} [{','.join([f'*{chr(97 + at)}'] * 9)}]\n" for at in range(12)
)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">&b;</definitions>'
)
READS = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><definitions>&a;</definitions>'
SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", '
WSDL = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema">'
SWAGGER = '{"swagger": "2.0", "paths": {"/a": {"get": '
OPENAPI = (
    '{"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": '
)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("bomb.yaml", "openapi: 3.0.0\n" + BOMB, "bomb.yaml: it has more than 2,000,000 values"),
        ("loop.yaml", "openapi: 3.0.0\na: &a\n  b: *a\n", "loop.yaml: an alias stands inside"),
        ("bad.yaml", "openapi: 3.0.0\npaths: [\n", "bad.yaml, line 3"),
        ("tag.yaml", "openapi: !!python/object/apply:os.system ['true']\n", "tag.yaml, line 1"),
        ("deep.json", '{"$schema": "x", "a": ' + "[" * 5000 + "]" * 5000 + "}", "deep.json cannot be taken: it is nested too deeply"),
        ("broken.json", '{"openapi": "3.0.0",\n "paths" {}}', "broken.json is not JSON (line 2, column 10"),
        ("nan.json", '{"openapi": NaN}', "nan.json cannot be taken (line 1, column 13): NaN"),
        ("laughs.wsdl", LAUGHS, "laughs.wsdl: it has a document type"),
        ("reads.wsdl", READS, "reads.wsdl: it has a document type"),
        ("cut.wsdl", WSDL + "<types>", "cut.wsdl, line 1: it is not XML"),
        ("empty.proto", "", "empty.proto is empty"),
        ("zip.json", "PK\x03\x04", "zip.json is compressed"),
        ("one.yaml", "swagger: '1.2'\n", "one.yaml: Swagger 1.2 is not supported; convert it to OpenAPI 3.0"),
        ("four.yaml", "openapi: 4.0.0\n", "four.yaml: OpenAPI 4.0.0 is not supported"),
        ("none.yaml", "swagger: '2.0'\npaths: {}\n", "none.yaml#/paths: there are no operations"),
        ("body.json", SWAGGER + '{"parameters": [{"in": "body", "name": "b", "schema": 5}]}}}}', "parameters/0/schema: a schema is an object"),
        ("file.json", SWAGGER + '{"parameters": [{"in": "query", "name": "q", "type": "text"}]}}}}', "parameters/0: there is no type 'text'"),
        ("list.json", SWAGGER + '{"parameters": {"in": "body"}}}}}', "/paths/~1a/get: parameters must be a list"),
        ("more.json", '{"openapi": "3.2.0", "paths": {"/a": {"additionalOperations": ["LINK"]}}}', "additionalOperations must be an object"),
        ("self.json", SCHEMA + '"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}', "#/$defs/a refers to itself"),
        ("ring.json", OPENAPI + '{"$ref": "#/c/a"}}}}}}}}, "c": {"a": {"$ref": "#/c/b"}, "b": {"$ref": "#/c/a"}}}', "#/c/"),
        ("nowhere.json", SCHEMA + '"properties": {"a": {"$ref": "#/nowhere"}}}', "#/properties/a: nothing is at '#/nowhere'"),
        ("type.json", SCHEMA + '"properties": {"a": {"type": "text"}}}', "#/properties/a: there is no type 'text'"),
        ("number.json", SCHEMA + '"properties": {"a": 5}}', "#/properties/a is no valid JSON Schema"),
        ("web.json", SCHEMA + '"properties": {"a": {"$ref": "https://example.org/x.json"}}}', "use --allow-network"),
        ("disk.json", SCHEMA + '"properties": {"a": {"$ref": "file:///etc/passwd"}}}', "use --allow-files"),
        ("up.json", SCHEMA + '"properties": {"a": {"$ref": "../../up.json"}}}', "use --allow-files"),
        ("odd.json", SCHEMA + '"properties": {"a": {"$ref": "gopher://x/y"}}}', "neither a file nor a web address"),
        ("group.proto", 'syntax = "proto2";\nmessage M {\n  optional group G = 1 { }\n}', "group.proto:3 M.g: groups"),
        ("type.proto", 'syntax = "proto3";\nmessage M { Nothing a = 1; }', "type.proto, line 2, column 13"),
        ("up.proto", 'syntax = "proto3";\nimport "../secret.proto";', "imports '../secret.proto', outside"),
        ("root.proto", 'syntax = "proto3";\nimport "/etc/passwd";', "imports '/etc/passwd', outside"),
        ("none.proto", 'syntax = "proto3";\nimport "none/such.proto";', "imports 'none/such.proto', which is not there"),
        ("up.thrift", 'include "../../../../../../../../etc/passwd"\nstruct A {}', "use --allow-files"),
        ("bad.thrift", "struct A {\n 1: i32 }", "bad.thrift, line 2, column 9"),
        ("type.thrift", "struct A {\n 1: Nothing a }", "type.thrift, line 2: there is no 'Nothing'"),
        ("loop.thrift", "typedef A B\ntypedef B A\nstruct C { 1: A a }", "refers to itself"),
        ("up.capnp", '@0xbf5147cbbecf40c1;\nusing X = import "/etc/passwd";\nstruct A { b @0 :X.Y; }', "line 2: '/etc/passwd' is looked for"),
        ("bad.capnp", "@0xbf5147cbbecf40c1;\nstruct A {\n b @0 Text; }", "bad.capnp, line 3"),
        ("generic.capnp", "@0xbf5147cbbecf40c1;\nstruct A(T) { b @0 :T; }", "line 2: generic types are not supported"),
        ("loop.capnp", "@0xbf5147cbbecf40c1;\nusing X = Y;\nusing Y = X;\nstruct A { b @0 :X; }", "refers to itself"),
        ("bad.avsc", '{"type": "record", "name": "A", "fields": [{"name": "b", "type": "Nothing"}]}', "#/fields/0: there is no"),
        ("twice.avsc", '{"type": "record", "name": "A", "fields": [{"name": "b", "type": "int"}, {"name": "b", "type": "int"}]}', "twice"),
        ("web.wsdl", WSDL + '<import namespace="x" location="http://example.org/x.wsdl"/></definitions>', "use --allow-network"),
        ("disk.wsdl", WSDL + '<types><x:schema><x:include schemaLocation="/etc/passwd"/></x:schema></types></definitions>', "--allow-files"),
        ("none.wsdl", WSDL + "</definitions>", "there is no operation"),
        ("message.wsdl", WSDL + '<portType><operation name="a"><input message="b"/></operation></portType></definitions>', "'b'"),
        ("types.wsdl", WSDL + '<types><x:schema><x:element name="a" type="x:nothing"/></x:schema></types></definitions>', "types.wsdl, element 'a': its types"),
        ("words.capnp", "@0xbf5147cbbecf40c1;\nstruct A { b @0 :List; }", "line 2: List has one type"),
        ("mail.capnp", "@0xbf5147cbbecf40c1;\ninterface A(T) { b @0 (c :T); }", "line 2: generic types are not supported"),
        ("empty.avpr", '{"protocol": "P", "types": []}', "#/messages: there are neither messages nor records"),
        ("what.bin", "\x00\x01\x02", "cannot recognise the format"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, name: str, content: str, expected: str) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="latin-1")
    with pytest.raises(BadInput) as error:
        imported(file)
    said = str(error.value)
    assert expected in said
    assert "\n" not in said
    assert "root:" not in said


def test_a_symbolic_link_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.json").write_text('{"type": "string"}')
    (tmp_path / "in" / "link.json").symlink_to(tmp_path / "secret.json")
    file = tmp_path / "in" / "a.json"
    file.write_text(SCHEMA + '"properties": {"a": {"$ref": "link.json"}}}')
    with pytest.raises(BadInput, match="use --allow-files"):
        imported(file)
    assert imported(file, files=(tmp_path,)).schema.messages


def test_five_hundred_types_are_taken(tmp_path: Path) -> None:
    kinds = {
        f"T{at}": {"type": "object", "properties": {"a": {"$ref": f"#/$defs/T{at + 1}"}, "b": {"type": "string"}}}
        for at in range(500)
    }
    file = tmp_path / "many.json"
    file.write_text(json.dumps({"$ref": "#/$defs/T0", "$defs": {**kinds, "T500": {"type": "string"}}}))
    schema = imported(file).schema
    assert len(schema.messages) == 500
    assert proto_text(schema).count("\nmessage ") == 500


def test_a_document_of_ten_megabytes_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    kind = {"type": "object", "properties": {"a": {"type": "string", "description": "x" * 50_000}}}
    file.write_text(json.dumps({"$ref": "#/$defs/T0", "$defs": {f"T{at}": kind for at in range(200)}}))
    assert file.stat().st_size > 10**7
    assert [message.name for message in imported(file).schema.messages] == ["T0"]


def test_a_document_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.proto"
    with file.open("wb") as content:
        content.truncate(source.LARGEST_DOCUMENT + 1)
        content.write(b'syntax = "proto3";')
    with pytest.raises(BadInput, match="larger than 64 MiB"):
        imported(file)


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    """A web server with one schema, which notes what it is asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/away":
                self.send_response(302)
                self.send_header("Location", "file:///etc/passwd")
                self.end_headers()
                return
            body = (SCHEMA + '"title": "Far", "properties": {"a": {"$ref": "other.json"}}}').encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(
                body
                if self.path != "/other.json"
                else body.replace(b'{"$ref": "other.json"}', b"true     " + b" " * 13)
            )

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_url_is_fetched_and_what_it_refers_to_is_not(site: tuple[str, list[str]]) -> None:
    address, asked = site
    with pytest.raises(BadInput, match="use --allow-network"):
        registry.imported([source.source(f"{address}/far.json")], source.Options())
    assert asked == ["/far.json"]
    service = registry.imported([source.source(f"{address}/far.json")], source.Options(network=True))
    assert [message.name for message in service.schema.messages] == ["Far", "Other"]
    assert asked[2:] == ["/other.json"]


@pytest.mark.parametrize("path", ["/away"])
def test_a_url_redirects_to_no_file(site: tuple[str, list[str]], path: str) -> None:
    with pytest.raises(BadInput, match="cannot fetch"):
        source.source(site[0] + path)


@pytest.mark.parametrize("name", ["file:///etc/passwd", "ftp://example.org/a", "no-such-file.proto", "."])
def test_what_is_no_document_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"only http and https|does not exist|is no file"):
        source.source(name)


UNHURRIED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
SUFFIXES = ["yaml", "json", "thrift", "capnp", "avsc", "wsdl"]


def _mutated(content: bytes, cuts: list[tuple[int, int, bytes]]) -> bytes:
    for start, length, instead in cuts:
        at = start % (len(content) + 1)
        content = content[:at] + instead + content[at + length :]
    return content


CUTS = st.lists(st.tuples(st.integers(0, 10**5), st.integers(0, 40), st.binary(max_size=6)), min_size=1, max_size=4)
MUTABLE = [
    "bookshop.yaml",
    "clinic.yaml",
    "parcels.thrift",
    "rooms.capnp",
    "flights.avpr",
    "library.wsdl",
    "order.schema.json",
    "tools.json",
]


@pytest.mark.parametrize("name", MUTABLE)
@UNHURRIED
@given(cuts=CUTS)
def test_a_damaged_document_is_taken_or_refused(name: str, cuts: list[tuple[int, int, bytes]]) -> None:
    """Nothing but `BadInput` comes out, whatever happens to a document."""
    damaged = _mutated((DOCUMENTS / name).read_bytes(), cuts)
    given_source = source.Source(name, data=damaged)
    with_name = registry.format_named(registry.recognised(source.source(str(DOCUMENTS / name))).name)
    try:
        service = registry.imported([given_source], source.Options(files=(DOCUMENTS,)), with_name)
        proto_text(service.schema)
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017 - both endings are right


@settings(parent=UNHURRIED, max_examples=15)
@given(cuts=CUTS)
def test_a_damaged_proto_is_taken_or_refused(cuts: list[tuple[int, int, bytes]]) -> None:
    damaged = _mutated((DOCUMENTS / "orders.proto").read_bytes(), cuts)
    given_source = source.Source("orders.proto", data=damaged)
    try:
        proto_text(
            registry.imported([given_source], source.Options(files=(DOCUMENTS,)), registry.format_named("proto")).schema
        )
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017 - both endings are right


NODES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["object", "array", "string", "#", "#/a"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "properties", "items", "$ref", "allOf", "oneOf", "enum", "required", "$id", "$defs", "a", "const", "if", "then"]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@UNHURRIED
@given(NODES)
def test_any_json_as_a_schema_is_taken_or_refused(value: object) -> None:
    given_source = source.Source("any.json", data=json.dumps(value).encode())
    for name in ("json_schema", "openapi", "avro", "mcp"):
        try:
            service = registry.imported([given_source], source.Options(), registry.format_named(name))
            proto_text(service.schema)
        except BadInput as error:
            assert "\n" not in str(error)  # noqa: PT017 - both endings are right


@UNHURRIED
@given(st.binary(max_size=60))
def test_any_bytes_are_json_yaml_or_refused(content: bytes) -> None:
    try:
        document.parsed("any", content)
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017 - both endings are right


def test_the_command_says_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "bad.proto"
    file.write_text('syntax = "proto3";\nmessage M {')
    done = subprocess.run(
        [sys.executable, "-m", "callbench", "import", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "line 2" in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["bad.proto"]
