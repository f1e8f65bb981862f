"""The payload of a call in bytes, independent of its encoding: docs/reference/wire-ledger.md defines it.

boolean and byte are 1, char and short 2, int and float 4, long and double 8. A string counts its UTF-8 bytes, bytes
their length, a list or record the sum of its parts; absent values count 0. Names, lengths and types that a protocol
adds are encoding.
"""

from collections.abc import Callable, Mapping
from typing import Any

from callbench.adapter import own_answers
from callbench.adapter.contract import Arguments
from callbench.adapter.service import generate, literal
from callbench.adapter.service.search import search_response
from callbench.model.cell import Cell, Stack
from callbench.model.request import driver_bytes
from callbench.model.service.imported import Imported

WIDTHS = {"boolean": 1, "byte": 1, "char": 2, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}
# Members of the service's records with the type long: canonical JSON writes them as texts.
_LONGS = frozenset({"created"})
# Members of the service's records with the type long: canonical JSON writes them as texts.
_LONGS = frozenset({"created"})
_DOUBLE_DIGITS, _FLOAT_DIGITS = 18, 10


def payload(call: str, arguments: Arguments, service: Imported | None = None) -> tuple[int, int]:
    """Return the payload of a call's arguments and of its answer in bytes.

    Args:
        call: of the service, or of an imported one.
        arguments: its arguments.
        service: the imported one.

    Raises:
        KeyError: the service has no such call.
    """
    if service is not None and own_answers.has(service, call):
        return own_answers.payload(service, call, arguments)
    return _CALLS[call](arguments)


def payload_of(stack: Stack, cell: Cell, service: Imported | None = None) -> tuple[int, int]:
    """Return the payload of a cell's call and answer in bytes.

    For an external server, it comes from the card's request.

    Raises:
        BadInput: a file that the card names cannot be read.
    """
    own = driver_bytes(stack)
    if own is None:
        return payload(cell.call, cell.arguments, service)
    # If any answer is accepted, the service's own answer is the minimum.
    return own[0], payload(cell.call, cell.arguments)[1] if own[1] is None else own[1]


def _echo(arguments: Arguments) -> tuple[int, int]:
    length = _sent({**arguments, "type": "string"})
    return length, length


def _binary(arguments: Arguments) -> tuple[int, int]:
    size, fill = int(arguments["size"]), str(arguments["fill"])
    return 4 + len(fill), size - size % 4 if fill == "article" else size


def _structure(arguments: Arguments) -> tuple[int, int]:
    size = _form(generate.structure(int(arguments["n"])))
    return size, size


def _sent(arguments: Arguments) -> int:
    """Return the payload of a Send."""
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
    return sum(_form(element) for element in generate.elements(kind, content, items, seed))


def _one(kind: str, value: Any) -> int:  # noqa: ANN401 - JSON
    """Return the payload of a single value."""
    if kind in WIDTHS:
        return WIDTHS[kind]
    return _text(literal.text(value)) if kind == "string" else _form(value)


def _form(value: Any) -> int:  # noqa: ANN401 - a canonical form
    """Return the payload of a record or list. Integers are ints; other types follow from their form."""
    if isinstance(value, Mapping):
        return sum(WIDTHS["long"] if name in _LONGS else _form(member) for name, member in value.items())
    if isinstance(value, list):
        return sum(_form(item) for item in value)
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        return 4
    if isinstance(value, str):
        return _text_or_number(value)
    return 0


def _text_or_number(value: str) -> int:
    """Return the payload of a text, or of a number that canonical JSON writes as text.

    The service's texts never look like numbers.
    """
    if value.startswith("0x") and len(value) in (_DOUBLE_DIGITS, _FLOAT_DIGITS):
        return 8 if len(value) == _DOUBLE_DIGITS else 4
    return _text(value)


def _text(value: str) -> int:
    """Return the UTF-8 length of a text, with three bytes for a lone surrogate."""
    return len(value.encode("utf-8", "surrogatepass"))


_CALLS: Mapping[str, Callable[[Arguments], tuple[int, int]]] = {
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
