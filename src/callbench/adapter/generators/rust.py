"""Rust for an imported service: the types of its messages, and its calls in the form that `engine/own` takes in.

A message is a struct that serde and prost derive their code for, as a person would write it. What the two do not know
by a field's type alone (enumerations, bytes, any JSON value) has a form of `callbench_own::generated`.
"""

import json
import re
from collections.abc import Iterator

from callbench.catalog.own.avro_protocol import by_json_keys
from callbench.model.errors import BadInput
from callbench.model.service.grpc_name import service_name
from callbench.model.service.schema import Encoding, Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

FIRST_TAG = 100
"""The first call's tag in the envelope of Protocol Buffers: `callbench_own::FIRST_TAG`."""

_OURS = "crate::generated"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What cannot even be written as r#name.
_NEVER = frozenset({"_", "self", "super", "crate", "Self"})
_KEYWORDS = frozenset(
    [
        "abstract",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "gen",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "static",
        "struct",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
    ]
)
_TYPES = {
    Kind.BOOL: "bool",
    Kind.INT32: "i32",
    Kind.INT64: "i64",
    Kind.UINT32: "u32",
    Kind.UINT64: "u64",
    Kind.FLOAT: "f32",
    Kind.DOUBLE: "f64",
    Kind.STRING: "::std::string::String",
    Kind.BYTES: "::std::vec::Vec<u8>",
    Kind.ENUM: "i32",
    Kind.JSON: f"{_OURS}::Value",
}
_ON_THE_WIRE = {Kind.BYTES: 'bytes = "vec"', Kind.ENUM: "int32", Kind.JSON: "message"}
_FORMS = {Kind.BYTES: f"{_OURS}::Octets", Kind.JSON: f"{_OURS}::Any"}
_PLAIN = f"{_OURS}::Plain"
_FRACTIONS = {"float", "double"}
_ENCODED = {
    (Kind.INT32, Encoding.ZIGZAG): "sint32",
    (Kind.INT64, Encoding.ZIGZAG): "sint64",
    (Kind.INT32, Encoding.FIXED): "sfixed32",
    (Kind.INT64, Encoding.FIXED): "sfixed64",
    (Kind.UINT32, Encoding.FIXED): "fixed32",
    (Kind.UINT64, Encoding.FIXED): "fixed64",
}


def source(schema: Schema) -> str:
    """The file that `CALLBENCH_OWN` names.

    Raises:
        BadInput: Rust cannot have such a type or name; the sentence names it.
    """
    boxed = _recursive(schema)
    types = [_enumeration(enumeration) for enumeration in schema.enumerations]
    types += [_message(message, boxed) for message in schema.messages]
    body = "\n".join(f"    {line}" if line else "" for line in "\n\n".join(types).splitlines())
    calls = "\n".join(f"    {_call(place, call)}" for place, call in enumerate(schema.calls))
    return (
        f"// Written by Callbench for the service {_text(schema.name)}: changes are lost.\n\n"
        "use crate::service;\n\n"
        "#[allow(dead_code, non_camel_case_types, non_snake_case, clippy::all, clippy::pedantic)]\n"
        f"mod types {{\n{body}\n}}\n\n"
        f"service! {{\n    {_text(service_name(schema))}\n    {_text(json.dumps(by_json_keys(schema)))}\n{calls}\n}}\n"
    )


def _enumeration(enumeration: Enumeration) -> str:
    values = ", ".join(f"{_text(name)} = {number}" for name, number in enumeration.values)
    return f"{_OURS}::enumeration! {{ {_type(enumeration.name)} {_text(enumeration.name)} {{ {values} }} }}"


def _message(message: Message, boxed: frozenset[tuple[str, str]]) -> str:
    name = _type(message.name)
    shared = "transparent" if message.wrapped else f"rename = {_text(message.name)}, default"
    lines = [
        "#[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]",
        f"#[serde({shared})]",
        f'#[prost(prost_path = "{_OURS}::wire")]',
        f"pub struct {name} {{",
    ]
    for field in message.fields:
        in_box = (message.name, field.name) in boxed
        serde = _serde(field, wrapped=message.wrapped)
        lines.append(f"    #[prost({_prost(field, in_box=in_box)})]")
        if serde:
            lines.append(f"    #[serde({serde})]")
        lines.append(f"    pub {_name(field.name)}: {_rust_type(field, in_box=in_box)},")
    lines += ["}", ""]
    names = ", ".join(_name(field.name) for field in message.fields)
    lines.append(f"{_OURS}::record! {{ {name} {{ {names} }} }}")
    return "\n".join(lines)


def _prost(field: Field, *, in_box: bool) -> str:
    """The attribute of prost on a field."""
    kind = _wire(field)
    tag = f'tag = "{field.number}"'
    if field.shape is Shape.MAP:
        value = "bytes" if field.kind is Kind.BYTES else kind
        key = _ENCODED.get((field.key, field.key_encoding), str(field.key))
        return f'btree_map = "{key}, {value}", {tag}'
    rule = ""
    if field.shape is Shape.MANY:
        rule = 'repeated, packed = "false", ' if field.unpacked else "repeated, "
    elif _optional(field):
        rule = "optional, "
    elif kind == "message" or field.explicit:
        rule = "required, "
    elif kind in _FRACTIONS:
        # `wire::encoding::group` knows -0.0 from a number that is left out. No schema here has groups.
        return f"group, required, {tag}"
    return f"{kind}, {rule}{'boxed, ' if in_box else ''}{tag}"


def _wire(field: Field) -> str:
    if field.kind in _ON_THE_WIRE:
        return _ON_THE_WIRE[field.kind]
    return _ENCODED.get((field.kind, field.encoding), str(field.kind))


def _optional(field: Field) -> bool:
    """Whether it may be without a value: one of a oneof is, for at most one of them is set."""
    return field.shape is Shape.OPTIONAL or bool(field.oneof)


def _rust_type(field: Field, *, in_box: bool) -> str:
    value_type = _type(field.type_name) if field.kind is Kind.MESSAGE else _TYPES[field.kind]
    if field.shape is Shape.MANY:
        return f"::std::vec::Vec<{value_type}>"
    if field.shape is Shape.MAP:
        return f"::std::collections::BTreeMap<{_TYPES[field.key]}, {value_type}>"
    if _optional(field):
        return f"::std::option::Option<{'::std::boxed::Box<' + value_type + '>' if in_box else value_type}>"
    return value_type


def _serde(field: Field, *, wrapped: bool) -> str:
    """The attribute of serde on a field."""
    attributes = [] if wrapped else [f"rename = {_text(field.json_name)}"]
    if field.kind is Kind.JSON and field.shape is Shape.ONE and not _optional(field) and not wrapped:
        attributes.append('default = "crate::any::empty"')
    if _optional(field) and not field.nullable:
        attributes.append('skip_serializing_if = "::std::option::Option::is_none"')
    form = f"{_OURS}::Named<{_type(field.type_name)}>" if field.kind is Kind.ENUM else _FORMS.get(field.kind, _PLAIN)
    plain = form == _PLAIN
    if field.shape is Shape.MANY:
        form = f"::std::vec::Vec<{form}>"
    elif field.shape is Shape.MAP:
        key = _PLAIN if field.key is Kind.STRING else f"{_OURS}::DisplayFromStr"
        plain = plain and key == _PLAIN
        form = f"::std::collections::BTreeMap<{key}, {form}>"
    elif _optional(field):
        plain = plain and not field.nullable
        form = f"crate::forms::Nullable<{form}>" if field.nullable else f"::std::option::Option<{form}>"
    if not plain:
        attributes.append(f'with = "{_OURS}::As::<{form}>"')
    return ", ".join(attributes)


def _call(place: int, call: OwnCall) -> str:
    if not _IDENTIFIER.fullmatch(call.name):
        raise BadInput(f"the call {call.name!r} has a name that no language has: use letters, digits and _ alone")
    tag, echoes = FIRST_TAG + place, ", echoes" if call.request == call.answer else ""
    variant = call.name if call.name not in _NEVER and call.name not in _KEYWORDS else f"Call{place}"
    types = f"(types::{_type(call.request)}) -> types::{_type(call.answer)}"
    return f'{_text(call.name)} {variant} "{tag}" {types}{echoes};'


def _recursive(schema: Schema) -> frozenset[tuple[str, str]]:
    """The fields that must be boxed, since their message is held within itself.

    Raises:
        BadInput: a message always holds itself, so that it never ends.
    """
    held = {message.name: tuple(_held(message)) for message in schema.messages}
    found: set[tuple[str, str]] = set()
    for message in schema.messages:
        for field in _held(message):
            if message.name in _reached(field.type_name, held):
                if not _optional(field):
                    raise BadInput(
                        f"the message {message.name} always holds another one of its kind, in {field.name}:"
                        " make the field optional in schema.proto"
                    )
                found.add((message.name, field.name))
    return frozenset(found)


def _held(message: Message) -> Iterator[Field]:
    """The fields whose message lies within this one, not behind a list."""
    return (
        field for field in message.fields if field.kind is Kind.MESSAGE and field.shape in (Shape.ONE, Shape.OPTIONAL)
    )


def _reached(name: str, held: dict[str, tuple[Field, ...]]) -> set[str]:
    seen, waiting = {name}, [name]
    while waiting:
        for field in held.get(waiting.pop(), ()):
            if field.type_name not in seen:
                seen.add(field.type_name)
                waiting.append(field.type_name)
    return seen


def _name(name: str) -> str:
    """A field's name in Rust."""
    if not _IDENTIFIER.fullmatch(name):
        raise BadInput(f"the field {name!r} has a name that no language has: use letters, digits and _ alone")
    if name in _NEVER:
        return f"{name}_"
    return f"r#{name}" if name in _KEYWORDS else name


def _type(name: str) -> str:
    """A message's name in Rust."""
    if not _IDENTIFIER.fullmatch(name):
        raise BadInput(f"the message {name!r} has a name that no language has: use letters, digits and _ alone")
    return f"{name}_" if name in _NEVER or name in _KEYWORDS else name


def _text(text: str) -> str:
    """A literal of Rust."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(character if character.isprintable() else f"\\u{{{ord(character):x}}}" for character in escaped)
        + '"'
    )
