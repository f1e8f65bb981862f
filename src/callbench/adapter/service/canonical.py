"""Canonical JSON, the form in which adapters report answers."""

import hashlib
import json
import struct
from typing import TypeAlias

LONGEST = 4096
"""The longest canonical text that crosses the contract as it is, in bytes."""

Form: TypeAlias = "bool | int | float | str | list[Form] | dict[str, Form] | None"
"""What canonical JSON is made of. No right value holds a plain float, but what an adapter sends may."""


def long_form(value: int) -> str:
    """Return a 64-bit integer as its decimal string."""
    return str(value)


def float_form(value: float) -> str:
    """Return the bits of a 32-bit float."""
    return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08x}"


def double_form(value: float) -> str:
    """Return the bits of a 64-bit float."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"


def bytes_form(value: bytes) -> Form:
    """Return the number and the digest of bytes."""
    return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}


def text_form(value: str) -> Form:
    """Return a string, or its UTF-16 units if it is not valid Unicode."""
    units = value.encode("utf-16-le", "surrogatepass")
    try:
        # Python keeps the two surrogates of a pair apart, but they are one character.
        return units.decode("utf-16-le")
    except UnicodeDecodeError:
        return {"utf16": list(struct.unpack(f"<{len(units) // 2}H", units))}


def canonical(value: object) -> str:
    """Return the canonical text of a value made of None, booleans, numbers, strings, bytes, lists and records.

    Raises:
        TypeError: the value contains another type.
    """
    # The escapes of Python's json are those of RFC 8785, and its strings sort by code point.
    return json.dumps(form_of(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_if_large(value: object) -> Form:
    """Return the value in the contract: itself, or the digest of its canonical text if that is long."""
    form = form_of(value)
    text = canonical(form).encode()
    if len(text) <= LONGEST:
        return form
    return {"sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}


def form_of(value: object) -> Form:
    """Return the canonical form of a value."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return text_form(value)
        case bytes():
            return bytes_form(value)
        case list() | tuple():
            return [form_of(item) for item in value]
        case dict():
            return {str(name): form_of(member) for name, member in value.items()}
        case _:
            raise TypeError(f"canonical JSON has no {type(value).__name__}")
