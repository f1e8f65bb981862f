"""FlatBuffers by Google's package: tables, a field's number is its place in its message, from 0.

A map is a vector of tables of a key and a value, sorted by key. A vector within a vector has a table around it.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import flatbuffers
from flatbuffers import number_types
from flatbuffers.builder import BuilderSizeError, OffsetArithmeticError

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import any_text, is_optional, number, octets, sorted_keys
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

_NUMBERS: dict[Kind, Any] = {
    Kind.BOOL: number_types.BoolFlags,
    Kind.INT32: number_types.Int32Flags,
    Kind.INT64: number_types.Int64Flags,
    Kind.UINT32: number_types.Uint32Flags,
    Kind.UINT64: number_types.Uint64Flags,
    Kind.FLOAT: number_types.Float32Flags,
    Kind.DOUBLE: number_types.Float64Flags,
    Kind.ENUM: number_types.Uint16Flags,
}
_VECTORS = frozenset({Shape.MANY, Shape.MAP})
_OFFSET = 4
"""Bytes of an offset to what lies elsewhere."""


class FlatBuffers:
    """FlatBuffers of a service."""

    def __init__(self, schema: Schema) -> None:
        """Looks the types up by name."""
        self._messages = {message.name: message for message in schema.messages}
        self._places = {
            enumeration.name: {name: place for place, (name, _) in enumerate(enumeration.values)}
            for enumeration in schema.enumerations
        }

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        to = flatbuffers.Builder(1024)
        try:
            root = _Writing(to, self._messages, self._places).root(message, value)
            to.Finish(root)
        except (BuilderSizeError, OffsetArithmeticError, TypeError, ValueError, struct.error, RecursionError) as error:
            raise CannotCarryError(str(error)) from None
        return bytes(to.Output())


class _Writing:
    """What writes one message."""

    def __init__(
        self, to: flatbuffers.Builder, messages: Mapping[str, Message], places: dict[str, dict[str, int]]
    ) -> None:
        self._to = to
        self._messages = messages
        self._places = places

    def root(self, name: str, value: Any) -> int:  # noqa: ANN401 - what JSON has
        """The message's table: a wrapped message needs one, too."""
        message = self._messages[name]
        if not message.wrapped:
            return int(self.message(name, value))
        return self._table([self._held(message.fields[0], value)])

    def message(self, name: str, value: Any) -> Any:  # noqa: ANN401 - what JSON has
        """Where a message was written; None for a wrapped one without a value. A wrapped number is itself."""
        message = self._messages[name]
        if message.wrapped:
            absent = value is None and is_optional(message.fields[0])
            return None if absent else self._field(message.fields[0], value)
        return self._table([self._held(field, value.get(field.json_name)) for field in message.fields])

    def _held(self, field: Field, value: Any) -> Callable[[int], None] | None:  # noqa: ANN401 - what JSON has
        """What puts a field into its table, at a number; None if the field is absent. Offsets are written before."""
        if value is None and is_optional(field):
            return None
        written = self._field(field, value)
        if written is None:
            return None
        flags = self._flags(field)
        if flags is not None:
            # One that may be absent is written even if it is the default.
            default = None if is_optional(field) or is_optional(self._innermost(field)) or str(written) == "-0.0" else 0
            return lambda place: self._to.PrependSlot(flags, place, written, default)
        return lambda place: self._to.PrependUOffsetTRelativeSlot(place, written, 0)

    def _table(self, held: Sequence[Callable[[int], None] | None]) -> int:
        self._to.StartObject(len(held))
        for place, put in enumerate(held):
            if put is not None:
                put(place)
        return int(self._to.EndObject())

    def _field(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - a number, or where it was written
        match field.shape:
            case Shape.MAP:
                # Written in the order of the keys' own type, and found by their text, which readers search.
                entries = {key: self._entry(field, key, value[key]) for key in sorted_keys(field, value or {})}
                offsets = [entries[key] for key in sorted(entries, key=str.encode)]
                return self._vector(_OFFSET, offsets, self._to.PrependUOffsetTRelative)
            case Shape.MANY:
                elements = [self._element(field, element) for element in value or ()]
                flags = self._flags(replace(field, shape=Shape.ONE))
                if flags is None:
                    return self._vector(_OFFSET, elements, self._to.PrependUOffsetTRelative)
                return self._vector(flags.bytewidth, elements, lambda element: self._to.Prepend(flags, element))
            case _:
                return self._one(field, value)

    def _entry(self, field: Field, key: str, value: Any) -> int:  # noqa: ANN401 - what JSON has
        name = self._to.CreateString(key)
        as_member = Field("", "", 0, field.kind, type_name=field.type_name)
        return self._table(
            [lambda place: self._to.PrependUOffsetTRelativeSlot(place, name, 0), self._held(as_member, value)]
        )

    def _vector(self, size: int, elements: Sequence[Any], prepend: Callable[[Any], None]) -> int:
        self._to.StartVector(size, len(elements), size)
        for element in reversed(elements):
            prepend(element)
        return int(self._to.EndVector())

    def _element(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - a number, or where it was written
        written = self._one(field, value)
        if written is None:
            raise CannotCarryError(f"{field.name}: FlatBuffers have no null in a vector")
        held = self._innermost(replace(field, shape=Shape.ONE))
        if held.kind is not Kind.BYTES and held.shape not in _VECTORS:
            return written
        return self._table([lambda place: self._to.PrependUOffsetTRelativeSlot(place, written, 0)])

    def _innermost(self, field: Field) -> Field:
        """What is written for a field: a wrapped message is its only field."""
        for _ in self._messages:  # one that wraps itself has no end
            if field.kind is not Kind.MESSAGE or field.shape in _VECTORS or not self._messages[field.type_name].wrapped:
                break
            (field,) = self._messages[field.type_name].fields
        return field

    def _flags(self, field: Field) -> Any:  # noqa: ANN401 - the package's class of a number
        """The package's kind of a number, wrapped or not; None for what is no number."""
        held = self._innermost(field)
        return _NUMBERS.get(held.kind) if held.shape not in _VECTORS else None

    def _one(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - a number, or where it was written
        match field.kind:
            case Kind.MESSAGE:
                return self.message(field.type_name, value)
            case Kind.BYTES:
                return self._to.CreateByteVector(octets(value))
            case Kind.STRING:
                return self._to.CreateString(value)
            case Kind.JSON:
                return self._to.CreateString(any_text(value))
            case Kind.ENUM:
                return self._places[field.type_name][value]
            case _:
                return number(field, value)
