"""The JSON of a service with everything, as protobuf's own package reads it.

Protobuf knows no message that stands for its only field, no enumeration whose values have any name, and no null.
"""

from typing import Any

from everything_service import SCHEMA
from google.protobuf import json_format
from google.protobuf.message import Message

from callbench.model.service.schema import Field, Kind, Shape

_NUMBERS = {one.name: dict(one.values) for one in SCHEMA.enumerations}


def filled(empty: Message, name: str, value: Any) -> Any:
    """A message of the service, from the user's JSON."""
    return json_format.ParseDict(_members(name, value), empty)


def _members(name: str, value: Any) -> dict[str, Any]:
    message = SCHEMA.message(name)
    if message.wrapped:
        value = {message.fields[0].json_name: value}
    given = (field for field in message.fields if field.json_name in value)
    return {
        field.json_name: _field(field, value[field.json_name])
        for field in given
        if value[field.json_name] is not None or field.kind is Kind.JSON
    }


def _field(field: Field, value: Any) -> Any:
    if field.shape is Shape.MANY:
        return [_one(field, it) for it in value]
    return {key: _one(field, it) for key, it in value.items()} if field.shape is Shape.MAP else _one(field, value)


def _one(field: Field, value: Any) -> Any:
    if field.kind is Kind.MESSAGE:
        return _members(field.type_name, value)
    return _NUMBERS[field.type_name][value] if field.kind is Kind.ENUM else value
