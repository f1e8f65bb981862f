"""Samples in protobuf's own JSON, read by its own package.

There a `Timestamp` is a text, an `int64` can be one, an enumeration can be its number, a key can have its name of the
`.proto`, and what has its default can be left out.
"""

import base64
import math
import re
from typing import Any

import numpy as np
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import EncodeError, Message
from google.protobuf.message_factory import GetMessageClass

from callbench.catalog.encoders.typed_value import is_whole
from callbench.catalog.own.descriptors import Descriptors
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema, Shape

_OWN_JSON = "google.protobuf."
_BYTES = "google.protobuf.BytesValue"
# With letters of either alphabet, and padded or not.
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
# Half of the least number of 32 bits: this and less is rounded to 0.
_LEAST_FLOAT = 2.0**-150
_DEEPEST = 100
_SHOWN = 300


class ProtobufJson:
    """Reads values of a schema's messages."""

    def __init__(self, descriptors: Descriptors, schema: Schema) -> None:
        """Looks the types up by name.

        Args:
            descriptors: of the `.proto`.
            schema: made of them.
        """
        self._descriptors = descriptors
        self._messages = {message.name: message for message in schema.messages}
        self._values = {
            enumeration.name: {number: name for name, number in reversed(enumeration.values)}
            for enumeration in schema.enumerations
        }

    def read(self, message: str, value: Json) -> tuple[Json, list[str]]:
        """A value as the service has it.

        Args:
            message: its name in the schema.
            value: in protobuf's own JSON.

        Returns:
            The value, and the places of the keys that the message lacks: `$.items[0].note`.

        Raises:
            BadInput: it is no such message, or has what other formats cannot carry.
        """
        of = self._descriptors.message(message)
        left_out: list[str] = []
        made = GetMessageClass(of)()
        try:
            known: Any = _known(of, value, "$", left_out, 0)
            json_format.ParseDict(known, made, descriptor_pool=self._descriptors.pool, max_recursion_depth=_DEEPEST)
            made.SerializeToString()  # it says which required field is missing
        except (json_format.ParseError, EncodeError, ValueError, TypeError, AttributeError, RecursionError) as error:
            why = " ".join(str(error).split())[:_SHOWN].rstrip(".")
            raise BadInput(f"protobuf's own reader of JSON says: {why}") from None
        return self._message(made, message, "$"), left_out

    def _message(self, made: Message, name: str, place: str) -> Json:
        message = self._messages[name]
        if message.wrapped:
            return self._field(made, message.fields[0], place)
        fields: dict[str, Json] = {}
        for field in message.fields:
            may_be_absent = field.shape is Shape.OPTIONAL or bool(field.oneof)
            if not may_be_absent or made.HasField(field.name):
                fields[field.json_name] = self._field(made, field, f"{place}.{field.json_name}")
            elif field.nullable:
                fields[field.json_name] = None
        return fields

    def _field(self, made: Message, field: Field, place: str) -> Json:
        held = getattr(made, field.name)
        if field.shape is Shape.MANY:
            return [self._one(value, field, f"{place}[{at}]") for at, value in enumerate(held)]
        if field.shape is Shape.MAP:
            return {_key(key): self._one(held[key], field, f"{place}.{key}") for key in held}
        return self._one(held, field, place)

    def _one(self, value: Any, field: Field, place: str) -> Json:  # noqa: ANN401 - whatever a field holds
        match field.kind:
            case Kind.MESSAGE:
                return self._message(value, field.type_name, place)
            case Kind.JSON:
                return _plain(json_format.MessageToDict(value)) if value.WhichOneof("kind") else None
            case Kind.BYTES:
                return base64.b64encode(value).decode()
            case Kind.ENUM:
                names = self._values[field.type_name]
                if value not in names:
                    raise BadInput(f"{place}: the enumeration {field.type_name} has no value {value}")
                return names[value]
            case Kind.FLOAT | Kind.DOUBLE:
                if not math.isfinite(value):
                    raise BadInput(f"{place} is {value}, which no format based on JSON can carry; use a number")
                # The shortest text that is the same in 32 bits.
                return float(str(np.float32(value))) if field.kind is Kind.FLOAT else float(value)
        scalar: Json = value
        return scalar


def _plain(value: Any) -> Json:  # noqa: ANN401 - what a `Value` holds
    """Any JSON value, its whole numbers without a point."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and is_whole(value):
        return int(value)
    plain: Json = value
    return plain


def _known(of: Descriptor, value: Json, place: str, left_out: list[str], depth: int) -> Json:
    """The value without the keys that a message lacks. Protobuf's reader would take values of enumerations out too."""
    if of.full_name.startswith(_OWN_JSON) or value is None or depth > _DEEPEST:
        if of.full_name == _BYTES:
            _refuse_odd_base64(value, place)
        return value
    if not isinstance(value, dict):
        raise BadInput(f"{place} is no object")
    fields = {name: field for field in of.fields for name in (field.name, field.json_name)}
    known: dict[str, Json] = {}
    names: dict[int, str] = {}
    for key, inner in value.items():
        if key not in fields:
            left_out.append(f"{place}.{key}")
            continue
        other = names.setdefault(fields[key].number, key)
        if other != key:
            raise BadInput(f"{place} has one field twice, as {other} and as {key}; take one of them out")
        known[key] = _known_field(fields[key], inner, f"{place}.{key}", left_out, depth + 1)
    return known


def _known_field(field: FieldDescriptor, value: Json, place: str, left_out: list[str], depth: int) -> Json:
    entry = field.message_type
    if field.type == FieldDescriptor.TYPE_FLOAT:
        _refuse_lost_floats(value, place)
    if entry is None:
        if field.type == FieldDescriptor.TYPE_BYTES:
            _refuse_odd_base64(value, place)
        return value
    if entry.GetOptions().map_entry:
        of = entry.fields_by_name["value"].message_type
        if of is None or not isinstance(value, dict):
            if entry.fields_by_name["value"].type == FieldDescriptor.TYPE_FLOAT:
                _refuse_lost_floats(value, place)
            if entry.fields_by_name["value"].type == FieldDescriptor.TYPE_BYTES:
                _refuse_odd_base64(value, place)
            return value
        return {key: _known(of, inner, f"{place}.{key}", left_out, depth) for key, inner in value.items()}
    if isinstance(value, list):
        return [_known(entry, inner, f"{place}[{at}]", left_out, depth) for at, inner in enumerate(value)]
    return _known(entry, value, place, left_out, depth)


def _refuse_odd_base64(value: Json, place: str) -> None:
    """Refuse what protobuf's package for Python leaves out without a word, and other languages refuse.

    Raises:
        BadInput: a text in the value is no base64.
    """
    if isinstance(value, str) and not _BASE64.fullmatch(value):
        raise BadInput(f"{place} is no base64")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_odd_base64(inner, place)


def _refuse_lost_floats(value: Json, place: str) -> None:
    """Refuse what a number of 32 bits has as 0, which protobuf's reader takes, and does not send.

    Raises:
        BadInput: there is such a number.
    """
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else ((f"[{at}]", item) for at, item in enumerate(value))
        for name, item in inner:
            _refuse_lost_floats(item, f"{place}{'' if isinstance(value, list) else '.'}{name}")
    elif isinstance(value, int | float | str):
        try:
            lost = 0 < abs(float(value)) <= _LEAST_FLOAT
        except (ValueError, OverflowError):
            return  # protobuf's own reader says what is wrong with it
        if lost:
            raise BadInput(f"{place} is {value}, which is 0 in the 32 bits of a float; write 0, or make it a double")


def _key(key: object) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
