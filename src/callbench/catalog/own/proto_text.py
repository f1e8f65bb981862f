"""A schema as the text of `schema.proto`, in proto3. The calls are in `service.toml`.

Stubs for gRPC need the calls in the file too, as a service: `grpc_text` writes both.
"""

import json
from collections.abc import Iterator

from callbench.catalog.own import annotations
from callbench.catalog.own.check import check
from callbench.model.service.grpc_name import bare_service_name, package
from callbench.model.service.identifiers import IDENTIFIER, default_json, snake
from callbench.model.service.schema import Encoding, Enumeration, Field, Kind, Message, Schema, Shape

_INTEGERS = {
    Encoding.ZIGZAG: {Kind.INT32: "sint32", Kind.INT64: "sint64"},
    Encoding.FIXED: {Kind.INT32: "sfixed32", Kind.INT64: "sfixed64", Kind.UINT32: "fixed32", Kind.UINT64: "fixed64"},
}
# Relative names would be looked for in the message first, where a field can have the same name.
_JSON = ".google.protobuf.Value"


def proto_text(schema: Schema) -> str:
    """The text of the file.

    Raises:
        BadInput: the schema breaks a rule of `check`.
    """
    check(schema)
    lines = ['syntax = "proto3";', "", f"package {package(schema)};", ""]
    if any(field.kind is Kind.JSON for _, field in schema.fields()):
        lines += ['import "google/protobuf/struct.proto";', ""]
    taken = {message.name for message in schema.messages} | {enumeration.name for enumeration in schema.enumerations}
    for message in schema.messages:
        lines += [*_message(message, package(schema)), ""]
    for enumeration in schema.enumerations:
        lines += [*_enumeration(enumeration, taken), ""]
    return "\n".join(lines[:-1]) + "\n"


def grpc_text(schema: Schema) -> str:
    """The text of `schema.proto` with the calls behind it, as the methods of one service: what stubs are made of.

    Raises:
        BadInput: the schema breaks a rule of `check`.
    """
    scope = f".{package(schema)}"
    lines = ["", f"service {bare_service_name(schema)} {{"]
    lines += [f"  rpc {call.name}({scope}.{call.request}) returns ({scope}.{call.answer});" for call in schema.calls]
    return proto_text(schema) + "\n".join([*lines, "}"]) + "\n"


def _message(message: Message, scope: str) -> Iterator[str]:
    yield f"message {message.name} {{{annotations.written({'wrapped': message.wrapped})}"
    group = ""
    for field in message.fields:
        if group and field.oneof != group:
            yield "  }"
        if field.oneof and field.oneof != group:
            yield f"  oneof {field.oneof} {{"
        group = field.oneof
        yield ("    " if group else "  ") + _field(field, scope)
    if group:
        yield "  }"
    yield "}"


def _field(field: Field, scope: str) -> str:
    held_apart = field.kind in {Kind.MESSAGE, Kind.JSON}
    of = _type(field, scope)
    match field.shape:
        case Shape.MANY:
            of = f"repeated {of}"
        case Shape.MAP:
            of = f"map<{_INTEGERS.get(field.key_encoding, {}).get(field.key, str(field.key))}, {of}>"
        case Shape.OPTIONAL if not held_apart:
            of = f"optional {of}"
        case Shape.ONE if field.explicit:
            of = f"optional {of}"
        case _:
            pass
    members: dict[str, str | bool] = {}
    written = json_key(field)
    if written != field.json_name:
        members["json"] = field.json_name
    options = [f"json_name = {_quoted(written)}"] if written != default_json(field.name) else []
    if field.unpacked:
        options.append("packed = false")
    if field.format:
        members["format"] = field.format
    if field.key_format:
        members["keys"] = field.key_format
    members["required"] = (held_apart or field.explicit) and field.shape is Shape.ONE and not field.oneof
    members["nullable"] = field.nullable
    listed = f" [{', '.join(options)}]" if options else ""
    return f"{of} {field.name} = {field.number}{listed};{annotations.written(members)}"


def _type(field: Field, scope: str) -> str:
    if field.kind is Kind.JSON:
        return _JSON
    if field.type_name and field.kind in {Kind.MESSAGE, Kind.ENUM}:
        return field.type_name if field.type_name != field.name else f".{scope}.{field.type_name}"
    return _INTEGERS.get(field.encoding, {}).get(field.kind, str(field.kind))


def json_key(field: Field) -> str:
    """The key of a field in protobuf's own JSON: the user's, or another one where protobuf does not take that."""
    return field.json_name if _acceptable(field.json_name) else f"_key_{field.number}"


def _acceptable(json_name: str) -> bool:
    """Whether protobuf takes it as a JSON name."""
    bracketed = json_name.startswith("[") and json_name.endswith("]")
    return json_name != "" and "\0" not in json_name and not bracketed


def _quoted(text: str) -> str:
    """A text as protobuf writes it."""
    plain = "".join(
        letter if letter.isprintable() and letter not in '"\\' else "".join(f"\\{byte:03o}" for byte in letter.encode())
        for letter in text
    )
    return f'"{plain}"'


def _enumeration(enumeration: Enumeration, taken: set[str]) -> Iterator[str]:
    yield f"enum {enumeration.name} {{"
    numbers = [number for _, number in enumeration.values]
    if len(set(numbers)) < len(numbers):
        yield "  option allow_alias = true;"
    seen: dict[str, int] = {}
    for name, number in enumeration.values:
        identifier = _value_name(enumeration.name, name, number, taken, seen)
        members: dict[str, str | bool] = {} if identifier == name else {"json": name}
        members["added"] = enumeration.added and name == enumeration.values[0][0]
        yield f"  {identifier} = {number};{annotations.written(members)}"
    yield "}"


def _value_name(enumeration: str, name: str, number: int, taken: set[str], seen: dict[str, int]) -> str:
    """The name of a value in `schema.proto`: as it is, or after its enumeration.

    All values of all enumerations and all types have one scope. Values of one enumeration must differ in more than
    case, underscores and the enumeration's name before them.
    """
    made = f"{snake(enumeration)}_{snake(name, 'value')}".upper()
    longer = f"{made}_{number}".replace("-", "MINUS_")
    candidates = [name] if IDENTIFIER.match(name) else []
    candidates += [made, longer, *(f"{longer}_V{again}" for again in range(2, len(seen) + len(taken) + 3))]
    for candidate in candidates:
        if candidate in taken or any(key in seen for key in _alike(enumeration, candidate)):
            continue
        taken.add(candidate)
        seen.update(dict.fromkeys(_alike(enumeration, candidate), number))
        return candidate
    raise AssertionError(json.dumps(name))  # there are more candidates than names


def _alike(enumeration: str, value: str) -> set[str]:
    """What must be unique in an enumeration."""
    bare = value.replace("_", "").lower()
    return {bare, bare.removeprefix(enumeration.replace("_", "").lower())}
