"""Plain values of contract/RUNNER.md, as values of Python and back, and the check of an answer in constant time."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from callbench_python import own
from callbench_python.loop import Look

_Make = Callable[[Any], Any]


def _whole(text: str) -> int:
    return int(text)


def _real(text: str | float) -> float:
    return float(text)


# The types that JSON does not distinguish: calls whose value has another type, and members that are records.
_CALLS: dict[str, _Make] = dict.fromkeys(("SendByteArray", "GetBinaryData"), base64.b64decode)
_CALLS |= dict.fromkeys(("SendLong", "SendLongArray"), _whole)
_CALLS |= dict.fromkeys(("SendFloat", "SendFloatArray", "SendDouble", "SendDoubleArray"), _real)
_LONG_MEMBERS = ("created",)
# A shorter text is compared completely.
_SHORT = 64


def arguments_of(call: str, plain: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call in Python's own types: dicts, lists, str, bytes, numbers, None."""
    if call in own.CALLS:
        return {"request": own.CALLS[call].request.held(plain["request"])}
    make = None if call == "GetBinaryData" else _CALLS.get(call)
    return {name: _value(its, make) for name, its in plain.items()}


def answer_of(call: str, plain: Any) -> Any:  # noqa: ANN401 - any value of the service
    """The answer of a call in Python's own types."""
    if call in own.CALLS:
        return own.CALLS[call].answer.held(plain)
    return _value(plain, _CALLS.get(call))


def _value(plain: Any, make: _Make | None) -> Any:  # noqa: ANN401 - any value of the service
    match plain:
        case None:
            return None
        case list():
            return [_value(each, make) for each in plain]
        case {"utf16": units}:
            octets = b"".join(unit.to_bytes(2, "little") for unit in units)
            return octets.decode("utf-16-le", "surrogatepass")
        case dict():
            return {
                name: _value(its, _whole if name in _LONG_MEMBERS else None)
                for name, its in plain.items()
                if its is not None
            }
    return plain if make is None else make(plain)


def arguments_plain(call: str, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any value of the service
    """The arguments of a call as they cross the line."""
    if call in own.CALLS:
        return {"request": own.CALLS[call].request.encode(arguments["request"])}
    return _plain(arguments)


def answer_plain(call: str, answer: Any) -> Any:  # noqa: ANN401 - any value of the service
    """The answer of a call as it crosses the line."""
    return own.CALLS[call].answer.encode(answer) if call in own.CALLS else _plain(answer)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of the service
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case str() if any("\ud800" <= letter <= "\udfff" for letter in value):
            octets = value.encode("utf-16-le", "surrogatepass")
            return {"utf16": [int.from_bytes(octets[at : at + 2], "little") for at in range(0, len(octets), 2)]}
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {name: _plain(its) for name, its in value.items()}
    return value


def look_of(call: str, right: Any) -> Look | None:  # noqa: ANN401 - any value of the service
    """How the k-th answer of a client is compared with the correct one in constant time; None: completely."""
    return own.look_by(own.CALLS[call].answer.same, right) if call in own.CALLS else _look(right)


def _look(right: Any) -> Look | None:  # noqa: ANN401 - any value of the service
    if isinstance(right, dict):
        looks = {name: (its, _look(its)) for name, its in right.items()}
        return _members(looks) if any(look for _, look in looks.values()) else None
    if isinstance(right, list | bytes) or (isinstance(right, str) and len(right) > _SHORT):
        return _ends(right)
    return None


def _members(right: dict[str, tuple[Any, Look | None]]) -> Look:
    def look(answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
        return (
            isinstance(answer, dict)
            and answer.keys() == right.keys()
            and all(
                answer[name] == its if deep is None else deep(answer[name], k) for name, (its, deep) in right.items()
            )
        )

    return look


def _ends(right: Any) -> Look:  # noqa: ANN401 - a list, bytes or text
    size, kind = len(right), type(right)

    def look(answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
        if not (isinstance(answer, kind) and len(answer) == size):
            return False
        return not size or (answer[0] == right[0] and answer[-1] == right[-1] and answer[k % size] == right[k % size])

    return look


@dataclass(frozen=True, slots=True)
class Values:
    """What a stack makes of plain values: its users' types, and back.

    Attributes:
        arguments: of a call.
        answer: of a call.
        plain: of an answer.
        look: how an answer is compared with the right one.
    """

    arguments: Callable[[str, dict[str, Any]], Any] = arguments_of
    answer: Callable[[str, Any], Any] = answer_of
    plain: Callable[[str, Any], Any] = answer_plain
    look: Callable[[str, Any], Look | None] = look_of
