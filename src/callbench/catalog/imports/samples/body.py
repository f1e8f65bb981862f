"""JSON as others wrote it: strict, bounded, and one sentence for what is wrong."""

import json
from typing import NoReturn, cast

from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

LARGEST = 64 * 2**20
"""Bytes of a body."""
DEEPEST = 64
"""Levels of objects and lists. Many readers of protobuf refuse more than 100."""


def parsed(text: bytes | str, place: str) -> Json:
    """A body.

    Raises:
        BadInput: it is no JSON, or JSON that no other format can carry; the sentence names the place.
    """
    if len(text) > LARGEST:
        raise BadInput(f"{place} is larger than {LARGEST // 2**20} MiB; a body may not be")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(f"{place} is not UTF-8 (byte {error.start}): convert it to UTF-8") from None
    try:
        value = cast("Json", json.loads(text, parse_constant=_constant, object_pairs_hook=_unique))
    except json.JSONDecodeError as error:
        raise BadInput(f"{place} is not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadInput(f"{place} cannot be taken: {why}") from None
    if text.count("[") + text.count("{") > DEEPEST and _deeper(value, DEEPEST):
        raise BadInput(f"{place} is nested deeper than {DEEPEST} levels, which most formats refuse: make it flatter")
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise BadInput(f"{place} has half of a surrogate pair (\\ud800 to \\udfff), which is no text") from None
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} occurs twice in an object")
            seen.add(key)
    return value


def _deeper(value: Json, levels: int) -> bool:
    """Whether a value has more levels, without recursion."""
    level = [value]
    for _ in range(levels):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return any(isinstance(one, dict | list) for one in level)
