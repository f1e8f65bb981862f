"""Classes for JSON, as a user of Jackson writes them."""

import json

from callbench.adapter.generators.java.calls import calls
from callbench.adapter.generators.java.classes import PlainMembers, always, java_type, message_class
from callbench.adapter.generators.java.names import constants, members
from callbench.model.service.schema import Enumeration, Field, Kind, Message, Schema, Shape

_PACKAGE = "org.callbench.own.json"
_ANNOTATION = "com.fasterxml.jackson.annotation"
_STARTS = {Kind.STRING: '""', Kind.BYTES: "org.callbench.kit.Same.NO_BYTES", Kind.UINT64: "java.math.BigInteger.ZERO"}


def sources(schema: Schema) -> dict[str, str]:
    """The files, by their paths. The names of the schema are safe in Java."""
    annotations = _Jackson(schema)
    folder = _PACKAGE.replace(".", "/")
    files = {f"{folder}/Calls.java": calls(schema, PlainMembers(_PACKAGE))}
    for message in schema.messages:
        files[f"{folder}/types/{message.name}.java"] = message_class(message, annotations)
    for enumeration in schema.enumerations:
        files[f"{folder}/types/{enumeration.name}.java"] = annotations.of_enumeration(enumeration)
    return files


class _Jackson:
    """Annotations of Jackson. A null of the wire leaves the value that a field starts with."""

    package = _PACKAGE
    any_value = "java.lang.Object"

    def __init__(self, schema: Schema) -> None:
        self._first = {enumeration.name: constants(enumeration)[0] for enumeration in schema.enumerations}

    def of_class(self, _message: Message) -> str:
        return ""

    def of_field(self, message: Message, field: Field) -> str:
        if message.wrapped:
            return f"  @{_ANNOTATION}.JsonValue\n"
        optional = field.shape is Shape.OPTIONAL or field.oneof
        left_out = f"  @{_ANNOTATION}.JsonInclude({_ANNOTATION}.JsonInclude.Include.NON_NULL)\n"
        key = f"  @{_ANNOTATION}.JsonProperty({text(field.json_name)})\n"
        return key + (left_out if optional and not field.nullable else "")

    def of_enumeration(self, enumeration: Enumeration) -> str:
        values = ",\n".join(
            f"  @{_ANNOTATION}.JsonProperty({text(name)})\n  {constant}"
            for (name, _), constant in zip(enumeration.values, constants(enumeration), strict=True)
        )
        return f"package {_PACKAGE}.types;\n\npublic enum {enumeration.name} {{\n{values};\n{_by_name(enumeration)}}}\n"

    def start(self, field: Field) -> str:
        if field.shape is Shape.MANY:
            return "java.util.List.of()"
        if field.shape is Shape.MAP:
            return "java.util.Map.of()"
        if not always(field):
            return ""
        if field.kind is Kind.ENUM:
            return f"{_PACKAGE}.types.{field.type_name}.{self._first[field.type_name]}"
        return _STARTS.get(field.kind, "")

    def more(self, message: Message) -> str:
        """A wrapped message is made of its only value."""
        if not message.wrapped:
            return ""
        field = message.fields[0]
        name = members(message)[field.name]
        return (
            f"  @{_ANNOTATION}.JsonCreator(mode = {_ANNOTATION}.JsonCreator.Mode.DELEGATING)\n"
            f"  public {message.name}({java_type(field, self)} {name}) {{\n    this.{name} = {name};\n  }}\n\n"
        )


def _by_name(enumeration: Enumeration) -> str:
    """What finds a value by its name, and its name, if one is empty: Jackson takes an empty one for none at all."""
    if all(name for name, _ in enumeration.values):
        return ""
    named = [
        (text(name), constant) for (name, _), constant in zip(enumeration.values, constants(enumeration), strict=True)
    ]
    values = "".join(f"      case {name}:\n        return {constant};\n" for name, constant in named)
    names = "".join(f"      case {constant}:\n        return {name};\n" for name, constant in named)
    none = "      default:\n        return null;\n    }\n  }\n"
    return (
        f"\n  @{_ANNOTATION}.JsonCreator\n  public static {enumeration.name} of(java.lang.String name) {{\n"
        f"    switch (name) {{\n{values}{none}"
        f"\n  @{_ANNOTATION}.JsonValue\n  public java.lang.String json() {{\n    switch (this) {{\n{names}{none}"
    )


def text(value: str) -> str:
    """A string as Java writes it: as JSON does, with what is not ASCII escaped in UTF-16."""
    return json.dumps(value)
