"""The two lists of names from which persons, users and texts are made."""

from functools import cache

from callbench.model.installation import home

COUNT = 256


@cache
def _lines(name: str) -> tuple[str, ...]:
    path = home() / "contract" / "names" / name
    lines = tuple(path.read_text(encoding="ascii").splitlines())
    if len(lines) != COUNT:
        raise ValueError(f"{path} has {len(lines)} lines instead of {COUNT}: restore it from the repository")
    return lines


def first() -> tuple[str, ...]:
    """Return the lines of names/first.txt."""
    return _lines("first.txt")


def last() -> tuple[str, ...]:
    """Return the lines of names/last.txt."""
    return _lines("last.txt")
