"""The JSON of a service with everything as fastavro's values, and back."""

import json
from base64 import b64decode, b64encode
from typing import Any

from everything_service import SCHEMA

from callbench.catalog.own.avro_protocol import symbols
from callbench.model.service.schema import Field, Kind, Shape

_SYMBOLS = {
    one.name: dict(zip((name for name, _ in one.values), symbols(one), strict=True)) for one in SCHEMA.enumerations
}


def to_avro(name: str, value: Any) -> Any:
    """The user's JSON of a message as a value for Avro."""
    message = SCHEMA.message(name)
    if message.wrapped:
        return _shaped(message.fields[0], value, _one_to)
    return {field.name: _shaped(field, value.get(field.json_name), _one_to) for field in message.fields}


def from_avro(name: str, value: Any) -> Any:
    """The other way round."""
    message = SCHEMA.message(name)
    if message.wrapped:
        return _shaped(message.fields[0], value, _one_from)
    made = {field.json_name: _shaped(field, value[field.name], _one_from) for field in message.fields}
    kept = {field.json_name for field in message.fields if value[field.name] is not None or field.nullable}
    return {key: it for key, it in made.items() if key in kept}


def _shaped(field: Field, value: Any, one: Any) -> Any:
    if field.shape is Shape.MANY:
        return [one(field, it) for it in value]
    if field.shape is Shape.MAP:
        return {key: one(field, it) for key, it in value.items()}
    absent = value is None and (field.shape is Shape.OPTIONAL or field.oneof)
    return None if absent else one(field, value)


def _one_to(field: Field, value: Any) -> Any:
    match field.kind:
        case Kind.MESSAGE:
            return to_avro(field.type_name, value)
        case Kind.ENUM:
            return _SYMBOLS[field.type_name][value]
        case Kind.BYTES:
            return b64decode(value)
        case Kind.JSON:
            return json.dumps(value)
        case _:
            return value


def _one_from(field: Field, value: Any) -> Any:
    match field.kind:
        case Kind.MESSAGE:
            return from_avro(field.type_name, value)
        case Kind.ENUM:
            return next(name for name, symbol in _SYMBOLS[field.type_name].items() if symbol == value)
        case Kind.BYTES:
            return b64encode(value).decode()
        case Kind.JSON:
            return json.loads(value)
        case _:
            return value
