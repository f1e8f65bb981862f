"""The class `Calls` of a technology: each call with its types, its check of an answer, and the mark of its request."""

import json
from collections.abc import Iterator, Mapping
from typing import Protocol

from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

INTEGERS = {"int": "{}", "long": "Long.hashCode({})", "float": "Float.hashCode({})", "double": "Double.hashCode({})"}


class Members(Protocol):
    """How the values of a technology's types are read."""

    package: str
    """Of `Calls`. The types are in `types` below it."""
    forms: Mapping[Kind, str]
    """What compares and marks a value of this kind, if not `Same.value`."""

    def get(self, message: Message, field: Field, variable: str) -> str:
        """The expression of a field's value: null, or an empty list, if it has none."""
        ...

    def primitive(self, field: Field) -> str:
        """Java's primitive type of a field that always has one value; otherwise empty."""
        ...


def calls(schema: Schema, members: Members, more: str = "") -> str:
    """The source of the class; `more` is put into it."""
    entries = ",\n".join(f"        {entry}" for entry in _entries(schema, members))
    methods = "\n".join(_methods(message, members) for message in schema.messages)
    return (
        f"// Written by Callbench for the service {json.dumps(schema.name)}: changes are lost.\n"
        f"package {members.package};\n\n"
        "import org.callbench.kit.OwnCall;\n"
        "import org.callbench.kit.Same;\n\n"
        "public final class Calls {\n"
        "  public static final java.util.Map<String, OwnCall> ALL =\n"
        f"      java.util.Map.ofEntries(\n{entries});\n\n"
        f"{more}{methods}}}\n"
    )


def type_of(members: Members, name: str) -> str:
    """The full name of a message's or enumeration's type."""
    return f"{members.package}.types.{name}"


def _entries(schema: Schema, members: Members) -> Iterator[str]:
    for call in schema.calls:
        request, answer = type_of(members, call.request), type_of(members, call.answer)
        yield (
            f"java.util.Map.entry({json.dumps(call.name)}, new OwnCall({request}.class, {answer}.class,\n"
            f"            (right, answer, k) -> right instanceof {answer} one && answer instanceof {answer} other"
            f" && same_{call.answer}(one, other, k),\n"
            f"            request -> Same.maybe(0, ({request}) request, Calls::mark_{call.request})))"
        )


def _methods(message: Message, members: Members) -> str:
    name = type_of(members, message.name)
    same = [f"\n        && {_same(message, field, members)}" for field in message.fields]
    marks = [f"    m = {_mark(message, field, members)};\n" for field in message.fields]
    return (
        f"  public static boolean same_{message.name}({name} a, {name} b, long k) {{\n"
        f"    return true{''.join(same)};\n  }}\n\n"
        f"  public static int mark_{message.name}(int m, {name} a) {{\n{''.join(marks)}    return m;\n  }}\n"
    )


def _same(message: Message, field: Field, members: Members) -> str:
    one, other = (members.get(message, field, variable) for variable in "ab")
    primitive = members.primitive(field)
    if primitive in {"float", "double"}:
        return f"{primitive.capitalize()}.compare({one}, {other}) == 0"
    if primitive:
        return f"{one} == {other}"
    return f"Same.{_shape(field)}({one}, {other}, k, {_form(field, members, 'same')})"


def _mark(message: Message, field: Field, members: Members) -> str:
    value = members.get(message, field, "a")
    primitive = members.primitive(field)
    if primitive == "boolean":
        return f"Same.mark(m, {value} ? 1 : 0)"
    if primitive:
        return f"Same.mark(m, {INTEGERS[primitive].format(value)})"
    return f"Same.{_shape(field)}(m, {value}, {_form(field, members, 'mark')})"


def _shape(field: Field) -> str:
    return {Shape.MANY: "list", Shape.MAP: "map"}.get(field.shape, "maybe")


def _form(field: Field, members: Members, what: str) -> str:
    if field.kind is Kind.MESSAGE:
        return f"Calls::{what}_{field.type_name}"
    return members.forms.get(field.kind, "Same::value")
