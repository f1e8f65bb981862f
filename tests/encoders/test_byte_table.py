"""The bytes of a service in each format against what each format's own library makes of the same values by hand."""

import base64
import datetime as dt
import gzip
import io
import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cbor2
import fastavro
import msgpack
import pytest
import thriftpy2
import zstandard
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.transport import TMemoryBuffer

from callbench.catalog.encoders.byte_table import CallBytes, byte_table
from callbench.catalog.encoders.encoder import FORMATS, CannotCarryError, encoder
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema, Shape
from callbench.report.text import byte_table as shown

HERE = Path(__file__).parent
LINES: list[dict[str, Json]] = [
    {"sku": f"SKU-{number:04}", "count": number, "price": number * 1.25} for number in range(40)
]
ORDER: dict[str, Json] = {
    "id": 2**40,
    "customer": "Zoë",
    "lines": [*LINES],
    "tags": {"a": 1, "b": -1},
    "grid": [[1.0, 2.5], []],
    "paid": True,
    "picture": base64.b64encode(bytes(range(50))).decode(),
}
RECORD: dict[str, Any] = {**ORDER, "picture": bytes(range(50))}


@pytest.fixture(scope="module")
def schema() -> Schema:
    """Of the Thrift file, so that field ids are Thrift's."""
    return registry.service([str(HERE / "shop.thrift")], Options()).schema


def _thrift(protocol: type) -> bytes:
    shop = thriftpy2.load(str(HERE / "shop.thrift"), module_name="shop_thrift")
    order = shop.Order(**{**RECORD, "lines": [shop.Line(**line) for line in LINES]})
    target = TMemoryBuffer()
    protocol(target).write_struct(order)
    return bytes(target.getvalue())


def _avro() -> bytes:
    line = {"type": "record", "name": "Line", "fields": [
        {"name": "sku", "type": "string"}, {"name": "count", "type": "int"}, {"name": "price", "type": "double"},
    ]}  # fmt: skip
    order = {"type": "record", "name": "Order", "fields": [
        {"name": "id", "type": "long"}, {"name": "customer", "type": "string"},
        {"name": "lines", "type": {"type": "array", "items": line}}, {"name": "note", "type": ["null", "string"]},
        {"name": "tags", "type": {"type": "map", "values": "int"}},
        {"name": "grid", "type": {"type": "array", "items": {"type": "array", "items": "double"}}},
        {"name": "paid", "type": "boolean"}, {"name": "picture", "type": "bytes"},
    ]}  # fmt: skip
    target = io.BytesIO()
    fastavro.schemaless_writer(target, fastavro.parse_schema(order), {**RECORD, "note": None})
    return target.getvalue()


def _protobuf() -> bytes:
    """Of a file that a person would write: Thrift's own numbers are zigzag in the imported schema."""
    file = descriptor_pb2.FileDescriptorProto(name="by_hand.proto", package="by_hand", syntax="proto3")
    types = descriptor_pb2.FieldDescriptorProto
    one, many = types.LABEL_OPTIONAL, types.LABEL_REPEATED

    def message(name: str, *fields: tuple[int, str, int, int, str]) -> None:
        made = file.message_type.add(name=name)
        for number, field, kind, label, of in fields:
            made.field.add(name=field, number=number, type=kind, label=label, type_name=of or None)

    message("Line", (1, "sku", types.TYPE_STRING, one, ""), (2, "count", types.TYPE_SINT32, one, ""),
            (3, "price", types.TYPE_DOUBLE, one, ""))  # fmt: skip
    message("Row", (1, "cells", types.TYPE_DOUBLE, many, ""))
    message("Tag", (1, "key", types.TYPE_STRING, one, ""), (2, "value", types.TYPE_SINT32, one, ""))
    message("Order", (1, "id", types.TYPE_SINT64, one, ""), (2, "customer", types.TYPE_STRING, one, ""),
            (3, "lines", types.TYPE_MESSAGE, many, ".by_hand.Line"),
            (7, "tags", types.TYPE_MESSAGE, many, ".by_hand.Tag"),
            (8, "grid", types.TYPE_MESSAGE, many, ".by_hand.Row"), (30, "paid", types.TYPE_BOOL, one, ""),
            (31, "picture", types.TYPE_BYTES, one, ""))  # fmt: skip
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    order = message_factory.GetMessageClass(pool.FindMessageTypeByName("by_hand.Order"))()
    value: dict[str, Any] = {
        **ORDER,
        "grid": [{"cells": [1.0, 2.5]}, {}],
        "tags": [{"key": "a", "value": 1}, {"key": "b", "value": -1}],
    }
    return bytes(json_format.ParseDict(value, order).SerializeToString())


def _json() -> bytes:
    return json.dumps(ORDER, separators=(",", ":"), ensure_ascii=False).encode()


BY_HAND: dict[str, Callable[[], bytes]] = {
    "json": _json,
    "avro": _avro,
    "cbor": lambda: cbor2.dumps(RECORD),
    "msgpack": lambda: msgpack.packb(RECORD),
    "thrift": lambda: _thrift(TCompactProtocol),
    "thrift-binary": lambda: _thrift(TBinaryProtocol),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_bytes_are_those_of_the_format_s_own_library(name: str, schema: Schema) -> None:
    assert encoder(name, schema).encode("Order", ORDER) == BY_HAND[name]()


def test_protobuf_has_the_fields_and_numbers_of_the_schema(schema: Schema) -> None:
    """In whatever order it writes the entries of a map."""
    made = encoder("protobuf", schema).encode("Order", ORDER)
    assert (len(made), sorted(made)) == (len(by_hand := _protobuf()), sorted(by_hand))


ID = "00112233-4455-6677-8899-aabbccddeeff"
THRIFT_UUIDS = {
    # A field, an element and a key, as Apache's package 0.25.0 for Python writes them.
    "thrift": "1d{0} 191d{0} 1b01d5{0}0a 00",
    "thrift-binary": "100001{0} 0f00021000000001{0} 0d0003100800000001{0}00000005 00",
}


@pytest.mark.parametrize("name", THRIFT_UUIDS)
def test_thrift_writes_a_uuid_in_16_bytes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "ids.thrift"
    file.write_text("struct M { 1: uuid id, 2: list<uuid> ids, 3: map<uuid, i32> by }")
    of_format = encoder(name, registry.service([str(file)], Options()).schema)
    made = of_format.encode("M", {"id": ID, "ids": [ID], "by": {ID: 5}})
    assert made == bytes.fromhex(THRIFT_UUIDS[name].format(ID.replace("-", "")))
    with pytest.raises(CannotCarryError, match="'x' is no UUID"):
        of_format.encode("M", {"id": "x", "ids": [], "by": {}})


@pytest.mark.parametrize(
    ("kind", "value"), [(Kind.INT32, 5), (Kind.BOOL, False), (Kind.DOUBLE, 1.5), (Kind.STRING, "x")]
)
def test_flatbuffers_have_a_wrapped_value_as_the_value_itself(kind: Kind, value: Json) -> None:
    """As native stacks: `Int32Value` is a number, also in a list and a map."""
    wrapped = Message("W", (Field("value", "value", 1, kind),), wrapped=True)
    shapes = (Shape.OPTIONAL, Shape.MANY, Shape.MAP)
    made = []
    for of, name in ((kind, ""), (Kind.MESSAGE, "W")):
        fields = tuple(Field(f"f{at}", f"f{at}", at, of, shape, name) for at, shape in enumerate(shapes, 1))
        schema = Schema("s", (wrapped, Message("M", fields)), (OwnCall("Do", "M", "M"),))
        made.append(encoder("flatbuffers", schema).encode("M", {"f1": value, "f2": [value], "f3": {"k": value}}))
    assert made[0] == made[1]


def _table(service: Imported, samples: dict[str, int]) -> CallBytes:
    (table,) = byte_table(service, samples)
    return table


def _service(schema: Schema, *pairs: Pair) -> Imported:
    return Imported(schema, "orders.json", "samples", dt.date(2026, 11, 28), {schema.calls[0].name: pairs})


def test_compressed_bytes_are_those_of_gzip_and_zstandard() -> None:
    schema = Schema("s", (Message("M", (Field("text", "text", 1, Kind.STRING),)),), (OwnCall("Do", "M", "M"),))
    table = _table(_service(schema, Pair({"text": "ab" * 500}, {"text": "c"})), {"Do": 1})
    row = next(row for row in table.formats if row.format == "json")
    body = b'{"text":"%s"}' % (b"ab" * 500)
    assert row.request == {
        "plain": len(body),
        "gzip": len(gzip.compress(body, 6)),
        "zstd": len(zstandard.ZstdCompressor(level=3).compress(body)),
    }
    assert zlib.decompress(gzip.compress(body), 31) == body
    assert row.answer["plain"] == len('{"text":"c"}')


def test_samples_count_and_generated_payloads_do_not() -> None:
    schema = Schema("s", (Message("M", (Field("text", "text", 1, Kind.STRING),)),), (OwnCall("Do", "M", "M"),))
    pairs = [Pair({"text": "a" * length}, {"text": ""}) for length in (10, 20, 300)]
    rows = {row.format: row for row in _table(_service(schema, *pairs), {"Do": 2}).formats}
    assert rows["json"].request["plain"] == len('{"text":""}') + 15
    table = _table(_service(schema, *pairs), {})
    assert (table.samples, table.payloads) == (False, 3)


def test_a_format_that_cannot_carry_a_value_is_named_with_the_reason() -> None:
    number = Field("number", "number", 1, Kind.UINT64)
    schema = Schema("s", (Message("M", (number,)),), (OwnCall("Do", "M", "M"),))
    table = _table(_service(schema, Pair({"number": 2**64 - 1}, {"number": 0})), {})
    assert set(table.cannot) == {"avro", "thrift", "thrift-binary"}
    assert {row.format for row in table.formats} == set(FORMATS) - set(table.cannot)
    assert "18446744073709551615 in number: Avro has no whole numbers beyond 2^63" in table.cannot["avro"]
    with pytest.raises(CannotCarryError):
        encoder("thrift", schema).encode("M", {"number": 2**63})


def test_an_absent_list_is_an_empty_one() -> None:
    """As in every program with types."""
    lists = (
        Field("items", "items", 1, Kind.STRING, Shape.MANY),
        Field("tags", "tags", 2, Kind.INT32, Shape.MAP),
    )
    schema = Schema("s", (Message("M", lists),), (OwnCall("Do", "M", "M"),))
    for name in FORMATS:
        of_format = encoder(name, schema)
        assert of_format.encode("M", {}) == of_format.encode("M", {"items": [], "tags": {}})


def test_the_table_is_sorted_and_fits_80_columns(schema: Schema) -> None:
    echo = replace(schema, calls=(OwnCall("Echo", "Order", "Order"),))
    table = _table(_service(echo, Pair(ORDER, ORDER)), {"Echo": 1})
    least = [row.least for row in table.formats]
    assert least == sorted(least)
    lines = list(shown.lines([table] * 5))
    assert max(map(len, lines)) <= 80
    assert sum(line.strip().startswith("json ") for line in lines) == shown.CALLS
    assert "and 2 more calls: --json has the first 50" in lines[-1]
