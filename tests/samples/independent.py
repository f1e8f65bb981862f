"""Formats by libraries that are not Callbench's: what sizes of generated payloads and round trips are tested with."""

import gzip
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import bson
import cbor2
import fastavro
import msgpack
from google.protobuf import struct_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from callbench.catalog.own.proto_text import proto_text
from callbench.catalog.own.protoc import compiled
from callbench.model.service.grpc_name import package
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

Encode = Callable[[Json], bytes]


def minified(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def encoders(schema: Schema, message: str) -> Iterator[tuple[str, Encode, Callable[[bytes], object]]]:
    """Name, encoder and decoder of every format for one message."""
    yield "json", minified, json.loads
    yield "msgpack", msgpack.packb, msgpack.unpackb
    yield "cbor", cbor2.dumps, cbor2.loads
    yield "bson", lambda value: bson.encode(value if isinstance(value, dict) else {"items": value}), bson.decode
    yield "xml", xml, ET.fromstring
    protobuf = Protobuf(schema)
    class_ = protobuf.class_of(message)
    yield (
        "protobuf",
        lambda value: protobuf.message(message, value).SerializeToString(deterministic=True),
        class_.FromString,
    )
    avro = Avro(schema, message)
    yield "avro", avro.encoded, avro.decoded


def xml(value: Json) -> bytes:
    """An element for each value, named after its key, as SOAP and many REST servers have it."""
    root = ET.Element("message")
    _fill(root, value)
    encoded: bytes = ET.tostring(root, encoding="utf-8")
    return encoded


def _fill(element: ET.Element, value: Json) -> None:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else (("item", item) for item in value)
        for key, inner in pairs:
            _fill(ET.SubElement(element, re.sub(r"\W", "_", f"{key}" if key[:1].isalpha() else f"_{key}")), inner)
    elif value is not None:
        element.text = str(value).lower() if isinstance(value, bool) else str(value)


def compressed(encoded: bytes) -> bytes:
    return gzip.compress(encoded, 6, mtime=0)


class Protobuf:
    """Messages of a schema by Google's library, from the text of `schema.proto`."""

    def __init__(self, schema: Schema) -> None:
        """Compile it."""
        self.schema = schema
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "schema.proto").write_text(proto_text(schema))
            files = compiled(Path(folder), "schema.proto")
        self.pool = DescriptorPool()
        for file in files.file:
            self.pool.Add(file)  # type: ignore[no-untyped-call, unused-ignore]

    def class_of(self, name: str) -> Any:
        return GetMessageClass(self.pool.FindMessageTypeByName(f"{package(self.schema)}.{name}"))

    def message(self, name: str, value: Json) -> Any:
        """JSON as a message."""
        message = self.schema.message(name)
        made = self.class_of(name)()
        if message.wrapped:
            self._set(made, message.fields[0], value)
            return made
        assert isinstance(value, dict)
        fields = {field.json_name: field for field in message.fields}
        for key, inner in value.items():
            self._set(made, fields[key], inner)
        return made

    def _set(self, made: Any, field: Field, value: Json) -> None:
        if value is None and field.kind is not Kind.JSON:
            assert field.shape is Shape.OPTIONAL
        elif field.shape is Shape.MANY:
            assert isinstance(value, list)
            target = getattr(made, field.name)
            for item in value:
                if field.kind in {Kind.MESSAGE, Kind.JSON}:
                    target.add().MergeFrom(self._value(field, item))
                else:
                    target.append(self._value(field, item))
        elif field.shape is Shape.MAP:
            assert isinstance(value, dict)
            for key, item in value.items():
                if field.kind in {Kind.MESSAGE, Kind.JSON}:
                    getattr(made, field.name)[key].MergeFrom(self._value(field, item))
                else:
                    getattr(made, field.name)[key] = self._value(field, item)
        elif field.kind in {Kind.MESSAGE, Kind.JSON}:
            getattr(made, field.name).SetInParent()
            getattr(made, field.name).MergeFrom(self._value(field, value))
        else:
            setattr(made, field.name, self._value(field, value))

    def _value(self, field: Field, value: Json) -> Any:
        if field.kind is Kind.MESSAGE:
            return self.message(field.type_name, value)
        if field.kind is Kind.JSON:
            parsed = struct_pb2.Value()
            ParseDict(cast("dict[str, Any]", value), parsed)
            # The pool has a class of its own for it.
            return GetMessageClass(self.pool.FindMessageTypeByName("google.protobuf.Value")).FromString(
                parsed.SerializeToString()
            )
        if field.kind is Kind.ENUM:
            enumeration = next(one for one in self.schema.enumerations if one.name == field.type_name)
            return dict(enumeration.values)[str(value)]
        return float(value) if field.kind is Kind.DOUBLE and isinstance(value, int) else value

    def json(self, name: str, made: Any) -> Json:
        """A message as JSON again, by the rules of the schema."""
        message = self.schema.message(name)
        if message.wrapped:
            return self._get(made, message.fields[0])
        return {
            field.json_name: self._get(made, field)
            for field in message.fields
            if field.shape is not Shape.OPTIONAL or field.nullable or made.HasField(field.name)
        }

    def _get(self, made: Any, field: Field) -> Json:
        if field.shape is Shape.OPTIONAL and not made.HasField(field.name):
            return None
        value = getattr(made, field.name)
        if field.shape is Shape.MANY:
            return [self._plain(field, item) for item in value]
        if field.shape is Shape.MAP:
            return {key: self._plain(field, value[key]) for key in value}
        return self._plain(field, value)

    def _plain(self, field: Field, value: Any) -> Json:
        if field.kind is Kind.MESSAGE:
            return self.json(field.type_name, value)
        if field.kind is Kind.JSON:
            read = struct_pb2.Value.FromString(value.SerializeToString())
            plain: Json = MessageToDict(read)
            return plain
        if field.kind is Kind.ENUM:
            enumeration = next(one for one in self.schema.enumerations if one.name == field.type_name)
            return {number: text for text, number in enumeration.values}[value]
        scalar: Json = value
        return scalar


class Avro:
    """A message by fastavro. What Avro has no type for is text in JSON; what can be absent is a union with null."""

    def __init__(self, schema: Schema, message: str) -> None:
        """Make the schema of Avro."""
        self._schema = schema
        self._name = message
        self._defined: set[str] = set()
        self._parsed = fastavro.parse_schema(self._type_of(schema.message(message)))

    def encoded(self, value: Json) -> bytes:
        stream = BytesIO()
        fastavro.schemaless_writer(stream, self._parsed, self._value(self._schema.message(self._name), value))
        return stream.getvalue()

    def decoded(self, encoded: bytes) -> object:
        return fastavro.schemaless_reader(BytesIO(encoded), self._parsed, None)

    def _type_of(self, message: Message) -> Any:
        if message.name in self._defined:
            return message.name
        self._defined.add(message.name)
        fields = [{"name": field.name, "type": self._field(field)} for field in message.fields]
        return {"type": "record", "name": message.name, "fields": fields}

    def _field(self, field: Field) -> Any:
        of: Any = {
            Kind.BOOL: "boolean",
            Kind.INT32: "int",
            Kind.INT64: "long",
            Kind.UINT32: "long",
            Kind.UINT64: "double",
            Kind.FLOAT: "float",
            Kind.DOUBLE: "double",
        }.get(field.kind, "string")
        if field.kind is Kind.MESSAGE:
            of = self._type_of(self._schema.message(field.type_name))
        shapes = {Shape.MANY: {"type": "array", "items": of}, Shape.MAP: {"type": "map", "values": of}}
        return ["null", of] if field.shape is Shape.OPTIONAL else shapes.get(field.shape, of)

    def _value(self, message: Message, value: Json) -> Any:
        if message.wrapped:
            return {message.fields[0].name: self._of(message.fields[0], value)}
        assert isinstance(value, dict)
        return {field.name: self._of(field, value.get(field.json_name)) for field in message.fields}

    def _of(self, field: Field, value: Json) -> Any:
        if field.shape is Shape.MANY and isinstance(value, list):
            return [self._one(field, item) for item in value]
        if field.shape is Shape.MAP and isinstance(value, dict):
            return {key: self._one(field, item) for key, item in value.items()}
        return None if value is None and field.shape is Shape.OPTIONAL else self._one(field, value)

    def _one(self, field: Field, value: Json) -> Any:
        if field.kind is Kind.MESSAGE:
            return self._value(self._schema.message(field.type_name), value)
        if field.kind is Kind.JSON:
            return minified(value).decode()
        return value
