"""The types of JSON Schema that hold no others."""

from collections.abc import Sequence
from typing import Any

from callbench.catalog.imports.json_schema.facts import Facts
from callbench.model.service.schema import Kind

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
        if facts.format in _INTEGERS:
            return _INTEGERS[facts.format], ""
        least, greatest = facts.least, facts.greatest
        if least is not None and greatest is not None:
            if int(least) in _SMALL and int(greatest) in _SMALL:
                return Kind.INT32, ""
            if int(least) in _UNSIGNED and int(greatest) in _UNSIGNED:
                return Kind.UINT32, ""
        return Kind.INT64, ""
    if facts.format == "float":
        return Kind.FLOAT, ""
    return Kind.DOUBLE, "" if facts.format == "double" else facts.format


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
