"""JSON that a user wrote: strict, bounded, and one sentence with the place for what is wrong.

Two keys of one name, a number that no double holds, half of a surrogate pair: most readers take these, each in another
way, and none says so.
"""

import json
import math
import re
from typing import NoReturn, cast

from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

DEEPEST = 64
"""Levels of objects and lists. Many readers of protobuf refuse more than 100."""
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# A number with so many digits, or with such an exponent, can be beyond what a double holds, or nearer to zero.
_PERHAPS_LOST = re.compile(r"[eE][+-]?0*[1-9]\d\d|\d{300}")
_CONSTANTS = frozenset({"NaN", "Infinity"})
_COLON = re.compile(r"\s*:")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class NotJsonError(BadInput):
    """A text is not JSON by its grammar; it may be something else."""


class _TroubleError(ValueError):
    """Something is wrong whose place has to be looked for."""


def parsed(content: bytes | str, place: str, deepest: int = DEEPEST, *, half_pairs: bool = False) -> Json:
    """A value.

    Args:
        content: in UTF-8, with or without a mark, or in UTF-16 with one.
        place: what it is, for sentences.
        deepest: levels of objects and lists within each other.
        half_pairs: take halves of surrogate pairs; whoever reads the text must then look for them.

    Raises:
        BadInput: it is no JSON, or JSON that cannot be carried; the sentence names the line and the column.
    """
    text = decoded(content, place)
    try:
        value = _loaded(text, half_pairs=half_pairs)
    except json.JSONDecodeError as error:
        raise _not_json(error, place) from None
    except RecursionError:
        raise BadInput(f"{place} cannot be taken: it is nested too deeply; make it flatter") from None
    except (_TroubleError, UnicodeEncodeError):
        raise _located(text, place) from None
    except ValueError:  # Python refuses integers of more than 4,300 digits.
        raise BadInput(f"{place} cannot be taken: a number has thousands of digits; write it as text") from None
    if text.count("[") + text.count("{") > deepest and _is_deeper(value, deepest):
        raise BadInput(f"{place} is nested deeper than {deepest} levels, which most formats refuse: make it flatter")
    return value


def json_or_text(text: str, place: str) -> Json:
    """A value as people give it on a command line: JSON, or else the text itself.

    Raises:
        BadInput: it is JSON that cannot be carried, such as a key twice or `1e400`.
    """
    if text.strip().lstrip("-") in _CONSTANTS:
        return text  # no JSON, although Python's own reader takes it
    try:
        return parsed(text, place)
    except NotJsonError:
        return text


def _loaded(text: str, *, half_pairs: bool) -> Json:
    value = cast(
        "Json",
        json.loads(
            text,
            parse_constant=_constant,
            parse_float=_float if _PERHAPS_LOST.search(text) else None,
            object_pairs_hook=_unique,
        ),
    )
    if "\\u" in text and not half_pairs:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _not_json(error: json.JSONDecodeError, place: str) -> NotJsonError:
    where = f"line {error.lineno}, column {error.colno}"
    return NotJsonError(f"{place} is not JSON ({where}: {error.msg}): correct it there")


def decoded(content: bytes | str, place: str) -> str:
    """The text of a document, without its mark.

    Raises:
        BadInput: it is not UTF-8.
    """
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode(_MARKS.get(content[:2], "utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{place} is not UTF-8 (byte {error.start}): convert it to UTF-8") from None


def _constant(name: str) -> NoReturn:
    raise _TroubleError(name)


def _float(text: str) -> float:
    if not_held(text):
        raise _TroubleError(text)
    return float(text)


def not_held(written: str) -> str:
    """Why no number of 64 bits holds one that is written in tens; empty if one does, perhaps rounded.

    Args:
        written: as JSON writes numbers.
    """
    number = float(written)
    if not math.isfinite(number):
        return "is beyond what a number of 64 bits holds"
    is_lost = number == 0 and re.search("[1-9]", re.split("[eE]", written)[0]) is not None
    return "is nearer to zero than a number of 64 bits can be" if is_lost else ""


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _TroubleError
    return value


def _located(text: str, place: str) -> BadInput:
    """What is wrong first in a text, and where."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        # The trouble came first, and is not the worst.
        return _not_json(error, place)
    except (ValueError, RecursionError):
        return BadInput(f"{place} cannot be taken: it is nested too deeply, or a number has thousands of digits")
    keys: list[set[str] | None] = []
    for token in _TOKEN.finditer(text):
        written = token[0]
        if written in {"{", "["}:
            keys.append(set() if written == "{" else None)
        elif written in {"}", "]"}:
            keys.pop()
        else:
            is_key = bool(keys) and keys[-1] is not None and _COLON.match(text, token.end()) is not None
            why = _why(written, keys[-1] if is_key else None)
            if why:
                line = text.count("\n", 0, token.start()) + 1
                column = token.start() - text.rfind("\n", 0, token.start())
                return BadInput(f"{place} cannot be taken (line {line}, column {column}): {why}")
    return BadInput(f"{place} cannot be taken: it is no JSON that every format can carry; write it as others do")


def _why(token: str, keys: set[str] | None) -> str:
    """What is wrong with a text, a number or a constant.

    Args:
        token: as it is written.
        keys: if it is a key, those before it in the same object; it is added.
    """
    if token.startswith('"'):
        value = str(json.loads(token, strict=False))
        if not _is_text(value):
            return "half of a surrogate pair (\\ud800 to \\udfff) is no text; write the whole pair"
        if keys is not None and value in keys:
            return f"the key {value!r:.60} occurs twice in one object; take one of them out"
        if keys is not None:
            keys.add(value)
        return ""
    if token in {"NaN", "Infinity", "-Infinity"}:
        return f"{token} is no JSON; write a number or null"
    reason = not_held(token) if _PERHAPS_LOST.search(token) and re.search(r"[.eE]", token) else ""
    return reason and f"{token:.40} {reason}; write it as text"


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_deeper(value: Json, levels: int) -> bool:
    """Whether a value has more levels, without recursion."""
    level = [value]
    for _ in range(levels):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return any(isinstance(inner, dict | list) for inner in level)
