"""The calls of the service and the arguments each takes, as contract/SERVICE.md has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callbench.catalog.study.near import allowed

MOST_RECORDS = 1_000_000
MOST_OCTETS = 2**28
MOST_ELEMENTS = 16_777_216
SCALARS = ("boolean", "byte", "char", "short", "int", "long", "float", "double", "string", "object")
TYPES = SCALARS + tuple(f"{scalar}[]" for scalar in SCALARS)
FILLS = ("article", "random", "zero", "text")
CONTENTS = ("fixed", "random", "bmp")


@dataclass(frozen=True)
class Argument:
    """One argument of a call.

    Attributes:
        low: least whole number allowed, where it is a number.
        high: greatest whole number allowed, where it is a number.
        choices: the texts allowed, where it is one of a few.
        required: whether the call cannot do without it.
        free: whether any value will do (the value of Send and EchoString).
        decimal: whether a decimal text will do for the number, since it may lie beyond 2^53.
    """

    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    required: bool = True
    free: bool = False
    decimal: bool = False

    def fault(self, value: object) -> str | None:
        """Say what is wrong with a value, or None."""
        if self.free:
            return None
        if self.choices:
            if isinstance(value, str) and value in self.choices:
                return None
            return f"is {value!r}: {allowed(str(value), self.choices, 20)}"
        if self.decimal and isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return None
        return f"is {value!r}: it must be a whole number from {self.low} to {self.high}"


_INT = Argument(-(2**31), 2**31 - 1)
_RECORDS = Argument(0, MOST_RECORDS)
_GENERATED = {
    "value": Argument(required=False, free=True),
    "content": Argument(choices=CONTENTS, required=False),
    "count": Argument(0, MOST_ELEMENTS, required=False),
    "seed": Argument(0, 2**64 - 1, required=False, decimal=True),
}

CALLS: Mapping[str, Mapping[str, Argument]] = {
    "Empty": {},
    "Send": {"type": Argument(choices=TYPES), **_GENERATED},
    "Sum": {"a": _INT, "b": _INT},
    "GetPersons": {"n": _RECORDS},
    "GetBinaryData": {"size": Argument(0, MOST_OCTETS), "fill": Argument(choices=FILLS)},
    "EchoStructure": {"n": _RECORDS},
    "EchoString": _GENERATED,
    "Hello": {},
    "FindItems": {"n": _RECORDS},
}


def faults(call: str, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """Find the first thing wrong with a call's arguments.

    Returns:
        The key it lies at and the rest of a sentence about it, or None where all is well.
    """
    known = CALLS.get(call)
    if known is None:
        return "call", f'is "{call}", which the service does not have: {allowed(call, CALLS)}'
    for name, value in arguments.items():
        if name not in known:
            return f"arguments.{name}", f"is not an argument of {call}: {allowed(name, known)}"
        if fault := known[name].fault(value):
            return f"arguments.{name}", fault
    for name, argument in known.items():
        if argument.required and name not in arguments:
            return f"arguments.{name}", f"is missing: {call} takes {', '.join(known)}"
    if known is _GENERATED or call == "Send":
        return _one_source(call, arguments)
    return None


def _one_source(call: str, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """Check that a value is either given or generated, not both and not neither."""
    if ("value" in arguments) == ("content" in arguments):
        return "arguments", f"must have either value or content: {call} sends the one value or a generated one"
    return None
