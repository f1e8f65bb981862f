"""The right answer to a call."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from callbench.adapter.service import generate, literal
from callbench.adapter.service.canonical import Form, digest_if_large
from callbench.adapter.service.literal import BadArgumentsError, integer, member
from callbench.adapter.service.search import search_response

__all__ = ["BadArgumentsError", "ServiceFault", "expected", "sent"]

_MOST = 1_000_000
_LARGEST = 268_435_456
_MOST_ELEMENTS = 16_777_216

Arguments: TypeAlias = Mapping[str, object]


class ServiceFault(Exception):  # noqa: N818 - the contract's own word, and no error of this program
    """The refusal of the service, which is the right answer to an invalid call."""

    def __init__(self, message: str) -> None:
        """Store the server's message."""
        super().__init__(message)
        self.message = message


def expected(call: str, arguments: Arguments) -> object:
    """Return the canonical value of the right answer, or its digest if it is long.

    Raises:
        ServiceFault: the right answer is a refusal with this message.
        BadArgumentsError: the arguments do not fit the call.
    """
    answer = _ANSWERS.get(call)
    if answer is None:
        raise BadArgumentsError(f"the service has no call {call}")
    return digest_if_large(answer(arguments))


def sent(arguments: Arguments) -> object:
    """Return the canonical value that a Send sends, or its digest if it is long.

    Raises:
        BadArgumentsError: the arguments do not fit Send.
    """
    return digest_if_large(_sent(arguments))


def _nothing(_: Arguments) -> None:
    return None


def _send(arguments: Arguments) -> None:
    _sent(arguments)


def _sum(arguments: Arguments) -> int:
    total = integer(arguments, "a") + integer(arguments, "b")
    return (total + (1 << 31)) % (1 << 32) - (1 << 31)


def _persons(arguments: Arguments) -> Form:
    return generate.persons(_within(arguments, "n", _MOST))


def _items(arguments: Arguments) -> Form:
    return search_response(_within(arguments, "n", _MOST))


def _binary(arguments: Arguments) -> bytes:
    fill = member(arguments, "fill")
    if not isinstance(fill, str):
        raise BadArgumentsError(f"fill is {fill!r}: it must be a string")
    size = _within(arguments, "size", _LARGEST)
    if fill not in generate.FILLS:
        raise ServiceFault(f"fill is {fill[:64]}: it must be article, random, zero or text")
    return generate.binary(size, fill)


def _structure(arguments: Arguments) -> Form:
    n = integer(arguments, "n")
    if not 0 <= n <= _MOST:
        # n itself is never sent, so no server could refuse it.
        raise BadArgumentsError(f"n is {n}: it must be from 0 to {_MOST}")
    return generate.structure(n)


def _echo(arguments: Arguments) -> Form:
    if _is_literal(arguments):
        return literal.text(arguments["value"])
    return generate.string(_content(arguments), _count(arguments), literal.seed(arguments))


def _sent(arguments: Arguments) -> object:
    name = member(arguments, "type")
    kind = name.removesuffix("[]") if isinstance(name, str) else ""
    array = name != kind
    if kind not in generate.TYPES:
        raise BadArgumentsError(
            f"type is {name!r}: it must be one of {', '.join(sorted(generate.TYPES))}, or one with []"
        )
    if _is_literal(arguments):
        return literal.value(kind, array=array, given=arguments["value"])
    content, seed = _content(arguments), literal.seed(arguments)
    if content == "bmp" and name not in ("string", "char[]"):
        raise BadArgumentsError(f"content bmp is for string and char[], not for {name}")
    if name == "string":
        return generate.string(content, _count(arguments), seed)
    if not array:
        return generate.element(kind, content, seed)
    elements = generate.elements(kind, content, _count(arguments), seed)
    return literal.byte_array(elements) if kind == "byte" else elements


def _is_literal(arguments: Arguments) -> bool:
    if ("value" in arguments) == ("content" in arguments):
        raise BadArgumentsError("either value or content must be given, and not both")
    return "value" in arguments


def _content(arguments: Arguments) -> str:
    content = arguments["content"]
    if content not in ("fixed", "random", "bmp"):
        raise BadArgumentsError(f"content is {content!r}: it must be fixed, random or bmp")
    return str(content)


def _count(arguments: Arguments) -> int:
    count = integer(arguments, "count")
    if not 0 <= count <= _MOST_ELEMENTS:
        raise BadArgumentsError(f"count is {count}: it must be from 0 to {_MOST_ELEMENTS}")
    return count


def _within(arguments: Arguments, name: str, most: int) -> int:
    value = integer(arguments, name)
    if not 0 <= value <= most:
        raise ServiceFault(f"{name} is {value}: it must be from 0 to {most}")
    return value


_ANSWERS: dict[str, Callable[[Arguments], object]] = {
    "Empty": _nothing,
    "Send": _send,
    "Sum": _sum,
    "GetPersons": _persons,
    "GetBinaryData": _binary,
    "EchoStructure": _structure,
    "EchoString": _echo,
    "Hello": lambda _: "Hello World",
    "FindItems": _items,
}
