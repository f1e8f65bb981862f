"""What the generated code of a service of the user's own is made of: values exchanged, answers checked."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# The right value, one that came, and the number of the client's call: whether it is right, as far as that looks.
Same = Callable[[Any, Any, int], bool]
# A shorter text is compared completely.
_SHORT = 64


@dataclass(frozen=True, slots=True)
class Codec:
    """A message: what `json` gives, as the values of a user, and back.

    Attributes:
        decode: of a message that came.
        encode: for a message that goes.
        held: of what the host says.
        same: the check of an answer.
    """

    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any]
    held: Callable[[Any], Any]
    same: Same


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A call of a service of the user's own."""

    request: Codec
    answer: Codec


def as_is(value: Any) -> Any:  # noqa: ANN401 - any value of the service
    """What JSON has too."""
    return value


def base64(value: bytes) -> str:
    """Bytes in JSON."""
    return b64encode(value).decode()


def equal(right: Any, answer: Any, _k: int) -> bool:  # noqa: ANN401 - any value of the service
    """Of short values, and of any value of JSON, which has no type."""
    return bool(right == answer)


def text(right: str, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
    """A short text completely."""
    if len(right) <= _SHORT:
        return bool(right == answer)
    return isinstance(answer, str) and _ends(right, answer, k)


def octets(right: bytes, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
    """Length, first, last and k-th."""
    return isinstance(answer, bytes) and _ends(right, answer, k)


def _ends(right: str | bytes, answer: str | bytes, k: int) -> bool:
    size = len(right)
    if len(answer) != size:
        return False
    return not size or (right[0] == answer[0] and right[-1] == answer[-1] and right[k % size] == answer[k % size])


def optional(same: Same, right: Any, answer: Any, k: int) -> bool:  # noqa: ANN401 - any value of the service
    """Of a value that may be absent, or null."""
    return answer is None if right is None else answer is not None and same(right, answer, k)


def elements(same: Same, right: list[Any] | None, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
    """The length of a list, and the last and the k-th of its elements; an absent list is empty."""
    size = len(right or ())
    if not right or answer is None:
        return size == len(answer or ())
    if not isinstance(answer, list) or len(answer) != size:
        return False
    return same(right[-1], answer[-1], k) and same(right[k % size], answer[k % size], k)


def entries(same: Same, right: dict[str, Any] | None, answer: Any, k: int) -> bool:  # noqa: ANN401 - whatever came
    """The size of a map, and the values of the first and the last of its keys; an absent map is empty."""
    size = len(right or ())
    if not right or answer is None:
        return size == len(answer or ())
    if not isinstance(answer, dict) or len(answer) != size:
        return False
    first, last = next(iter(right)), next(reversed(right))
    return same(right[first], answer[first], k) and same(right[last], answer[last], k)
