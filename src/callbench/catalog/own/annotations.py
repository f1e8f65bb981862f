"""What `schema.proto` says beyond protobuf, in comments: `// callbench: format=decimal nullable`.

Comments instead of options: so any protobuf compiler takes the file, and generated code needs nothing besides.
"""

import json
import re
from collections.abc import Mapping

from callbench.model.errors import BadInput

PREFIX = "callbench:"
_ITEM = re.compile(r'\s*([a-z]+)(?:=("(?:[^"\\]|\\.)*"|[^\s"]+))?(?=\s|\Z)')
_PLAIN = re.compile(r"[\w.+-]+\Z", re.ASCII)


def written(items: Mapping[str, str | bool]) -> str:
    """The comment with a space before it, or nothing if nothing is to be said."""
    comments = [
        key
        if value is True
        else f"{key}={value if _PLAIN.match(str(value)) else json.dumps(value, ensure_ascii=False)}"
        for key, value in items.items()
        if value is not False
    ]
    return f"  // {PREFIX} {' '.join(comments)}" if comments else ""


def parsed(comments: str, place: str, allowed: Mapping[str, type]) -> dict[str, str | bool]:
    """What the comments of a declaration say: text, or true for a word without a value.

    Args:
        comments: as protobuf's compiler gives them, without slashes.
        place: the file and the line, for errors.
        allowed: the words of this kind of declaration; `str` if one needs a value, otherwise `bool`.

    Raises:
        BadInput: a line that begins with `callbench:` cannot be read.
    """
    items: dict[str, str | bool] = {}
    for line in comments.split("\n"):
        text = line.strip()
        if not text.startswith(PREFIX):
            continue
        text, at = text.removeprefix(PREFIX).rstrip(), 0
        while at < len(text):
            match = _ITEM.match(text, at)
            if match is None or match.group(1) not in allowed:
                raise BadInput(f"{place}: cannot read {text[at:].strip()!r}; a comment may say: {', '.join(allowed)}")
            key, value = match.group(1), match.group(2)
            if (value is None) == (allowed[key] is str):
                raise BadInput(f"{place}: {key} {'needs' if value is None else 'has no'} value")
            items[key] = True if value is None else _text(value, place)
            at = match.end()
    return items


def _text(value: str, place: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        raise BadInput(f"{place}: {value} is no text as JSON writes it") from None
