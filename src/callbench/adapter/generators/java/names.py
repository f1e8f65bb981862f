"""Names that Java takes: of types, of members of classes, and of constants."""

from collections.abc import Mapping
from dataclasses import replace

from callbench.model.service.identifiers import Names, default_json, snake
from callbench.model.service.schema import Enumeration, Field, Message, Schema

KEYWORDS = frozenset(
    [
        "abstract",
        "assert",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "goto",
        "if",
        "implements",
        "import",
        "instanceof",
        "int",
        "interface",
        "long",
        "native",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "short",
        "static",
        "strictfp",
        "super",
        "switch",
        "synchronized",
        "this",
        "throw",
        "throws",
        "transient",
        "true",
        "try",
        "void",
        "volatile",
        "while",
        "_",
        "record",
        "sealed",
        "permits",
        "var",
        "yield",
    ]
)
_PACKAGES = frozenset({"java", "javax", "jakarta", "com", "org", "io"})
"""How full names in generated code begin. A type or a member of such a name would hide the package."""
_NESTED = frozenset({"Builder", "CallbenchOwnProto", "ObjectFactory"})
"""What generators make beside or within the types."""
_INTERFACE = "OrBuilder"
"""The end of the name of an interface that protoc makes for each message."""
FORBIDDEN = KEYWORDS | _PACKAGES


def safe(schema: Schema) -> Schema:
    """The schema with names of types and values that Java takes. No message on a wire has the names of types."""
    taken = Names()
    known = {message.name for message in schema.messages} | {enumeration.name for enumeration in schema.enumerations}
    bad = {name for name in known if name in FORBIDDEN | _NESTED or name.endswith(_INTERFACE)}
    for name in known - bad:
        taken.take(name)
    renamed = {name: taken.take(f"{name}Type") for name in sorted(bad)}
    return replace(
        schema,
        messages=tuple(_message(message, renamed) for message in schema.messages),
        enumerations=tuple(
            replace(enumeration, name=renamed.get(enumeration.name, enumeration.name))
            for enumeration in schema.enumerations
        ),
        calls=tuple(
            replace(call, request=renamed.get(call.request, call.request), answer=renamed.get(call.answer, call.answer))
            for call in schema.calls
        ),
    )


def _message(message: Message, renamed: Mapping[str, str]) -> Message:
    fields = tuple(replace(field, type_name=renamed.get(field.type_name, field.type_name)) for field in message.fields)
    return replace(message, name=renamed.get(message.name, message.name), fields=fields)


def members(message: Message) -> dict[str, str]:
    """The name of each field in a class, by its name in the schema: `unit_price` is `unitPrice`."""
    taken = Names()
    return {field.name: taken.take(_member(field), FORBIDDEN) for field in message.fields}


def _member(field: Field) -> str:
    name = default_json(field.name)
    name = name[:1].lower() + name[1:]
    return name if name[:1].isalpha() else f"field{name}"


def constants(enumeration: Enumeration) -> list[str]:
    """The name of each value as a constant: `deep red` is `DEEP_RED`."""
    taken = Names()
    return [taken.take(snake(name, "value").upper(), FORBIDDEN) for name, _ in enumeration.values]
