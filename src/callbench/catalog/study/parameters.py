"""Fill in the placeholders of a study: parameters of the command line, lists, and variables of for_each."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from callbench.model.errors import BadInput
from callbench.model.suggestions import allowed_names

Value = int | float | str | bool
Filling = Value | list[Any]
MOST_WRITTEN = 10_000
_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)(:,)?\}")


def settle(defaults: Mapping[str, Value], settings: Mapping[str, Value], where: str) -> dict[str, Value]:
    """Return the parameters with the given settings, each with the type of its default.

    Args:
        defaults: the file's parameters.
        settings: given values, often as text (`--set persons=1000`).
        where: the file, for messages.

    Raises:
        BadInput: a parameter does not exist, or a value has another type.
    """
    settled = dict(defaults)
    for name, given in settings.items():
        if name not in defaults:
            raise BadInput(f'{where}: there is no parameter "{name}" to set: {allowed_names(name, defaults)}')
        settled[name] = _as_kind(defaults[name], given, f"{where}: parameter {name}")
    return settled


def _as_kind(default: Value, given: Value, place: str) -> Value:
    """Parse a setting with the type of its default."""
    text = str(given).strip()
    if isinstance(default, bool):
        if text.lower() in {"true", "false"}:
            return text.lower() == "true"
        raise BadInput(f'{place} is set to "{text}": it must be true or false')
    if isinstance(default, str):
        return str(given)
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise BadInput(f'{place} is set to "{text}": it must be {kind}, as its default {default} is') from None


def fill(node: Any, values: Mapping[str, Filling], place: str) -> Any:  # noqa: ANN401 - a TOML tree
    """Fill in the placeholders in every text of a tree. A text that is only a placeholder takes the value as it is.

    A table with `for_each` in a list is written out once for each combination of its variables. A list that is named in
    another list becomes part of it. If such a table has only `text`, it becomes texts.

    Args:
        node: what tomllib returned.
        values: parameters, lists, and the variables of the surrounding tables.
        place: the key path so far, for messages.

    Raises:
        BadInput: a placeholder is unknown, a list is used within a text, or a for_each is wrong.
    """
    if isinstance(node, dict):
        return {key: fill(value, values, f"{place}.{key}" if place else key) for key, value in node.items()}
    if isinstance(node, list):
        return [
            written for index, item in enumerate(node, 1) for written in _written_out(item, values, f"{place}[{index}]")
        ]
    return fill_text(node, values, place) if isinstance(node, str) else node


def _written_out(item: Any, values: Mapping[str, Filling], place: str) -> Iterator[Any]:  # noqa: ANN401 - a TOML tree
    """Yield the items for one item of a list: once per combination of its for_each, or the items of a named list."""
    if not (isinstance(item, dict) and "for_each" in item):
        filled = fill(item, values, place)
        yield from filled if isinstance(item, str) and isinstance(filled, list) else [filled]
        return
    variables = _variables(fill(item["for_each"], values, f"{place}.for_each"), f"{place}.for_each")
    rest = {key: value for key, value in item.items() if key != "for_each"}
    for choose_stacks in product(*variables.values()):
        filled = fill(rest, {**values, **dict(zip(variables, choose_stacks, strict=True))}, place)
        yield filled["text"] if rest.keys() == {"text"} else filled


def _variables(given: object, place: str) -> Mapping[str, list[Value]]:
    """Check the variables of for_each, each with its values."""
    if not isinstance(given, dict) or not given:
        raise BadInput(f"{place} must name variables and what each becomes, such as {{ n = [1, 10, 100] }}")
    for name, choices in given.items():
        if not _BRACES.fullmatch(f"{{{name}}}"):
            raise BadInput(f"{place}.{name}: a variable is named by letters, digits, - and _, a letter first")
        if not (
            isinstance(choices, list) and choices and all(isinstance(choice, int | float | str) for choice in choices)
        ):
            raise BadInput(f"{place}.{name} is {_short(choices)}: it must be a list of numbers or texts")
    times = prod(len(choices) for choices in given.values())
    if times > MOST_WRITTEN:
        raise BadInput(f"{place} has {times:,} combinations: at most {MOST_WRITTEN:,} are written out")
    return given


def fill_text(text: str, values: Mapping[str, Filling], place: str) -> Filling:
    """Fill in the placeholders of one text."""

    def value_of(match: re.Match[str]) -> Filling:
        name = match[1]
        if name in values:
            return values[name]
        raise BadInput(f"{place}: {{{name}}} is not a parameter of this study: {allowed_names(name, values)}")

    def shown(match: re.Match[str]) -> str:
        value = value_of(match)
        if isinstance(value, list):
            raise BadInput(
                f'{place}: {{{match[1]}}} is a list, which cannot be part of a text: write "{match[0]}" and no more'
            )
        if not match[2]:
            return str(value)
        if not isinstance(value, int | float):
            raise BadInput(f"{place}: {match[0]} formats a number with separators, but the value is {value!r}")
        return f"{value:,}"

    whole = _BRACES.fullmatch(text)
    return value_of(whole) if whole and not whole[2] else _BRACES.sub(shown, text)


def _short(value: object) -> str:
    """Return a value shortened for messages."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
