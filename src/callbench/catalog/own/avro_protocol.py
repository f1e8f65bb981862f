"""A service in Avro's words: a protocol with a record for each message, and with the calls.

Avro has no unsigned numbers, no name for a list, and no value of any type. So `uint32` and `uint64` are `long`, and any
JSON value is its text. A message that stands for its only field is that field's type.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from callbench.model.service.grpc_name import package
from callbench.model.service.identifiers import IDENTIFIER, Names, snake
from callbench.model.service.imported import Json
from callbench.model.service.schema import NULL, Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

_PLAIN: Mapping[Kind, str] = {
    Kind.BOOL: "boolean",
    Kind.INT32: "int",
    Kind.INT64: "long",
    Kind.UINT32: "long",
    Kind.UINT64: "long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    Kind.STRING: "string",
    Kind.BYTES: "bytes",
    Kind.JSON: "string",
}
PARAMETER = "request"
"""The one parameter of every call."""


class _InexpressibleError(Exception):
    """Avro has no type for it: a list within itself, or a null in a null."""


def protocol(schema: Schema) -> dict[str, Json]:
    """The protocol, with names that every reader of Avro takes: fields have those of `schema.proto`.

    A call whose types Avro cannot say is left out.
    """
    return _protocol(schema, AvroTypes(schema), symbols)


def by_json_keys(schema: Schema) -> dict[str, Json]:
    """The same protocol with the names of JSON, whatever they are: for a program that knows its types by these.

    The bytes of a message are the same, for they hold no names.
    """
    types = AvroTypes(schema, lambda field: field.json_name)
    return _protocol(schema, types, lambda enumeration: [name for name, _ in enumeration.values])


def by_unions(schema: Schema, types: "AvroTypes") -> dict[str, Json]:
    """The protocol with the unions of the user's own Avro as such.

    Args:
        schema: of the service.
        types: with unions.
    """
    return _protocol(schema, types, symbols)


def symbols(enumeration: Enumeration) -> list[str]:
    """The values of an enumeration as Avro takes them."""
    names = Names()
    return [
        names.take(name if IDENTIFIER.match(name) else snake(name, "value").upper()) for name, _ in enumeration.values
    ]


def _protocol(schema: Schema, types: "AvroTypes", values: Callable[[Enumeration], Sequence[str]]) -> dict[str, Json]:
    records: dict[str, Json] = {}
    for message in schema.messages:
        if types.is_record(message):
            try:
                records[message.name] = types.record(message)
            except _InexpressibleError:
                continue
    enumerations: list[Json] = [
        {"type": "enum", "name": types.full(enumeration.name), "symbols": list(values(enumeration))}
        for enumeration in schema.enumerations
    ]
    fixed = types.fixed_types()
    carried = (call for call in schema.calls if types.is_expressible(call, records))
    return {
        "protocol": schema.name,
        "types": [*fixed, *enumerations, *records.values()],
        "messages": {call.name: types.call(call) for call in carried},
    }


def _fixed_names(schema: Schema) -> dict[int, str]:
    """A name for each number of bytes that a field always has, which no other type has."""
    taken = {message.name for message in schema.messages} | {enumeration.name for enumeration in schema.enumerations}
    sizes = sorted({field.fixed_size for _, field in schema.fields() if field.fixed_size is not None})
    return {size: next(name for name in _candidates(size) if name not in taken) for size in sizes}


def _candidates(size: int) -> Iterator[str]:
    return (f"Fixed{size}{'_' * further}" for further in itertools.count())


class AvroTypes:
    """The types that Avro has for those of a schema."""

    def __init__(
        self, schema: Schema, name: Callable[[Field], str] = lambda field: field.name, *, unions: bool = False
    ) -> None:
        """Looks the messages up by name.

        Args:
            schema: of the service.
            name: what a field is called.
            unions: whether a message that stands for one of Avro's unions is one; otherwise it is a record.
        """
        self._unions = unions
        self._package = package(schema)
        self._messages = {message.name: message for message in schema.messages}
        self._name = name
        self._fixed = _fixed_names(schema)

    def fixed_types(self) -> list[Json]:
        """The types of bytes that are always as many."""
        return [{"type": "fixed", "name": self.full(name), "size": size} for size, name in self._fixed.items()]

    def full(self, name: str) -> str:
        """A name that is not one of Avro's own types."""
        return f"{self._package}.{name}"

    def record(self, message: Message) -> Json:
        """The record of a message."""
        fields: list[Json] = [{"name": self._name(field), "type": self._field(field, ())} for field in message.fields]
        return {"type": "record", "name": self.full(message.name), "fields": fields}

    def call(self, call: OwnCall) -> Json:
        """The types of a call's request and answer."""
        return {
            "request": [{"name": PARAMETER, "type": self._message(call.request, ())}],
            "response": self._message(call.answer, ()),
        }

    def is_expressible(self, call: OwnCall, records: Mapping[str, Json]) -> bool:
        """Whether all that the call reaches has a type."""
        try:
            self.call(call)
        except _InexpressibleError:
            return False
        seen, waiting = {call.request, call.answer}, [call.request, call.answer]
        while waiting:
            message = self._messages[waiting.pop()]
            if self.is_record(message) and message.name not in records:
                return False
            held = {field.type_name for field in message.fields if field.kind is Kind.MESSAGE} - seen
            seen |= held
            waiting += held
        return True

    def _message(self, name: str, within: tuple[str, ...]) -> Json:
        message = self._messages[name]
        if self.is_record(message):
            return self.full(name)
        if name in within:
            raise _InexpressibleError
        if message.wrapped:
            return self._field(message.fields[0], (*within, name))
        return ["null", *(self._held(field, (*within, name)) for field in message.fields)]

    def is_record(self, message: Message) -> bool:
        """Whether it is a record of its own."""
        return not message.wrapped and not (self._unions and message.is_union)

    def branch(self, field: Field) -> str:
        """What a union calls the type of a field that has a value."""
        held = self._held(field, ())
        return str(held["type"]) if isinstance(held, dict) else str(held)

    def _field(self, field: Field, within: tuple[str, ...]) -> Json:
        held = self._held(field, within)
        if field.shape in {Shape.MANY, Shape.MAP} or (field.shape is Shape.ONE and not field.oneof):
            return held
        if held == "null":
            return ["null"]
        if isinstance(held, list) and not self._is_union(field):
            raise _InexpressibleError
        return held if isinstance(held, list) else ["null", held]

    def _is_union(self, field: Field) -> bool:
        """Whether it holds one of the user's unions, which has a null already."""
        return self._unions and field.kind is Kind.MESSAGE and self._messages[field.type_name].is_union

    def _held(self, field: Field, within: tuple[str, ...]) -> Json:
        """The type of a value of a field."""
        if field.kind is Kind.MESSAGE:
            inner = self._message(field.type_name, within)
        elif field.fixed_size is not None:
            inner = self.full(self._fixed[field.fixed_size])
        elif field.kind is Kind.ENUM:
            inner = self.full(field.type_name)
        elif self._unions and field.kind is Kind.JSON and field.format == NULL:
            inner = "null"
        else:
            inner = _PLAIN[field.kind]
        match field.shape:
            case Shape.MANY:
                return {"type": "array", "items": inner}
            case Shape.MAP:
                return {"type": "map", "values": inner}
            case _:
                return inner
