"""Payloads as their schema can say them: what is null in some samples and absent in others is absent."""

from callbench.model.service.imported import Json, Pair
from callbench.model.service.schema import Field, Kind, OwnCall, Schema, Shape


def settled(schema: Schema, call: OwnCall, pair: Pair) -> Pair:
    """The pair without nulls that the schema does not know."""
    return Pair(_message(schema, call.request, pair.request), _message(schema, call.answer, pair.answer))


def _message(schema: Schema, name: str, value: Json) -> Json:
    message = schema.message(name)
    if message.wrapped:
        return _field(schema, message.fields[0], value)
    if not isinstance(value, dict):
        return value
    fields = {field.json_name: field for field in message.fields}
    return {
        key: _field(schema, fields[key], inner)
        for key, inner in value.items()
        if inner is not None or fields[key].nullable or fields[key].kind is Kind.JSON
    }


def _field(schema: Schema, field: Field, value: Json) -> Json:
    if field.kind is not Kind.MESSAGE or value is None:
        return value
    if field.shape is Shape.MANY and isinstance(value, list):
        return [_message(schema, field.type_name, item) for item in value]
    if field.shape is Shape.MAP and isinstance(value, dict):
        return {key: _message(schema, field.type_name, item) for key, item in value.items()}
    return _message(schema, field.type_name, value)
