"""JSON and YAML from anywhere: every number, name and alias is taken as hostile."""

from typing import Any

from callbench.catalog import user_json
from callbench.catalog.imports import yaml_text
from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

DEEPEST = 200
"""Lists and objects within each other. A deeper document is refused before anything walks over it."""
_JSON_ALONE = (".avsc", ".avpr")
"""Endings of files that are never YAML."""
LARGEST = 2_000_000
"""Values of a YAML document after its aliases are expanded."""


def text(name: str, content: bytes) -> str:
    """The text of a document.

    Raises:
        BadInput: it is not UTF-8.
    """
    return user_json.decoded(content, name)


def parsed(name: str, content: bytes) -> Json:
    """The value of a document.

    Raises:
        BadInput: it is neither JSON nor YAML, too deep, has a key twice, or YAML's aliases make it too large.
    """
    written = text(name, content)
    if written.lstrip()[:1] in {"{", "["} or name.lower().endswith(_JSON_ALONE):
        try:
            return user_json.parsed(written, name, DEEPEST)
        except user_json.NotJsonError:
            if name.lower().endswith((".json", *_JSON_ALONE)):
                raise
    return _yaml(name, written)


def _yaml(name: str, written: str) -> Json:
    try:
        value = yaml_text.parsed(name, written)
    except RecursionError:
        raise BadInput(f"{name}: it is nested more than {DEEPEST} deep; flatten it") from None
    _measure(name, value)
    clean: Json = _checked(name, value)
    return clean


def _measure(name: str, value: Any) -> int:  # noqa: ANN401 - it is what nobody has checked yet
    """Checks depth and size.

    A list or an object that an alias repeats is inner object in memory. Walking over it takes as long as if it were
    written out, so it is counted as often as it occurs.
    """
    sizes: dict[int, int] = {}
    within: set[int] = set()
    stack: list[tuple[Any, bool]] = [(value, False)]
    while stack:
        inner, done = stack.pop()
        if not isinstance(inner, dict | list):
            continue
        children = list(inner.values()) if isinstance(inner, dict) else inner
        if done:
            within.discard(id(inner))
            size = 1 + sum(sizes.get(id(child), 1) for child in children)
            sizes[id(inner)] = min(size, LARGEST + 1)
            continue
        if id(inner) in within:
            raise BadInput(f"{name}: an alias stands inside of what it names; write it out or use $ref")
        if id(inner) in sizes:
            continue
        within.add(id(inner))
        if len(within) > DEEPEST:
            raise BadInput(f"{name}: it is nested more than {DEEPEST} deep; flatten it")
        stack.append((inner, True))
        stack.extend((child, False) for child in children if isinstance(child, dict | list))
    size = sizes.get(id(value), 1)
    if size > LARGEST:
        raise BadInput(f"{name}: it has more than {LARGEST:,} values once its aliases are expanded; write less")
    return size


def _checked(name: str, value: Any) -> Any:  # noqa: ANN401 - it is what nobody has checked yet
    """The value, if JSON has all that is in it: YAML's tags can make dates and sets."""
    seen: set[int] = set()
    waiting = [("#", value)]
    while waiting:
        place, inner = waiting.pop()
        if isinstance(inner, dict | list):
            if id(inner) not in seen:
                seen.add(id(inner))
                steps = inner.items() if isinstance(inner, dict) else enumerate(inner)
                waiting += [(f"{place}/{step}", below) for step, below in steps]
        elif not isinstance(inner, str | int | float | None):
            what = f"{yaml_text.one_line(inner)} has the type {type(inner).__name__}"
            raise BadInput(f"{name}{place}: {what}, which JSON has not; use text")
    return value
