"""Avro by fastavro, with the protocol that is derived from the schema. Both sides know it, so it is not sent."""

import io
from typing import Any

import fastavro

from callbench.catalog.encoders.encoder import CannotCarryError
from callbench.catalog.encoders.typed_value import TypedValues, any_text, number, octets
from callbench.catalog.own.avro_protocol import protocol, symbols
from callbench.model.service.imported import Json
from callbench.model.service.schema import Field, Kind, Schema

_END_OF_LONG = 2**63


class Avro:
    """Avro of a service."""

    def __init__(self, schema: Schema) -> None:
        """Derives the types that Avro has, each by the message that calls use."""
        self._symbols = {
            enumeration.name: dict(zip((name for name, _ in enumeration.values), symbols(enumeration), strict=True))
            for enumeration in schema.enumerations
        }
        self._values = TypedValues(schema, self._leaf, key=lambda field: field.name)
        derived: Any = protocol(schema)
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
                return any_text(value)
            case Kind.UINT64 if int(value) >= _END_OF_LONG:
                raise CannotCarryError(f"{value} in {field.name}: Avro has no whole numbers beyond 2^63")
            case _:
                return number(field, value)


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
