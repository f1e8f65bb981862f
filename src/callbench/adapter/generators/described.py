"""A schema as plain values, for a runner that makes messages of JSON at run time. Nothing that is timed uses it."""

from callbench.model.service.grpc_name import service_name
from callbench.model.service.schema import Field, Schema


def described(schema: Schema) -> dict[str, object]:
    """What the messages of its .proto do not say about JSON, and the types of its calls."""
    return {
        "service": service_name(schema),
        "calls": {call.name: [call.request, call.answer] for call in schema.calls},
        "messages": {
            message.name: {"wrapped": message.wrapped, "fields": [_field(field) for field in message.fields]}
            for message in schema.messages
        },
        "enumerations": {
            enumeration.name: [list(value) for value in enumeration.values] for enumeration in schema.enumerations
        },
    }


def _field(field: Field) -> dict[str, str | bool]:
    return {
        "key": field.json_name,
        "name": field.name,
        "kind": str(field.kind),
        "type": field.type_name,
        "shape": str(field.shape),
        "oneof": field.oneof,
        "nullable": field.nullable,
        "of": str(field.key),
    }
