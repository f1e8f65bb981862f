"""Plain classes for the messages: public fields, as JSON by Jackson and SOAP by JAXB have them."""

from collections.abc import Mapping
from typing import Protocol

from callbench.adapter.generators.java.names import members
from callbench.model.service.schema import Field, Kind, Message, Shape

_PRIMITIVES = {
    Kind.BOOL: "boolean",
    Kind.INT32: "int",
    Kind.INT64: "long",
    Kind.UINT32: "long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
}
_BOXES = {
    "boolean": "java.lang.Boolean",
    "int": "java.lang.Integer",
    "long": "java.lang.Long",
    "float": "java.lang.Float",
    "double": "java.lang.Double",
}
_OBJECTS = {Kind.UINT64: "java.math.BigInteger", Kind.STRING: "java.lang.String", Kind.BYTES: "byte[]"}


class Annotations(Protocol):
    """The annotations of a library on the classes."""

    package: str
    any_value: str
    """The type of any JSON value."""

    def of_class(self, message: Message, /) -> str:
        """Lines before a class."""
        ...

    def of_field(self, message: Message, field: Field, /) -> str:
        """Lines before a field."""
        ...

    def start(self, field: Field) -> str:
        """The value of a field before anything is read; empty for Java's own."""
        ...

    def more(self, message: Message, /) -> str:
        """What else is in a class."""
        ...


class PlainMembers:
    """How `Calls` reads such classes."""

    forms: Mapping[Kind, str] = {Kind.STRING: "Same::text", Kind.BYTES: "Same::bytes"}

    def __init__(self, package: str) -> None:
        """`package` is that of `Calls`."""
        self.package = package

    def get(self, message: Message, field: Field, variable: str) -> str:
        """The field itself."""
        return f"{variable}.{members(message)[field.name]}"

    def primitive(self, field: Field) -> str:
        """Of what is always there."""
        return _PRIMITIVES.get(field.kind, "") if always(field) else ""


def always(field: Field) -> bool:
    """Whether the field always has one value."""
    return field.shape is Shape.ONE and not field.oneof


def message_class(message: Message, annotations: Annotations) -> str:
    """The source of the class of a message."""
    names = members(message)
    fields = []
    for field in message.fields:
        start = annotations.start(field)
        value = f" = {start}" if start else ""
        fields.append(
            f"{annotations.of_field(message, field)}  public {java_type(field, annotations)}"
            f" {names[field.name]}{value};\n\n"
        )
    equal = [f"\n        && {_equal(field, names[field.name])}" for field in message.fields]
    other = " it" if message.fields else ""
    return (
        f"package {annotations.package}.types;\n\n"
        f"{annotations.of_class(message)}public class {message.name} {{\n{''.join(fields)}"
        f"{annotations.more(message)}"
        "  @java.lang.Override\n  public boolean equals(java.lang.Object other) {\n"
        f"    return other instanceof {message.name}{other}{''.join(equal)};\n  }}\n\n"
        "  @java.lang.Override\n  public int hashCode() {\n"
        f"    return {annotations.package}.Calls.mark_{message.name}(0, this);\n  }}\n}}\n"
    )


def java_type(field: Field, annotations: Annotations) -> str:
    """The type of a field."""
    primitive = _PRIMITIVES.get(field.kind)
    if primitive and always(field):
        return primitive
    boxed = _BOXES[primitive] if primitive else _one(field, annotations)
    if field.shape is Shape.MANY:
        return f"java.util.List<{boxed}>"
    return f"java.util.Map<java.lang.String, {boxed}>" if field.shape is Shape.MAP else boxed


def _one(field: Field, annotations: Annotations) -> str:
    if field.kind in {Kind.MESSAGE, Kind.ENUM}:
        return f"{annotations.package}.types.{field.type_name}"
    return annotations.any_value if field.kind is Kind.JSON else _OBJECTS[field.kind]


def _equal(field: Field, name: str) -> str:
    if always(field) and field.kind in _PRIMITIVES:
        primitive = _PRIMITIVES[field.kind]
        if primitive in {"float", "double"}:
            return f"{_BOXES[primitive]}.compare(this.{name}, it.{name}) == 0"
        return f"this.{name} == it.{name}"
    return f"org.callbench.kit.Same.whole(this.{name}, it.{name})"
