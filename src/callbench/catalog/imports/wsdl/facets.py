"""What XSD's facets say of a value: what the generator keeps to, and what it disregards."""

from collections.abc import Iterator
from dataclasses import replace

from xmlschema.validators import XsdType
from xmlschema.validators.simple_types import XsdSimpleType

from callbench.model.service.limits import NO_LIMITS, Limits
from callbench.model.service.schema import Kind

_XSD = "{http://www.w3.org/2001/XMLSchema}"
NUMBERS = frozenset({Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64, Kind.FLOAT, Kind.DOUBLE})
# Built-in types that are narrower than the kind that they become.
_NARROW = {
    "byte": Limits(least=-(2**7), most=2**7 - 1),
    "short": Limits(least=-(2**15), most=2**15 - 1),
    "unsignedByte": Limits(most=2**8 - 1),
    "unsignedShort": Limits(most=2**16 - 1),
    "nonPositiveInteger": Limits(most=0),
    "negativeInteger": Limits(most=-1),
    "positiveInteger": Limits(least=1),
}
_BOUNDS = {"minInclusive": "least", "maxInclusive": "most", "minExclusive": "above", "maxExclusive": "below"}
_LENGTHS = ("length", "minLength", "maxLength")
# Built-in types that become texts of any kind, though not every text is one.
_WITH_SYNTAX = {
    *("gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay", "QName", "NOTATION", "language"),
    *("NMTOKEN", "Name", "NCName", "ID", "IDREF", "ENTITY"),
}
_OTHERS = ("pattern", "totalDigits", "fractionDigits")


def facets(of: XsdSimpleType, kind: Kind, form: str) -> tuple[Limits, list[str]]:
    """The limits of a single value, and the facets that no generated payload is held to.

    Args:
        of: its type.
        kind: what it becomes.
        form: the format that it becomes, or empty.
    """
    limits = _NARROW.get(next(_built_ins(of), ""), NO_LIMITS)
    disregarded: list[str] = []
    for word, value in _written(of):
        if word in _BOUNDS and kind in NUMBERS:
            limits = limits.both(replace(NO_LIMITS, **{_BOUNDS[word]: value}))  # type: ignore[arg-type]
        elif word in _LENGTHS and kind is Kind.STRING and not form:
            limits = limits.both(_length(word, value))
        elif word in {*_BOUNDS, *_LENGTHS, *_OTHERS}:
            disregarded.append(word)
    return limits, disregarded


def with_syntax(of: XsdSimpleType) -> list[str]:
    """The built-in type that a type is derived from, if it is a text with a syntax that nothing here knows."""
    return [name for name in [next(_built_ins(of), "")] if name in _WITH_SYNTAX]


def sizes(of: XsdSimpleType) -> tuple[Limits, list[str]]:
    """The same of a list."""
    limits = NO_LIMITS
    disregarded: list[str] = []
    for word, value in _written(of):
        if word in _LENGTHS:
            length = _length(word, value)
            limits = limits.both(Limits(least_size=length.least_length, most_size=length.most_length))
        elif word in {"enumeration", "pattern"}:
            disregarded.append(word)
    return limits, disregarded


def _length(word: str, value: float) -> Limits:
    size = int(value)
    return Limits(least_length=size if word != "maxLength" else None, most_length=size if word != "minLength" else None)


def _chain(of: XsdType) -> Iterator[XsdType]:
    """A type, and those that it is derived from."""
    base: XsdType | None = of
    for _ in range(100):
        if base is None:
            return
        yield base
        base = base.base_type


def _built_ins(of: XsdType) -> Iterator[str]:
    return (base.local_name or "" for base in _chain(of) if (base.name or "").startswith(_XSD))


def _written(of: XsdSimpleType) -> Iterator[tuple[str, int | float]]:
    """The facets that the document gives a type, and those of its bases."""
    for base in _chain(of):
        if (base.name or "").startswith(_XSD):
            return
        for name, facet in getattr(base, "facets", {}).items():
            if name is not None:
                value = getattr(facet, "value", None)
                yield name.removeprefix(_XSD), value if isinstance(value, int) else _number(value)


def _number(value: object) -> float:
    """A bound as a number. That of a time is none, and only its word counts."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.0
