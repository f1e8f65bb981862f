"""What fills the braces of a study: parameters, which the command line can set, lists, and what for_each names."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from callbench.catalog.study.near import allowed
from callbench.model.errors import BadInput

Value = int | float | str | bool
Filling = Value | list[Any]
MOST_WRITTEN = 10_000
_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)(:,)?\}")


def settle(defaults: Mapping[str, Value], settings: Mapping[str, Value], where: str) -> dict[str, Value]:
    """Put the settings in the place of the defaults, each read as the kind its default has.

    Args:
        defaults: the file's parameters.
        settings: what was set, often as text (`--set persons=1000`).
        where: the file, for the sentence.

    Raises:
        BadInput: a parameter that the study does not have, or a value of another kind.
    """
    settled = dict(defaults)
    for name, given in settings.items():
        if name not in defaults:
            raise BadInput(f'{where}: there is no parameter "{name}" to set: {allowed(name, defaults)}')
        settled[name] = _as_kind(defaults[name], given, f"{where}: parameter {name}")
    return settled


def _as_kind(default: Value, given: Value, place: str) -> Value:
    """Read a setting as the kind of its default."""
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
    """Fill the braces in every text of a tree; a text that is nothing but braces takes what it names as it is.

    A table in a list that says `for_each` is written out once for each combination of its variables, and a list that
    is named within another becomes part of it.

    Args:
        node: what tomllib read.
        values: the parameters, the lists, and the variables of the tables around.
        place: the key path so far, for the sentence.

    Raises:
        BadInput: a name in braces that is none of them, a list within a text, or a for_each that makes no sense.
    """
    if isinstance(node, dict):
        return {key: fill(value, values, f"{place}.{key}" if place else key) for key, value in node.items()}
    if isinstance(node, list):
        return [one for index, item in enumerate(node, 1) for one in _written_out(item, values, f"{place}[{index}]")]
    return fill_text(node, values, place) if isinstance(node, str) else node


def _written_out(item: Any, values: Mapping[str, Filling], place: str) -> Iterator[Any]:  # noqa: ANN401 - a TOML tree
    """Fill one item of a list: as often as its for_each says; a text that names a list becomes the items of that."""
    if not (isinstance(item, dict) and "for_each" in item):
        one = fill(item, values, place)
        yield from one if isinstance(item, str) and isinstance(one, list) else [one]
        return
    variables = _variables(fill(item["for_each"], values, f"{place}.for_each"), f"{place}.for_each")
    rest = {key: value for key, value in item.items() if key != "for_each"}
    for chosen in product(*variables.values()):
        yield fill(rest, {**values, **dict(zip(variables, chosen, strict=True))}, place)


def _variables(given: object, place: str) -> Mapping[str, list[Value]]:
    """Check what for_each says: names, each with the values it takes."""
    if not isinstance(given, dict) or not given:
        raise BadInput(f"{place} must name variables and what each becomes, such as {{ n = [1, 10, 100] }}")
    for name, choices in given.items():
        if not _BRACES.fullmatch(f"{{{name}}}"):
            raise BadInput(f"{place}.{name}: a variable is named by letters, digits, - and _, a letter first")
        if not (isinstance(choices, list) and choices and all(isinstance(one, int | float | str) for one in choices)):
            raise BadInput(f"{place}.{name} is {_short(choices)}: it must be a list of numbers or texts")
    times = prod(len(choices) for choices in given.values())
    if times > MOST_WRITTEN:
        raise BadInput(f"{place} has {times:,} combinations: at most {MOST_WRITTEN:,} are written out")
    return given


def fill_text(text: str, values: Mapping[str, Filling], place: str) -> Filling:
    """Fill the braces of one text."""

    def value_of(match: re.Match[str]) -> Filling:
        name = match[1]
        if name in values:
            return values[name]
        raise BadInput(f"{place}: {{{name}}} is not a parameter of this study: {allowed(name, values)}")

    def shown(match: re.Match[str]) -> str:
        value = value_of(match)
        if isinstance(value, list):
            raise BadInput(f'{place}: {{{match[1]}}} is a list, which no text can hold: write "{match[0]}" and no more')
        if not match[2]:
            return str(value)
        if not isinstance(value, int | float):
            raise BadInput(f"{place}: {match[0]} sets apart the thousands of a number, and it is {value!r}")
        return f"{value:,}"

    whole = _BRACES.fullmatch(text)
    return value_of(whole) if whole and not whole[2] else _BRACES.sub(shown, text)


def _short(value: object) -> str:
    """A value as a sentence can hold it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
