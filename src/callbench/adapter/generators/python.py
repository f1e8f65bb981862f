"""Python for an imported service: dicts and lists as `json` gives them, with bytes decoded.

A message with bytes has two functions for them, as a person would write them by hand. All others are JSON as it is.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from callbench.adapter.generators import compiler, set_up
from callbench.adapter.generators.announced import announced
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

_LANGUAGE = "python"
_ADAPTER = "adapters/python"
_SAME = {Kind.STRING: "text", Kind.BYTES: "octets"}


def built(service: Imported, folder: Path) -> tuple[str, ...]:
    """The command of a runner that has the calls of a service.

    Args:
        service: the service.
        folder: where it is kept; only its schema counts here.

    Raises:
        BadInput: the Python adapter is not set up.
        CallbenchError: the code cannot be kept.
    """
    del folder
    program = set_up.launcher(_ADAPTER, "callbench-python", "python-servers")
    # Classes depend on the version of their compiler.
    also_of = [(set_up.place(_ADAPTER) / "requirements.lock").read_bytes()]
    text = source(service.schema)
    return str(program), str(kept_module(_LANGUAGE, service, "service.py", text, also_of, _compile_messages))


def _compile_messages(folder: Path) -> None:
    """Has the compiler among the adapter's own packages make the classes of the messages.

    Raises:
        CallbenchError: it refuses the file.
    """
    python = set_up.place(_ADAPTER) / "target" / "venv" / "bin" / "python"
    command = [str(python), "-m", "grpc_tools.protoc", "-I.", "--python_out=.", PROTO]
    with announced("Python", "a second"):
        compiler.run(command, "protoc refuses the messages of the service for Python", folder=folder)


def source(schema: Schema) -> str:
    """The module of a service: a dict `CALLS`, and the SCHEMA by which messages are made of JSON."""
    lines = [
        f'"""Written by Callbench for the service {schema.name}: changes are lost."""',
        "",
        "from base64 import b64decode",
        "",
        "from callbench_python.own.forms import Codec, OwnCall, as_is, base64, entries, equal, octets, optional, text",
        "from callbench_python.own.forms import elements",
        "",
    ]
    directions = exchanges(schema, decoded="b64decode", encoded="base64", whole="int", real="float")
    for direction, message in exchanged(schema, directions):
        lines += ["", *_mapping(direction, message), ""]
    for message in schema.messages:
        lines += ["", *_same(message), ""]

    def codec(message: str) -> str:
        parts = [direction.of_message(message, "as_is") for direction in directions]
        return f"Codec({', '.join(parts)}, same_{message})"

    lines += ["", "CALLS = {"]
    lines += [f"    {_text(call.name)}: OwnCall({codec(call.request)}, {codec(call.answer)})," for call in schema.calls]
    return "\n".join([*lines, "}", "", f"SCHEMA = {described(schema)!r}", ""])


def _mapping(direction: ExchangeDirection, message: Message) -> Iterator[str]:
    """A function that makes a message of a message, its values exchanged."""
    yield f"def {direction.name}_{message.name}(value):"
    if message.wrapped:
        yield f"    return None if value is None else {_made(direction, message.fields[0])}"
        return
    yield "    to = dict(value)"
    for field in direction.fields(message):
        key = _text(field.json_name)
        yield f"    if (value := to.get({key})) is not None:"
        yield f"        to[{key}] = {_made(direction, field)}"
    yield "    return to"


def _made(direction: ExchangeDirection, field: Field) -> str:
    """What becomes of `value`."""
    convert = direction.of_field(field)
    if field.shape is Shape.MANY:
        return f"[{convert}(each) for each in value]"
    if field.shape is Shape.MAP:
        return f"{{key: {convert}(each) for key, each in value.items()}}"
    return f"{convert}(value)"


def _same(message: Message) -> Iterator[str]:
    """The check of an answer in constant time: every member, and of what is long some elements."""
    yield f"def same_{message.name}(right, answer, k):"
    if message.wrapped:
        parts = [_compared(message.fields[0], "right", "answer")]
    else:
        parts = ["isinstance(answer, dict)"]
        for field in message.fields:
            parts.append(_compared(field, *(_member(field, side) for side in ("right", "answer"))))
    yield "    return (\n        " + "\n        and ".join(parts) + "\n    )"


def _member(field: Field, side: str) -> str:
    always = field.shape is Shape.ONE and not field.oneof and field.kind is not Kind.JSON
    return f"{side}[{_text(field.json_name)}]" if always else f"{side}.get({_text(field.json_name)})"


def _compared(field: Field, right: str, answer: str) -> str:
    compare = comparison(field, _SAME)
    if field.shape is Shape.MANY:
        return f"elements({compare}, {right}, {answer}, k)"
    if field.shape is Shape.MAP:
        return f"entries({compare}, {right}, {answer}, k)"
    if compare == "equal":
        return f"{right} == {answer}"
    if field.shape is Shape.OPTIONAL or field.oneof:
        return f"optional({compare}, {right}, {answer}, k)"
    return f"{compare}({right}, {answer}, k)"


def _text(text: str) -> str:
    """A literal of Python: JSON's is one too, as it escapes all that is not ASCII."""
    return repr(text) if any(letter > "\uffff" for letter in text) else json.dumps(text)
