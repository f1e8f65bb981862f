"""The two lists of names that persons, users and text are made from."""

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
    """The lines of names/first.txt."""
    return _lines("first.txt")


def last() -> tuple[str, ...]:
    """The lines of names/last.txt."""
    return _lines("last.txt")
