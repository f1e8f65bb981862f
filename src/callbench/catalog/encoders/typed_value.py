"""A payload as a typed program holds it: fields in the order of the schema, whole numbers apart from others.

The user's JSON may have its keys in any order, and 12 for a number with a fraction. Typed programs write neither.
"""

import math
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pydantic_core

from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

WHOLE = (Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64)
_EXACT = 2**53
"""From here on a double does not hold every whole number."""


class TypedValues:
    """The messages of a schema, to make values of."""

    def __init__(
        self,
        schema: Schema,
        leaf: Callable[[Field, Any], Any],
        *,
        key: Callable[[Field], str] = lambda field: field.json_name,
        nulls: bool = True,
        unwrapped: bool = True,
    ) -> None:
        """Looks the types up by name.

        Args:
            schema: of the service.
            leaf: makes the format's value of one that is no message.
            key: what a field is called.
            nulls: whether an absent field that is nullable is null; otherwise it is left out as others are.
            unwrapped: whether a wrapped message is its only field, as in JSON; otherwise it has one field.
        """
        self._messages: dict[str, Message] = {message.name: message for message in schema.messages}
        self._leaf = leaf
        self._key = key
        self._nulls = nulls
        self._unwrapped = unwrapped

    def message(self, name: str, value: Json) -> Any:  # noqa: ANN401 - as the format has it
        """The value of a message. That of a wrapped one is its field's."""
        message = self._messages[name]
        if message.wrapped and self._unwrapped:
            return self._field(message.fields[0], value)
        if message.wrapped:
            value = {message.fields[0].json_name: value}
        assert isinstance(value, dict)  # noqa: S101 - payloads fit their schema
        return dict(self._members(message, value))

    def _members(self, message: Message, value: dict[str, Json]) -> Iterator[tuple[str, Any]]:
        for field in message.fields:
            given = value.get(field.json_name)
            if given is not None or not is_optional(field):
                yield self._key(field), self._field(field, given)
            elif field.nullable and self._nulls:
                yield self._key(field), None

    def _field(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - as the format has it
        match field.shape:
            case Shape.MANY:
                return [self._one(field, element) for element in value or ()]
            case Shape.MAP:
                return {key: self._one(field, value[key]) for key in sorted_keys(field, value or {})}
            case _ if value is None and is_optional(field):
                return None
            case _:
                return self._one(field, value)

    def _one(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - as the format has it
        return self.message(field.type_name, value) if field.kind is Kind.MESSAGE else self._leaf(field, value)


@dataclass(frozen=True, slots=True)
class Single:
    """A number of 32 bits, where a library writes every float in 64."""

    value: float


def binary_leaf(field: Field, value: Any) -> Any:  # noqa: ANN401 - what a library of such a format takes
    """A value that is no message, in a format that describes itself and has bytes: CBOR, MessagePack."""
    match field.kind:
        case Kind.BYTES:
            return octets(value)
        case Kind.JSON:
            return any_value(value)
        case Kind.FLOAT:
            return Single(number(field, value))
        case _:
            return number(field, value)


def is_optional(field: Field) -> bool:
    """Whether a field may be without a value."""
    return field.shape is Shape.OPTIONAL or bool(field.oneof)


def sorted_keys(field: Field, value: dict[str, object]) -> list[str]:
    """The keys of a map in the order of their type."""
    if field.key in WHOLE:
        return sorted(value, key=int)
    return sorted(value, key=str.encode)


def number(field: Field, value: Any) -> Any:  # noqa: ANN401 - of the field's kind
    """A number or truth of a field's kind; any other value as it is."""
    if field.kind in WHOLE:
        return int(value)
    if field.kind is Kind.FLOAT:
        # The shortest text that is the same in 32 bits.
        return float(str(np.float32(value)))
    return float(value) if field.kind is Kind.DOUBLE else value


def octets(value: str) -> bytes:
    """Bytes, which JSON has as base64."""
    return b64decode(value)


def any_value(value: Json) -> Json:
    """Any JSON value as `google.protobuf.Value` holds it: numbers are doubles, and keys are sorted."""
    match value:
        case dict():
            return {key: any_value(value[key]) for key in sorted(value, key=str.encode)}
        case list():
            return [any_value(element) for element in value or ()]
        case int() | float() if not isinstance(value, bool):
            real = float(value)
            return int(real) if is_whole(real) else real
        case _:
            return value


def is_whole(real: float) -> bool:
    """Whether a whole number is the same: -0.0 has none."""
    return real.is_integer() and abs(real) < _EXACT and (real != 0 or math.copysign(1, real) > 0)


def compact_json(value: Any) -> bytes:  # noqa: ANN401 - what JSON has
    """JSON without spaces, by serde_json, which pydantic is built on."""
    return pydantic_core.to_json(value)


def any_text(value: Json) -> str:
    """Any JSON value as its text, for formats that must know their types."""
    return compact_json(any_value(value)).decode()


def enumeration_numbers(schema: Schema) -> dict[str, dict[str, int]]:
    """The numbers of each enumeration's values, by their names in JSON."""
    return {enumeration.name: dict(enumeration.values) for enumeration in schema.enumerations}
