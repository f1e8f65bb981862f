"""JSON and YAML from anywhere: every number, name and alias is taken as hostile."""

import json
import math
import re
from typing import Any

import yaml

from callbench.model.errors import BadInput
from callbench.model.service.imported import Json

DEEPEST = 200
"""Lists and objects within each other. A deeper document is refused before anything walks over it."""
LARGEST = 2_000_000
"""Values of a YAML document after its aliases are expanded."""


def text(name: str, content: bytes) -> str:
    """The text of a document.

    Raises:
        BadInput: it is not UTF-8.
    """
    try:
        return content.decode("utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: byte {error.start} is not UTF-8; save it as UTF-8") from None


def parsed(name: str, content: bytes) -> Json:
    """The value of a document.

    Raises:
        BadInput: it is neither JSON nor YAML, too deep, or YAML's aliases make it too large.
    """
    written = text(name, content)
    if written.lstrip()[:1] in {"{", "["}:
        try:
            return _json(name, written)
        except json.JSONDecodeError as error:
            place = f"{name}, line {error.lineno}, column {error.colno}"
            if name.lower().endswith(".json"):
                raise BadInput(f"{place}: it is not JSON: {error.msg}") from None
    return _yaml(name, written)


def _json(name: str, written: str) -> Json:
    try:
        value: Json = json.loads(written, parse_constant=_refused)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise BadInput(f"{name}: it is nested more than {DEEPEST} deep; flatten it") from None
    except ValueError as error:
        raise BadInput(f"{name}: it is not JSON: {error}") from None
    _measure(name, value)
    return value


def _refused(constant: str) -> float:
    raise ValueError(f"JSON has no {constant}")


class _Loader(yaml.CSafeLoader):
    """YAML 1.2's plain scalars: `no` is a text, and so is a date."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    written = str(loader.construct_scalar(node))
    return int(written, 0) if written[:2] in {"0o", "0x"} else int(written)


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)


def _yaml(name: str, written: str) -> Json:
    try:
        value = yaml.load(written, _Loader)  # noqa: S506 - it is a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}, line {mark.line + 1}, column {mark.column + 1}" if mark else name
        raise BadInput(f"{place}: it is neither JSON nor YAML: {_one_line(error.problem or error.context)}") from None
    except RecursionError:
        raise BadInput(f"{name}: it is nested more than {DEEPEST} deep; flatten it") from None
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise BadInput(f"{name}: it is neither JSON nor YAML: {_one_line(error)}") from None
    _measure(name, value)
    clean: Json = _with_text_keys(name, value)
    return clean


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:200]


def _measure(name: str, value: Any) -> int:  # noqa: ANN401 - it is what nobody has checked yet
    """Checks depth and size.

    A list or an object that an alias repeats is one object in memory. Walking over it takes as long as if it were
    written out, so it is counted as often as it occurs.
    """
    sizes: dict[int, int] = {}
    open_ones: set[int] = set()
    stack: list[tuple[Any, bool]] = [(value, False)]
    while stack:
        one, done = stack.pop()
        if not isinstance(one, dict | list):
            continue
        children = list(one.values()) if isinstance(one, dict) else one
        if done:
            open_ones.discard(id(one))
            size = 1 + sum(sizes.get(id(child), 1) for child in children)
            sizes[id(one)] = min(size, LARGEST + 1)
            continue
        if id(one) in open_ones:
            raise BadInput(f"{name}: an alias stands inside of what it names; write it out or use $ref")
        if id(one) in sizes:
            continue
        open_ones.add(id(one))
        if len(open_ones) > DEEPEST:
            raise BadInput(f"{name}: it is nested more than {DEEPEST} deep; flatten it")
        stack.append((one, True))
        stack.extend((child, False) for child in children if isinstance(child, dict | list))
    size = sizes.get(id(value), 1)
    if size > LARGEST:
        raise BadInput(f"{name}: it has more than {LARGEST:,} values once its aliases are expanded; write less")
    return size


def _with_text_keys(name: str, value: Any) -> Any:  # noqa: ANN401 - it is what nobody has checked yet
    """YAML's keys as JSON has them: `200:` becomes `"200"`. What an alias repeats stays one object."""
    made: dict[int, Any] = {}

    def walked(one: Any) -> Any:  # noqa: ANN401
        if isinstance(one, float) and not math.isfinite(one):
            raise BadInput(f"{name}: JSON has no {one}; use a number")
        if not isinstance(one, dict | list):
            if isinstance(one, str | int | float | None):
                return one
            raise BadInput(f"{name}: {_one_line(one)} has the type {type(one).__name__}, which JSON has not; use text")
        if id(one) not in made:
            if isinstance(one, list):
                made[id(one)] = [walked(child) for child in one]
            else:
                made[id(one)] = {_key(name, key): walked(child) for key, child in one.items()}
        return made[id(one)]

    return walked(value)


def _key(name: str, key: Any) -> str:  # noqa: ANN401
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str | int | float):
        return str(key)
    raise BadInput(f"{name}: the key {_one_line(key)} is no text; use text")
