"""The lines of some kinds of a journal, as their type."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_args, get_type_hints

from callbench.model.errors import BadInput
from callbench.store.typed import Misfit, typed

Line = TypeVar("Line")


@cache
def kinds_of(of: Any) -> tuple[str, ...]:  # noqa: ANN401 - a type of lines
    """Return the kinds of lines that have a type."""
    return get_args(get_type_hints(of)["kind"])


def of_kind(lines: Iterable[Mapping[str, object]], of: type[Line], place: str | Path = "the journal") -> Iterator[Line]:
    """Yield the lines of a journal that are of a type, in their order, each checked.

    Args:
        lines: all of a journal, so that one can be named by its number.
        of: a type of lines.
        place: the file that they are from, for the message.

    Raises:
        BadInput: one has not the form of its kind.
    """
    kinds = kinds_of(cast("Any", of))
    for number, line in enumerate(lines, start=1):
        if line["kind"] in kinds:
            yield _checked(line, of, place, number)


def _checked(line: Mapping[str, object], of: type[Line], place: str | Path, number: int | None) -> Line:
    """Return a line as its type.

    Raises:
        BadInput: it has not the form of its kind.
    """
    try:
        return typed(cast("object", line), of)
    except Misfit as misfit:
        raise BadInput(f"{place} is damaged: {_named(line, number)}: {misfit}") from None


def _named(line: Mapping[str, object], number: int | None) -> str:
    return f"a line of kind {line['kind']}" if number is None else f"line {number}, of kind {line['kind']}"


class LineTypes(Generic[Line]):
    """The types of all lines of a kind of record.

    Attributes:
        types: by the kind of the line.
    """

    def __init__(self, whose: str, of: Any) -> None:  # noqa: ANN401 - a union of types of lines
        """Take the types.

        Args:
            whose: the record in words, such as `a torture`.
            of: the union of its types of lines.
        """
        self._whose = whose
        self.types: Mapping[str, type[Any]] = {kind: line for line in get_args(of) for kind in kinds_of(line)}

    def line(self, line: Mapping[str, object], place: str | Path = "the journal", number: int | None = None) -> Line:
        """Return a line as its type; `number`: which it is in its file.

        Raises:
            BadInput: it has not the form of its kind, or there is no such kind.
        """
        of = self.types.get(str(line["kind"]))
        if of is None:
            raise BadInput(f"{place} is damaged: {_named(line, number)} is none of {self._whose}")
        return cast("Line", _checked(line, of, place, number))

    def read(self, lines: Iterable[Mapping[str, object]], place: str | Path = "the journal") -> Iterator[Line]:
        """Yield the lines of a journal, each as its type.

        Raises:
            BadInput: as `line`.
        """
        return (self.line(line, place, number) for number, line in enumerate(lines, start=1))
