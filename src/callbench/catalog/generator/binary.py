"""A message in protobuf's encoding, near enough to see how it compresses: a field's number and type, then its value.

It stands for formats that send numbers instead of names. What it leaves out: default values of proto3 are sent too.
"""

import json
import struct

from callbench.model.service.imported import Json
from callbench.model.service.schema import Encoding, Field, Kind, Schema, Shape


class Binary:
    """Encodes messages of one schema."""

    def __init__(self, schema: Schema) -> None:
        """Look up messages by name once."""
        self._messages = {message.name: message for message in schema.messages}

    def encoded(self, name: str, value: Json) -> bytes:
        """The bytes of a message."""
        message = self._messages[name]
        if message.wrapped:
            return self._field(message.fields[0], value)
        if not isinstance(value, dict):
            return b""
        fields = {field.json_name: field for field in message.fields}
        return b"".join(self._field(fields[key], inner) for key, inner in value.items() if key in fields)

    def _field(self, field: Field, value: Json) -> bytes:
        if value is None and field.kind is not Kind.JSON:
            return b""
        if field.shape is Shape.MAP and isinstance(value, dict):
            entries = (_text(key) + self._one(field, item) for key, item in value.items())
            return b"".join(_varint(field.number << 3 | 2) + _varint(len(entry)) + entry for entry in entries)
        if field.shape is Shape.MANY and isinstance(value, list):
            items = [self._one(field, item) for item in value]
            if field.kind in {Kind.MESSAGE, Kind.STRING, Kind.JSON, Kind.BYTES}:
                return b"".join(_varint(field.number << 3 | 2) + item for item in items)
            if field.unpacked:
                return b"".join(_varint(field.number << 3) + item for item in items)
            packed = b"".join(items)
            return _varint(field.number << 3 | 2) + _varint(len(packed)) + packed
        wire = 1 if isinstance(value, float) else 0 if isinstance(value, int) else 2
        return _varint(field.number << 3 | wire) + self._one(field, value)

    def _one(self, field: Field, value: Json) -> bytes:
        if field.kind is Kind.MESSAGE:
            inner = self.encoded(field.type_name, value)
            return _varint(len(inner)) + inner
        if field.kind is Kind.JSON or value is None or isinstance(value, dict | list):
            return _text(json.dumps(value))
        if isinstance(value, str):
            return _text(value)
        if field.kind in {Kind.DOUBLE, Kind.FLOAT} or isinstance(value, float):
            return struct.pack("<d", value)
        zigzag = field.encoding is Encoding.ZIGZAG
        return _varint((value << 1) ^ (value >> 63) if zigzag else value & (2**64 - 1))


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _varint(len(encoded)) + encoded


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value & 0x7F)
    return bytes(encoded)
