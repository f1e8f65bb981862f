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
        lines: of a journal.
        of: a type of lines.
        place: where they are from, for the message.

    Raises:
        BadInput: one has not the form of its kind.
    """
    kinds = kinds_of(cast("Any", of))
    for line in lines:
        if line["kind"] in kinds:
            yield checked(line, of, place)


def checked(line: Mapping[str, object], of: type[Line], place: str | Path = "the journal") -> Line:
    """Return a line as its type.

    Raises:
        BadInput: it has not the form of its kind.
    """
    try:
        return typed(cast("object", line), of)
    except Misfit as misfit:
        raise BadInput(f"{place} is damaged: a line of kind {line['kind']}: {misfit}") from None


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

    def line(self, line: Mapping[str, object], place: str | Path = "the journal") -> Line:
        """Return a line as its type.

        Raises:
            BadInput: it has not the form of its kind, or there is no such kind.
        """
        of = self.types.get(str(line["kind"]))
        if of is None:
            raise BadInput(f"{place} is damaged: a line of kind {line['kind']} is none of {self._whose}")
        return cast("Line", checked(line, of, place))

    def read(self, lines: Iterable[Mapping[str, object]], place: str | Path = "the journal") -> Iterator[Line]:
        """Yield the lines of a journal, each as its type.

        Raises:
            BadInput: as `line`.
        """
        return (self.line(line, place) for line in lines)
