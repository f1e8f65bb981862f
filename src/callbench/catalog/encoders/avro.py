"""Avro by fastavro, with the protocol that is derived from the schema. Both sides know it, so it is not sent."""

import io
from collections.abc import Callable
from typing import Any

import fastavro

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, any_text, is_optional, number, octets
from callbench.catalog.own.avro_protocol import AvroTypes, by_unions, symbols
from callbench.model.service.imported import Json
from callbench.model.service.schema import NULL, Field, Kind, Schema

_END_OF_LONG = 2**63


class Avro:
    """Avro of a service."""

    def __init__(self, schema: Schema) -> None:
        """Derives the types that Avro has, each by the message that calls use."""
        self._symbols = {
            enumeration.name: dict(zip((name for name, _ in enumeration.values), symbols(enumeration), strict=True))
            for enumeration in schema.enumerations
        }
        types = AvroTypes(schema, unions=True)
        self._values = _Values(schema, self._leaf, types)
        derived: Any = by_unions(schema, types)
        self._types = {declared["name"]: declared for declared in derived["types"]}
        self._schemas: dict[str, object] = {}
        for call in schema.calls:
            if call.name in derived["messages"]:
                types = derived["messages"][call.name]
                self._schemas[call.request] = types["request"][0]["type"]
                self._schemas[call.answer] = types["response"]
        self._parsed: dict[str, object] = {}

    def encode(self, message: str, value: Json) -> bytes:
        """As in `Encoder`."""
        if message not in self._schemas:
            raise CannotCarryError("Avro has no name for a list in a list of its own kind")
        target = io.BytesIO()
        try:
            fastavro.schemaless_writer(target, self._schema(message), self._values.message(message, value))
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise CannotCarryError(str(error)) from None
        return target.getvalue()

    def _schema(self, message: str) -> Any:  # noqa: ANN401 - as fastavro holds it
        if message not in self._parsed:
            self._parsed[message] = fastavro.parse_schema(_Whole(self._types).of(self._schemas[message]))
        return self._parsed[message]

    def _leaf(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - what fastavro takes
        match field.kind:
            case Kind.ENUM:
                return self._symbols[field.type_name][value]
            case Kind.BYTES:
                return octets(value)
            case Kind.JSON:
                return None if field.format == NULL else any_text(value)
            case Kind.UINT64 if int(value) >= _END_OF_LONG:
                raise CannotCarryError(f"{value} in {field.name}: Avro has no whole numbers beyond 2^63")
            case _:
                return number(field, value)


class _Values(TypedValues):
    """Values with the branch of each union that they are in, so that fastavro does not guess it."""

    def __init__(self, schema: Schema, leaf: Callable[[Field, Any], Any], types: AvroTypes) -> None:
        super().__init__(schema, leaf, key=lambda field: field.name)
        self._types = types

    def message(self, name: str, value: Json) -> Any:  # noqa: ANN401 - as fastavro takes it
        made = super().message(name, value)
        if self._messages[name].is_union:
            # Each field of a union has its branch already, and at most one has a value.
            return next((branch for branch in made.values() if branch is not None), None)
        return made

    def _field(self, field: Field, value: Any) -> Any:  # noqa: ANN401 - as fastavro takes it
        made = super()._field(field, value)
        if made is None or not is_optional(field) or isinstance(made, tuple):
            return made
        return (self._types.branch(field), made)


class _Whole:
    """A schema with each type written out where it occurs first, which a file of its own has to be."""

    def __init__(self, types: dict[str, object]) -> None:
        self._types = types
        self._written: set[str] = set()

    def of(self, node: Any) -> Any:  # noqa: ANN401 - as Avro's JSON is
        match node:
            case str() if node in self._types and node not in self._written:
                self._written.add(node)
                return self.of(self._types[node])
            case dict():
                return {key: part if key in {"name", "symbols"} else self.of(part) for key, part in node.items()}
            case list():
                return [self.of(part) for part in node]
            case _:
                return node
