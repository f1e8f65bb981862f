"""JavaScript for an imported service: plain objects as JSON.parse gives them, with bytes as a Buffer.

A message with bytes has two functions for them, as a person would write them by hand. All others are JSON as it is.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from callbench.adapter.generators import set_up
from callbench.adapter.generators.described import described
from callbench.adapter.generators.plain_objects import (
    PROTO,
    ExchangeDirection,
    comparison,
    exchanged,
    exchanges,
    kept_module,
)
from callbench.model.service.imported import Imported
from callbench.model.service.schema import Field, Kind, Message, Schema, Shape

_LANGUAGE = "node"
_ADAPTER = "adapters/node"
_FORMS = "own/forms.mjs"
_SAME = {Kind.STRING: "text", Kind.BYTES: "bytes", Kind.JSON: "whatever"}


def built(service: Imported, folder: Path) -> tuple[str, ...]:
    """The command of a runner that has the calls of a service.

    Args:
        service: the service.
        folder: where it is kept; only its schema counts here.

    Raises:
        BadInput: Node.js is not set up.
        CallbenchError: the code cannot be kept.
    """
    del folder
    program = set_up.launcher(_ADAPTER, "callbench-node", "node")
    return str(program), str(kept_module(_LANGUAGE, service, "service.mjs", source(service.schema)))


def source(schema: Schema) -> str:
    """The module of a service: a map `calls`, and what gRPC needs besides its .proto."""
    forms = (set_up.place(_ADAPTER) / _FORMS).as_uri()
    names = "asIs, base64, bytes, equal, list, map, members, octets, optional, real, text, whatever, whole"
    lines = [
        f"// Written by Callbench for the service {schema.name}: changes are lost.",
        "import { fileURLToPath } from 'node:url';",
        f"import {{ {names} }} from {_text(forms)};",
        "",
    ]
    directions = exchanges(schema, decoded="octets", encoded="base64", whole="whole", real="real")
    for direction, message in exchanged(schema, directions):
        lines += [*_mapping(direction, message), ""]
    for message in schema.messages:
        lines += [*_same(message), ""]

    def codec(message: str) -> str:
        parts = [f"{direction.name}: {direction.of_message(message, 'asIs')}" for direction in directions]
        return f"{{ {', '.join(parts)}, same: same_{message} }}"

    lines.append("export const calls = new Map([")
    lines += [
        f"  [{_text(call.name)}, {{ request: {codec(call.request)}, answer: {codec(call.answer)} }}],"
        for call in schema.calls
    ]
    proto = f"fileURLToPath(new URL({_text(PROTO)}, import.meta.url))"
    lines += ["]);", "", f"export const grpc = {{ proto: {proto}, schema: {json.dumps(described(schema))} }};", ""]
    return "\n".join(lines)


def _mapping(direction: ExchangeDirection, message: Message) -> Iterator[str]:
    """A function that makes a message of a message, its values exchanged."""
    yield f"function {direction.name}_{message.name}(from) {{"
    if message.wrapped:
        yield f"  return from == null ? from : {_made(direction, message.fields[0], 'from')};"
    else:
        yield "  const to = { ...from };"
        for field in direction.fields(message):
            value = f"from[{_text(field.json_name)}]"
            yield f"  if ({value} != null) to[{_text(field.json_name)}] = {_made(direction, field, value)};"
        yield "  return to;"
    yield "}"


def _made(direction: ExchangeDirection, field: Field, value: str) -> str:
    convert = direction.of_field(field)
    if field.shape is Shape.MANY:
        return f"{value}.map((each) => {convert}(each))"
    return f"members({value}, {convert})" if field.shape is Shape.MAP else f"{convert}({value})"


def _same(message: Message) -> Iterator[str]:
    """The check of an answer in constant time: every member, and of what is long some elements."""
    yield f"function same_{message.name}(right, answer, turn) {{"
    if message.wrapped:
        parts = [_compared(message.fields[0], "right", "answer")]
    else:
        parts = ["typeof answer === 'object' && answer !== null"]
        for field in message.fields:
            key = _text(field.json_name)
            parts.append(_compared(field, f"right[{key}]", f"answer[{key}]"))
    yield "  return " + " &&\n    ".join(parts) + ";"
    yield "}"


def _compared(field: Field, right: str, answer: str) -> str:
    compare = comparison(field, _SAME)
    if field.shape is Shape.MANY:
        return f"list({compare}, {right}, {answer}, turn)"
    if field.shape is Shape.MAP:
        return f"map({compare}, {right}, {answer}, turn)"
    if field.shape is Shape.OPTIONAL or field.oneof:
        return f"optional({compare}, {right}, {answer}, turn)"
    return f"{right} === {answer}" if compare == "equal" else f"{compare}({right}, {answer}, turn)"


def _text(text: str) -> str:
    return json.dumps(text)
