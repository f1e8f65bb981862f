"""The types of JSON Schema that hold no others."""

from collections.abc import Sequence
from typing import Any

from callbench.catalog.imports.json_schema.facts import Facts
from callbench.model.service.limits import Limits
from callbench.model.service.schema import WHOLE, Kind

_SMALL = range(-(2**31), 2**31)
_UNSIGNED = range(2**32)
_INTEGERS = {
    **dict.fromkeys(("int8", "int16", "int32", "uint8", "uint16"), Kind.INT32),
    "uint32": Kind.UINT32,
    "int64": Kind.INT64,
    "uint64": Kind.UINT64,
}
_BINARY = {"byte", "binary", "base64"}


def kind_of_text(facts: Facts) -> tuple[Kind, str]:
    """A text, or bytes that JSON writes in base64."""
    if facts.format in _BINARY or facts.encoding == "base64":
        return Kind.BYTES, ""
    return Kind.STRING, facts.format


def kind_of_number(facts: Facts, *, whole: bool) -> tuple[Kind, str]:
    """A number. Without bounds, an integer has 64 bits."""
    if whole:
        return _INTEGERS.get(facts.format) or _whole_within(facts.least, facts.greatest), ""
    if facts.format == "float":
        return Kind.FLOAT, ""
    return Kind.DOUBLE, "" if facts.format == "double" else facts.format


def _whole_within(least: float | None, greatest: float | None) -> Kind:
    """The kind of the whole numbers between two bounds."""
    if least is None or greatest is None:
        return Kind.INT64
    if int(least) in _SMALL and int(greatest) in _SMALL:
        return Kind.INT32
    if int(least) in _UNSIGNED and int(greatest) in _UNSIGNED:
        return Kind.UINT32
    # A document that a program wrote has 2^64 - 1 as the nearest double, which is 2^64.
    return Kind.UINT64 if least >= 0 and 2**63 <= greatest <= 2**64 else Kind.INT64


def is_wider(facts: Facts) -> bool:
    """Whether an integer can be what no integer of 64 bits is."""
    least, greatest = facts.least, facts.greatest
    below = least is not None and least < -(2**63)
    above = greatest is not None and greatest > (2**64 if least is not None and least >= 0 else 2**63)
    return below or above


def is_beyond(kind: Kind, limits: Limits) -> bool:
    """Whether no integer of a kind is within the limits."""
    of_kind = WHOLE[kind]
    least, most = limits.whole_bounds()
    return (least is not None and least >= of_kind.stop) or (most is not None and most < of_kind.start)


def kind_of_values(values: Sequence[Any]) -> Kind | None:
    """The kind of listed values; none if they are of several."""
    if all(isinstance(value, str) for value in values):
        return Kind.ENUM
    if all(isinstance(value, bool) for value in values):
        return Kind.BOOL
    if any(isinstance(value, bool) for value in values):
        return None
    if all(isinstance(value, int) for value in values):
        if all(value in _SMALL for value in values):
            return Kind.INT32
        return Kind.INT64 if all(-(2**63) <= value < 2**63 for value in values) else None
    return Kind.DOUBLE if all(isinstance(value, int | float) for value in values) else None
