"""The bytes of data in a call, whatever writes it down: docs/reference/wire-ledger.md defines them.

boolean and byte 1, char and short 2, int and float 4, long and double 8, a string its UTF-8, octets their length, a
list or a record the sum of what is in it, an absent member and nothing at all 0. What a protocol adds to find its way
in them (names, lengths, types) is encoding.
"""

from collections.abc import Callable, Mapping
from typing import Any

from callbench.adapter.service import generate, literal
from callbench.adapter.service.search import search_response
from callbench.model.cell import Cell, Stack
from callbench.model.request import octets

WIDTHS = {"boolean": 1, "byte": 1, "char": 2, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}
# Members of the service's records that are long: canonical JSON writes them as texts.
_LONGS = frozenset({"created"})
# Members of the service's records that are long: canonical JSON writes them as texts.
_LONGS = frozenset({"created"})
_DOUBLE_DIGITS, _FLOAT_DIGITS = 18, 10


def payload(call: str, arguments: Mapping[str, Any]) -> tuple[int, int]:
    """Count the bytes of data in a call's arguments and in its answer, for a call that is answered.

    Raises:
        KeyError: the service has no such call.
    """
    return _CALLS[call](arguments)


def payload_of(stack: Stack, cell: Cell) -> tuple[int, int]:
    """Count the bytes of data in a cell's call and in its answer: those of the card where a request stands for it.

    Raises:
        BadInput: a file that the card names cannot be read.
    """
    own = octets(stack)
    if own is None:
        return payload(cell.call, cell.arguments)
    # Where any answer is right, the service's own is the least that can be meant.
    return own[0], payload(cell.call, cell.arguments)[1] if own[1] is None else own[1]


def _echo(arguments: Mapping[str, Any]) -> tuple[int, int]:
    length = _sent({**arguments, "type": "string"})
    return length, length


def _binary(arguments: Mapping[str, Any]) -> tuple[int, int]:
    size, fill = int(arguments["size"]), str(arguments["fill"])
    return 4 + len(fill), size - size % 4 if fill == "article" else size


def _structure(arguments: Mapping[str, Any]) -> tuple[int, int]:
    size = _form(generate.structure(int(arguments["n"])))
    return size, size


def _sent(arguments: Mapping[str, Any]) -> int:
    """Count what a Send sends."""
    name = str(arguments["type"])
    kind = name.removesuffix("[]")
    if "value" in arguments:
        values = arguments["value"] if kind != name else [arguments["value"]]
        return sum(_one(kind, value) for value in values)
    content, count, seed = str(arguments["content"]), int(arguments.get("count", 1)), literal.seed(arguments)
    if name == "string":
        return _text(generate.string(content, count, seed))
    items = count if kind != name else 1
    if kind in WIDTHS:
        return WIDTHS[kind] * items
    return sum(_form(one) for one in generate.elements(kind, content, items, seed))


def _one(kind: str, value: Any) -> int:  # noqa: ANN401 - JSON
    """Count a value spelt out."""
    if kind in WIDTHS:
        return WIDTHS[kind]
    return _text(literal.text(value)) if kind == "string" else _form(value)


def _form(value: Any) -> int:  # noqa: ANN401 - a canonical form
    """Count a record or list of the service, in which whole numbers are ints and the rest tells itself by its form."""
    if isinstance(value, Mapping):
        return sum(WIDTHS["long"] if name in _LONGS else _form(one) for name, one in value.items())
    if isinstance(value, list):
        return sum(_form(one) for one in value)
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        return 4
    if isinstance(value, str):
        return _text_or_number(value)
    return 0


def _text_or_number(value: str) -> int:
    """Count a text, or a number that canonical JSON writes as one: none of the service's own texts looks like these."""
    if value.startswith("0x") and len(value) in (_DOUBLE_DIGITS, _FLOAT_DIGITS):
        return 8 if len(value) == _DOUBLE_DIGITS else 4
    return _text(value)


def _text(value: str) -> int:
    """Count the UTF-8 of a text, lone surrogates as three bytes each."""
    return len(value.encode("utf-8", "surrogatepass"))


_CALLS: Mapping[str, Callable[[Mapping[str, Any]], tuple[int, int]]] = {
    "Empty": lambda _: (0, 0),
    "Hello": lambda _: (0, len("Hello World")),
    "Sum": lambda _: (8, 4),
    "Send": lambda arguments: (_sent(arguments), 0),
    "EchoString": _echo,
    "GetPersons": lambda arguments: (4, _form(generate.persons(int(arguments["n"])))),
    "GetBinaryData": _binary,
    "EchoStructure": _structure,
    "FindItems": lambda arguments: (4, _form(search_response(int(arguments["n"])))),
}
