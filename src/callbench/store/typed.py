"""JSON values as a type: a dataclass or a typed dictionary, read strictly, with the place of what is wrong.

A dataclass becomes an object; a member that is unknown, missing or of another type is refused. A typed dictionary stays
the dictionary that it is, so that reading it costs no copy; members that its type does not have are left alone.
What an annotation beside a type demands is checked too.
"""

import dataclasses
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Protocol,
    Required,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from typing import is_typeddict as is_typed_dict

Typed = TypeVar("Typed")
# Returns the value, or raises `Misfit`.
_Reader = Callable[[Any], Any]
# Beside an annotated type: its members are not looked at, for lists that are long.
AS_IT_IS = "as it is"
# No clock or counter says more, and products of two such numbers are still finite.
_END = 2**127
_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


class Allowed(Protocol):
    """One such demand."""

    @property
    def words(self) -> str:
        """As a page has it, behind the type."""

    @property
    def schema(self) -> Mapping[str, object]:
        """As JSON schema has it, beside the type."""

    def misfit(self, value: Any) -> str:  # noqa: ANN401 - a value of the type
        """Say what is wrong with a value of the type; "" if nothing is."""


@dataclass(frozen=True)
class AtLeast:
    """A finite number that cannot be less, or has to be above; none that was measured is 2^127 or more."""

    least: float = -_END
    above: bool = False

    @property
    def words(self) -> str:
        """As in `Allowed`."""
        if self.least == -_END:
            return "that is finite"
        return f"{'above' if self.above else 'of at least'} {self.least:g}"

    @property
    def schema(self) -> Mapping[str, object]:
        """As in `Allowed`."""
        return {} if self.least == -_END else {"exclusiveMinimum" if self.above else "minimum": self.least}

    def misfit(self, value: float) -> str:
        """As in `Allowed`."""
        allowed = value > self.least if self.above else value >= self.least
        return "" if allowed and value < _END else f"is no finite number, or not one {self.words}"


@dataclass(frozen=True)
class Rows:
    """A long list of rows of whole numbers from 0, all looked at in one go; `end`: what the first ones are below."""

    width: int
    end: int = 2**63

    @property
    def words(self) -> str:
        """As in `Allowed`."""
        return "of at least 0"

    @property
    def schema(self) -> Mapping[str, object]:
        """As in `Allowed`."""
        return {}

    def misfit(self, value: list[list[int]]) -> str:
        """As in `Allowed`."""
        if not value:
            return ""
        if not set(map(type, value)) <= {list, tuple} or set(map(len, value)) != {self.width}:
            return f"has a row that is not of {self.width} numbers"
        numbers = list(chain.from_iterable(value))
        if set(map(type, numbers)) != {int} or min(numbers) < 0 or max(numbers) >= 2**63:
            return "has a number that is not whole, or not within 0 and 2^63"
        return "" if max(row[0] for row in value) < self.end else f"has a row beyond {self.end - 1}"


@dataclass(frozen=True)
class OneOf:
    """A text that is one of an enumeration."""

    values: type[StrEnum]

    @property
    def words(self) -> str:
        """As in `Allowed`."""
        return f"that is {' or '.join(f'`{value}`' for value in self.values)}"

    @property
    def schema(self) -> Mapping[str, object]:
        """As in `Allowed`."""
        return {"enum": list(self.values)}

    def misfit(self, value: str) -> str:
        """As in `Allowed`."""
        return "" if value in list(self.values) else f"is not {' or '.join(self.values)}"


# As contract/CONTRACT.md has them: up to 2^42 nanoseconds.
BUCKETS = 4608

Count = Annotated[int, AtLeast(0)]
"""How many, or whole nanoseconds, milliseconds, bytes."""
Whole = Annotated[int, AtLeast()]
"""A difference of counts, which can be negative where something ended."""
Several = Annotated[int, AtLeast(1)]
"""How many, where there is at least one."""
Amount = Annotated[float, AtLeast(0)]
"""A time, a rate, a share, or a part of a count."""
Positive = Annotated[float, AtLeast(0, above=True)]
"""One of them that others are divided by."""
Buckets = Annotated[list[tuple[int, int]], Rows(2, BUCKETS)]
"""A sparse histogram: [index, count]."""
Intervals = Annotated[list[tuple[int, int, int]], Rows(3)]
"""Sums so far: [nanoseconds, calls, errors]."""


class Misfit(ValueError):  # noqa: N818 - it names what is found
    """A value is not of its type.

    Attributes:
        place: where it is, such as `slices[3].done`; "" for the whole.
        why: what is wrong with it: `is missing`.
    """

    def __init__(self, place: str, why: str) -> None:
        """Keep both."""
        super().__init__(f"{place or 'it'} {why}")
        self.place, self.why = place, why

    def within(self, outer: str) -> "Misfit":
        """The same, seen from one level further out."""
        inner = f".{self.place}" if self.place and not self.place.startswith("[") else self.place
        return Misfit(f"{outer}{inner}", self.why)


def typed(value: object, of: type[Typed]) -> Typed:
    """Return a value of JSON as a type.

    Args:
        value: from `json.loads`.
        of: a dataclass or a typed dictionary. Its members are of these, of plain types, of lists, tuples or mappings
            of them, of literals, or None.

    Raises:
        Misfit: it is not of that type.
    """
    result: Typed = _reader(cast("Hashable", of))(value)
    return result


@cache
def _reader(of: Any) -> _Reader:  # noqa: ANN401 - a form of a type
    """Return what reads values of a type."""
    form = _FORMS.get(get_origin(of))
    if form is not None:
        return form(get_args(of))
    if is_typed_dict(of):
        return _of_typed_dict(of)
    if dataclasses.is_dataclass(of):
        return _of_dataclass(of)
    return _PLAIN.get(of) or _of_plain(of)


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - any JSON
    return value


def _of_annotated(parts: tuple[Any, ...]) -> _Reader:
    """Read what is not looked into, or has to be something besides."""
    of, *beside = parts
    demands = [each for each in beside if isinstance(each, AtLeast | OneOf | Rows)]
    whole = AS_IT_IS in beside or any(isinstance(each, Rows) for each in demands)
    reader = _of_outside(of) if whole else _reader(of)
    if not demands:
        return reader
    misfit_of = demands[0].misfit

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        allowed = reader(value)
        if why := misfit_of(allowed):
            raise Misfit("", why)
        return allowed

    return read


def _of_plain(of: type) -> _Reader:
    why = f"is not {_NAMES[of]}"

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        # A truth value is no number here, though Python says so.
        if type(value) is not of:
            raise Misfit("", why)
        return value

    return read


def _of_outside(of: Any) -> _Reader:  # noqa: ANN401 - a form of a type
    return _of_plain(dict if is_typed_dict(of) else get_origin(of) or of)


def _of_number(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if type(value) is not float and type(value) is not int:
        raise Misfit("", "is not a number")
    return value


def _of_literal(allowed: tuple[Any, ...]) -> _Reader:
    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if value not in allowed:
            raise Misfit("", f"is not {' or '.join(map(repr, allowed))}")
        return value

    return read


def _of_either(parts: tuple[Any, ...]) -> _Reader:
    """Read a union: with None, it is the other type where there is a value."""
    readers = [_reader(part) for part in parts if part is not type(None)]
    nothing = type(None) in parts

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if value is None and nothing:
            return None
        for reader in readers[:-1]:
            try:
                return reader(value)
            except Misfit:
                continue
        return readers[-1](value)

    return read


def _of_list(parts: tuple[Any, ...], made: type) -> _Reader:
    reader = _reader(parts[0])

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if type(value) is not list:
            raise Misfit("", "is not a list")
        if reader is _as_it_is and made is list:
            return value
        items = []
        for place, item in enumerate(value):
            try:
                items.append(reader(item))
            except Misfit as misfit:
                raise misfit.within(f"[{place}]") from None
        return made(items)

    return read


def _of_tuple(parts: tuple[Any, ...]) -> _Reader:
    """Read a list as a tuple: of any length, or with a type for each place."""
    if parts[-1] is Ellipsis:
        return _of_list(parts, tuple)
    readers = [_reader(part) for part in parts]

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        # A line that was not written yet has the tuple itself.
        if type(value) is not list and type(value) is not tuple:
            raise Misfit("", "is not a list")
        if len(value) != len(readers):
            raise Misfit("", f"has {len(value)} members, not {len(readers)}")
        return tuple(
            _member(reader, f"[{place}]", item) for place, (reader, item) in enumerate(zip(readers, value, strict=True))
        )

    return read


def _of_mapping(reader: _Reader) -> _Reader:
    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if type(value) is not dict:
            raise Misfit("", "is not an object")
        return value if reader is _as_it_is else {name: _member(reader, name, item) for name, item in value.items()}

    return read


def _of_typed_dict(of: Any) -> _Reader:  # noqa: ANN401 - a typed dictionary
    readers = {name: _reader(hint) for name, hint in get_type_hints(of, include_extras=True).items()}
    required = frozenset(of.__required_keys__)

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if type(value) is not dict:
            raise Misfit("", "is not an object")
        for name, reader in readers.items():
            if name in value:
                _member(reader, name, value[name])
            elif name in required:
                raise Misfit(name, "is missing")
        return value

    return read


def _of_dataclass(of: Any) -> _Reader:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(of, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(of)}
    readers = {name: _reader(hints[name]) for name in fields}
    needed = [
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]

    def read(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if type(value) is not dict:
            raise Misfit("", "is not an object")
        for name in value:
            if name not in readers:
                raise Misfit(name, "is unknown")
        for name in needed:
            if name not in value:
                raise Misfit(name, "is missing")
        return of(**{name: _member(readers[name], name, item) for name, item in value.items()})

    return read


def _member(reader: _Reader, name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON
    try:
        return reader(value)
    except Misfit as misfit:
        raise misfit.within(name) from None


# How a type is read by its form, given its parts, and a type without parts.
_FORMS: Mapping[Any, Callable[[tuple[Any, ...]], _Reader]] = {
    Annotated: _of_annotated,
    Required: lambda parts: _reader(parts[0]),
    NotRequired: lambda parts: _reader(parts[0]),
    Union: _of_either,
    types.UnionType: _of_either,
    Literal: _of_literal,
    list: lambda parts: _of_list(parts, list),
    Sequence: lambda parts: _of_list(parts, list),
    tuple: _of_tuple,
    dict: lambda parts: _of_mapping(_reader(parts[1])),
    Mapping: lambda parts: _of_mapping(_reader(parts[1])),
}
_PLAIN: Mapping[Any, _Reader] = {Any: _as_it_is, object: _as_it_is, float: _of_number}
