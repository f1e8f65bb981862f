"""The schema for the kit, as JSON: what it needs to convert a service's JSON to the types of a library, and back."""

import json

from callbench.adapter.generators.java.names import constants, members
from callbench.model.service.schema import Schema, Shape

FILE = "org/callbench/own/schema.json"


def description(schema: Schema) -> str:
    """The text of the file: the members of the kit's `OwnSchema`. The names of the schema are safe in Java."""
    messages = {}
    for message in schema.messages:
        names = members(message)
        messages[message.name] = {
            "name": message.name,
            "wrapped": message.wrapped,
            "fields": [
                {
                    "json": field.json_name,
                    "member": names[field.name],
                    "number": field.number,
                    "kind": field.kind,
                    "shape": Shape.OPTIONAL if field.oneof else field.shape,
                    "type": field.type_name,
                    "nullable": field.nullable,
                }
                for field in message.fields
            ],
        }
    enumerations = {
        enumeration.name: [
            {"json": name, "number": number, "constant": constant}
            for (name, number), constant in zip(enumeration.values, constants(enumeration), strict=True)
        ]
        for enumeration in schema.enumerations
    }
    return json.dumps({"messages": messages, "enumerations": enumerations})
