"""Plain values of contract/RUNNER.md, as values of Python and back, and the check of an answer in constant time."""

import base64
from collections.abc import Callable
from typing import Any

from callbench_python.loop import Look

_Make = Callable[[Any], Any]


def _whole(text: str) -> int:
    return int(text)


def _real(text: str | float) -> float:
    return float(text)


# What JSON does not tell by itself: the calls whose one value is of another type, and the members of records that are.
_CALLS: dict[str, _Make] = dict.fromkeys(("SendByteArray", "GetBinaryData"), base64.b64decode)
_CALLS |= dict.fromkeys(("SendLong", "SendLongArray"), _whole)
_CALLS |= dict.fromkeys(("SendFloat", "SendFloatArray", "SendDouble", "SendDoubleArray"), _real)
_LONG_MEMBERS = ("created",)
# A longer text is looked into, a shorter one compared whole.
_SHORT = 64


def arguments_of(call: str, plain: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call in Python's own types: dicts, lists, str, bytes, numbers, None."""
    make = None if call == "GetBinaryData" else _CALLS.get(call)
    return {name: _value(its, make) for name, its in plain.items()}


def answer_of(call: str, plain: Any) -> Any:  # noqa: ANN401 - any value of the service
    """The answer of a call in Python's own types."""
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


def plain_of(value: Any) -> Any:  # noqa: ANN401 - any value of the service
    """A value as it crosses the line."""
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case str() if any("\ud800" <= letter <= "\udfff" for letter in value):
            octets = value.encode("utf-16-le", "surrogatepass")
            return {"utf16": [int.from_bytes(octets[at : at + 2], "little") for at in range(0, len(octets), 2)]}
        case list():
            return [plain_of(each) for each in value]
        case dict():
            return {name: plain_of(its) for name, its in value.items()}
    return value


def look_of(right: Any) -> Look | None:  # noqa: ANN401 - any value of the service
    """How the k-th answer of a client is compared with the right one in constant time; None: as a whole."""
    if isinstance(right, dict):
        looks = {name: (its, look_of(its)) for name, its in right.items()}
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
