"""Names for protobuf, made of any text: keys of JSON, titles, paths.

Protobuf refuses two fields of a message whose default JSON names are equal (`a_b` and `aB`), and two values of an
enumeration that differ only in case and underscores. So what is compared here is what protobuf compares.
"""

import re
from collections.abc import Callable, Collection, Sequence

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|[0-9]+")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
LONGEST = 60
"""Characters of a name that is made here. A name that a user gave may be longer."""


def words(text: str) -> list[str]:
    """The words of a name, `unitPrice-EUR` as `unit`, `Price`, `EUR`. What is not ASCII separates words."""
    return _WORD.findall(text)


def snake(text: str, empty: str = "field") -> str:
    """A name for a field: `unit_price`. It begins with a letter."""
    name = "_".join(words(text)).lower()[:LONGEST].strip("_")
    return name if name and name[0].isalpha() else f"{empty}_{name}".rstrip("_")


def pascal(text: str, empty: str = "Type") -> str:
    """A name for a message, an enumeration or a call: `OrderLine`. It begins with a letter."""
    name = "".join(word[0].upper() + word[1:] for word in words(text))[:LONGEST]
    return name if name and name[0].isalpha() else f"{empty}{name}"


def default_json(name: str) -> str:
    """The JSON name that protobuf gives to a field: underscores go, and the letter after each becomes large."""
    return re.sub(r"_(.?)", lambda match: match.group(1).upper(), name)


class Names:
    """Names of one scope, each given once."""

    def __init__(self, same: Callable[[str], str] = str) -> None:
        """`same` says what must differ."""
        self._same = same
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, name: str, forbidden: Collection[str] = (), but: str = "") -> str:
        """The name, or with a number behind it if it is taken, or forbidden and not `but`. It is taken from then on."""
        candidate = name
        number = self._next.get(name, 2)
        while (candidate in forbidden and candidate != but) or self._same(candidate) in self._taken:
            candidate = f"{name}_{number}" if "_" in name or name.islower() else f"{name}{number}"
            number += 1
        self._next[name] = number
        self._taken.add(self._same(candidate))
        return candidate


def field_names(keys: Sequence[str]) -> list[str]:
    """A name for the field of each key of a JSON object.

    Args:
        keys: different from each other. Some of protobuf's readers refuse a name that is the key of another field.
    """
    taken = Names(lambda name: default_json(name).lower())
    known = set(keys)
    return [taken.take(snake(key), known, key) for key in keys]
