"""Values that are written out in arguments: as canonical JSON, or as plain numbers."""

import re
import struct
from collections.abc import Mapping

from callbench.adapter.service.canonical import Form, double_form, float_form, long_form

_RANGES = {
    "byte": (0, 255),
    "char": (0, 65_535),
    "short": (-32_768, 32_767),
    "int": (-2_147_483_648, 2_147_483_647),
    "long": (-9_223_372_036_854_775_808, 9_223_372_036_854_775_807),
}


class BadArgumentsError(ValueError):
    """The arguments do not fit the call; the message names the argument and what would be right."""


def member(arguments: Mapping[str, object], name: str) -> object:
    """Return a required argument."""
    if name not in arguments:
        raise BadArgumentsError(f"the argument {name} is missing")
    return arguments[name]


def integer(arguments: Mapping[str, object], name: str) -> int:
    """Return an integer of 32 bits."""
    return _whole(name, member(arguments, name), *_RANGES["int"])


def seed(arguments: Mapping[str, object]) -> int:
    """Return the seed of a generator; by default 1."""
    given = arguments.get("seed", 1)
    if isinstance(given, str) and re.fullmatch("[0-9]{1,20}", given):
        given = int(given)
    return _whole("seed", given, 0, (1 << 64) - 1)


def byte_array(elements: list[Form]) -> bytes:
    """Return an array of bytes."""
    return bytes(element for element in elements if isinstance(element, int))


def value(kind: str, *, array: bool, given: object) -> "Form | bytes":
    """Return the value of a Send or EchoString in canonical form; byte[] as bytes."""
    if not array:
        return _scalar(kind, given)
    if not isinstance(given, list):
        raise BadArgumentsError(f"value is {given!r}: it must be an array")
    elements = [_scalar(kind, item) for item in given]
    return byte_array(elements) if kind == "byte" else elements


def _whole(name: str, given: object, least: int, most: int) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and least <= given <= most:
        return given
    raise BadArgumentsError(f"{name} is {given!r}: it must be a whole number from {least} to {most}")


def _scalar(kind: str, given: object) -> Form:
    if kind in ("float", "double"):
        return _floating(given, 8 if kind == "float" else 16)
    if kind == "long":
        spelt = isinstance(given, str) and re.fullmatch("-?[0-9]{1,19}", given)
        return long_form(_whole("value", int(str(given)) if spelt else given, *_RANGES["long"]))
    if kind in _RANGES:
        return _whole("value", given, *_RANGES[kind])
    if kind == "string":
        return text(given)
    if kind == "boolean" and isinstance(given, bool):
        return given
    if kind == "object" and isinstance(given, dict):
        return _person(given)
    raise BadArgumentsError(f"value is {given!r}, which is no {kind}")


def _person(given: Mapping[str, object]) -> Form:
    identity = _whole("value", member(given, "ID"), *_RANGES["int"])
    return {"ID": identity, "FirstName": text(member(given, "FirstName")), "LastName": text(member(given, "LastName"))}


def text(given: object) -> str:
    """Return a string, which may be given as UTF-16 units."""
    if isinstance(given, str):
        return given
    units = given.get("utf16") if isinstance(given, dict) else None
    if not isinstance(units, list):
        raise BadArgumentsError(f"value is {given!r}: it must be a string")
    numbers = [_whole("value", unit, *_RANGES["char"]) for unit in units]
    return struct.pack(f"<{len(numbers)}H", *numbers).decode("utf-16-le", "surrogatepass")


def _floating(given: object, digits: int) -> Form:
    if isinstance(given, str) and re.fullmatch(f"0x[0-9a-fA-F]{{{digits}}}", given):
        return given.lower()
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float_form(given) if digits == 8 else double_form(given)
    raise BadArgumentsError(f"value is {given!r}: it must be a number, or 0x and {digits} hexadecimal digits")
