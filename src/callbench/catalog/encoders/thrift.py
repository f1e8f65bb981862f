"""Thrift by thriftpy2, in the compact or the binary protocol, with structs that are made from the schema.

Thriftpy2 does not know the type `uuid`, which Apache's libraries have since 0.21: it is added to both protocols here.

Thrift has no unsigned numbers, no numbers of 32 bits with a fraction, and no value of any type. So `uint32` is `i64`,
`float` is `double`, and any JSON value is its text.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from thriftpy2.protocol import binary as plain  # the compiled one takes Python's own maps alone
from thriftpy2.protocol import compact as short
from thriftpy2.thrift import TException, TPayload, TType
from thriftpy2.transport import TMemoryBuffer

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import (
    WHOLE,
    any_text,
    enumeration_numbers,
    is_optional,
    number,
    octets,
    sorted_keys,
)
from callbench.model.service.imported import Json
from callbench.model.service.schema import PAIRS, THRIFT_UUID, Field, Kind, Message, Schema, Shape

_END_OF_I64 = 2**63
_LARGEST_ID = 2**15 - 1
_TYPES = {
    Kind.BOOL: TType.BOOL,
    Kind.INT32: TType.I32,
    Kind.INT64: TType.I64,
    Kind.UINT32: TType.I64,
    Kind.UINT64: TType.I64,
    Kind.FLOAT: TType.DOUBLE,
    Kind.DOUBLE: TType.DOUBLE,
    Kind.STRING: TType.STRING,
    Kind.BYTES: TType.BINARY,
    Kind.ENUM: TType.I32,
    Kind.JSON: TType.STRING,
}


_UUID, _COMPACT_UUID = 16, 13
"""The numbers of the type on the wire, as Apache's libraries have them."""
_FORMS = {"i8": TType.BYTE, "i16": TType.I16, THRIFT_UUID: _UUID}

short.CTYPES[_UUID] = _COMPACT_UUID
_write_val = plain.write_val


def _write(to: TMemoryBuffer, kind: int, value: Any, *held: Any, **bound: Any) -> None:  # noqa: ANN401 - as thriftpy2's own
    """Thriftpy2's own function, which calls itself by its name, and UUIDs besides."""
    if kind == _UUID:
        to.write(value.bytes)
    else:
        _write_val(to, kind, value, *held, **bound)


plain.write_val = _write  # type: ignore[assignment]


class _Compact(short.TCompactProtocol):
    def _write_val(self, kind: int, value: Any, spec: Any = None) -> None:  # noqa: ANN401 - as thriftpy2's own
        if kind == _UUID:
            self.trans.write(value.bytes)
        else:
            super()._write_val(kind, value, spec)


class Thrift:
    """Thrift of a service in one protocol."""

    def __init__(self, schema: Schema, protocol: Callable[[TMemoryBuffer], Any]) -> None:
        """Makes a struct of each message.

        Args:
            schema: of the service.
            protocol: of thriftpy2.
        """
        self._protocol = protocol
        self._numbers = enumeration_numbers(schema)
        self._messages = {message.name: message for message in schema.messages}
        self._structs: dict[str, type[TPayload]] = {name: type(name, (TPayload,), {}) for name in self._messages}
        for name, struct in self._structs.items():
            # In the order of ids, as generated code writes them.
            struct.thrift_spec = dict(sorted(self._spec(self._messages[name]).items()))

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        target = TMemoryBuffer()
        try:
            self._protocol(target).write_struct(self._struct(message, value))
        except (TException, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None
        return bytes(target.getvalue())

    def _spec(self, message: Message) -> dict[int, tuple[Any, ...]]:
        by_place = any(field.number > _LARGEST_ID for field in message.fields)
        return {
            place if by_place else field.number: (kind, field.name, *held, False)
            for place, field in enumerate(message.fields, 1)
            for kind, *held in [self._type(field)]
        }

    def _type(self, field: Field) -> tuple[Any, ...]:
        """A field's type as thriftpy2 has it: the kind, and what it holds if it holds something."""
        element = self._element(field)
        # What is within is a kind alone, or a kind with what it holds.
        within = element if len(element) > 1 else element[0]
        match field.shape:
            case Shape.MANY if field.format == PAIRS:
                key, value = (self._type(part) for part in self._messages[field.type_name].fields)
                return TType.MAP, (key if len(key) > 1 else key[0], value if len(value) > 1 else value[0])
            case Shape.MANY:
                return TType.LIST, within
            case Shape.MAP:
                return TType.MAP, (_FORMS.get(field.key_format, _TYPES[field.key]), within)
            case _:
                return element

    def _element(self, field: Field) -> tuple[Any, ...]:
        if field.kind is not Kind.MESSAGE:
            return (_FORMS.get(field.format, _TYPES[field.kind]),)
        if self._is_bare(field.type_name):
            return self._type(self._messages[field.type_name].fields[0])
        return TType.STRUCT, self._structs[field.type_name]

    def _is_bare(self, name: str) -> bool:
        """Whether a message within another one is the list or map that it stands for."""
        seen: set[str] = set()
        while (message := self._messages[name]).wrapped:
            field = message.fields[0]
            if field.shape not in {Shape.MANY, Shape.MAP} or name in seen:
                return False
            if field.kind is not Kind.MESSAGE:
                return True
            seen.add(name)
            name = field.type_name
        return bool(seen)

    def _struct(self, name: str, value: Any) -> TPayload:  # noqa: ANN401 - what JSON has
        message, struct = self._messages[name], self._structs[name]()
        if message.wrapped:
            value = {message.fields[0].json_name: value}
        for field in message.fields:
            given = value.get(field.json_name)
            absent = given is None and is_optional(field)
            setattr(struct, field.name, None if absent else self._value(field, given))
        return struct

    def _value(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - what thriftpy2 takes
        match field.shape:
            case Shape.MANY if field.format == PAIRS:
                key, held = self._messages[field.type_name].fields
                pairs = ((pair["key"], pair["value"]) for pair in value or ())
                return _Pairs((self._value(key, name), self._value(held, inner)) for name, inner in pairs)
            case Shape.MANY:
                return [self._one(field, element) for element in value or ()]
            case Shape.MAP:
                return {_key(field, name): self._one(field, value[name]) for name in sorted_keys(field, value or {})}
            case _:
                return self._one(field, value)

    def _one(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - what thriftpy2 takes
        match field.kind:
            case Kind.MESSAGE if self._is_bare(field.type_name):
                return self._value(self._messages[field.type_name].fields[0], value)
            case Kind.MESSAGE:
                return self._struct(field.type_name, value)
            case Kind.ENUM:
                return self._numbers[field.type_name][value]
            case Kind.BYTES:
                return octets(value)
            case Kind.JSON:
                return any_text(value)
            case Kind.UINT64 if int(value) >= _END_OF_I64:
                raise CannotCarryError(f"{value} in {field.name}: Thrift has no whole numbers beyond 2^63")
            case _:
                return _uuid(value) if field.format == THRIFT_UUID else number(field, value)


class _Pairs:
    """A map with keys that Python's own cannot have. Thriftpy2 takes key after key, and asks for its value."""

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self._pairs = list(pairs)
        self._value: Any = None

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[Any]:
        for key, value in self._pairs:
            self._value = value
            yield key

    def __getitem__(self, key: object) -> Any:  # noqa: ANN401 - what thriftpy2 takes
        return self._value


def _key(field: Field, name: str) -> Any:  # noqa: ANN401 - of the map's kind of keys
    if field.key is Kind.BOOL:
        return name == "true"
    if field.key_format == THRIFT_UUID:
        return _uuid(name)
    return int(name) if field.key in WHOLE else name


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise CannotCarryError(f"{text!r:.60} is no UUID") from None


def compact(schema: Schema) -> Thrift:
    """The compact protocol."""
    return Thrift(schema, _Compact)


def binary(schema: Schema) -> Thrift:
    """The binary protocol, which is Thrift's default."""
    return Thrift(schema, plain.TBinaryProtocol)
