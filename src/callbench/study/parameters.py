"""Parameters of a study: what the file gives, what the command line sets, and the braces they fill."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from callbench.errors import BadInput
from callbench.study.near import allowed

Value = int | float | str | bool
_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")


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


def fill(node: Any, values: Mapping[str, Value], place: str, kept: Collection[str] = ()) -> Any:  # noqa: ANN401 - a TOML tree
    """Fill the braces in every text of a tree; a text that is nothing but braces takes the parameter's own type.

    Args:
        node: what tomllib read.
        values: the parameters.
        place: the key path so far, for the sentence.
        kept: names left as they are (the variables of a claim's for_each).

    Raises:
        BadInput: a name in braces that is neither a parameter nor kept.
    """
    if isinstance(node, dict):
        own = node.get("for_each")
        inner = {*kept, *own} if isinstance(own, dict) else kept
        return {key: fill(value, values, f"{place}.{key}" if place else key, inner) for key, value in node.items()}
    if isinstance(node, list):
        return [fill(value, values, f"{place}[{index}]", kept) for index, value in enumerate(node, 1)]
    return fill_text(node, values, place, kept) if isinstance(node, str) else node


def fill_text(text: str, values: Mapping[str, Value], place: str, kept: Collection[str] = ()) -> Value:
    """Fill the braces of one text."""

    def value_of(match: re.Match[str]) -> Value:
        name = match[1]
        if name in kept:
            return match[0]
        if name in values:
            return values[name]
        raise BadInput(f"{place}: {{{name}}} is not a parameter of this study: {allowed(name, [*values, *kept])}")

    whole = _BRACES.fullmatch(text)
    return value_of(whole) if whole else _BRACES.sub(lambda match: str(value_of(match)), text)
