"""The calls of the service and their arguments, as defined in contract/SERVICE.md."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from callbench.model.suggestions import allowed_names

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
        low: the lowest allowed integer, for a number.
        high: the highest allowed integer, for a number.
        choices: the allowed texts, if there are only a few.
        required: whether the call needs it.
        free: whether any value is allowed (the value of Send and EchoString).
        decimal: whether the number may be a decimal text, because it can exceed 2^53.
    """

    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    required: bool = True
    free: bool = False
    decimal: bool = False

    def fault(self, value: object) -> str | None:
        """Return what is wrong with a value, or None."""
        if self.free:
            return None
        if self.choices:
            if isinstance(value, str) and value in self.choices:
                return None
            return f"is {value!r}: {allowed_names(str(value), self.choices, 20)}"
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

# Of a call of an imported service: one pair of its payloads; the adapter knows how many there are.
_PAIR = {"pair": Argument(1, 2**31 - 1, required=False)}

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


def faults(call: str, arguments: Mapping[str, object], own: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return the first mistake in a call's arguments.

    Args:
        call: its name.
        arguments: as the study has them.
        own: the calls of an imported service.

    Returns:
        Its key and the rest of a sentence about it; None if all is well.
    """
    mine = dict.fromkeys(own, _PAIR)
    known = {**CALLS, **mine}.get(call)
    if known is None:
        return "call", f'is "{call}", which the service does not have: {allowed_names(call, [*mine, *CALLS])}'
    for name, value in arguments.items():
        if name not in known:
            return f"arguments.{name}", f"is not an argument of {call}: {allowed_names(name, known)}"
        if fault := known[name].fault(value):
            return f"arguments.{name}", fault
    for name, argument in known.items():
        if argument.required and name not in arguments:
            return f"arguments.{name}", f"is missing: {call} takes {', '.join(known)}"
    if known is _GENERATED or call == "Send":
        return _one_source(call, arguments)
    return None


def _one_source(call: str, arguments: Mapping[str, object]) -> tuple[str, str] | None:
    """Check that a value is either given or generated, and not both."""
    if ("value" in arguments) == ("content" in arguments):
        return "arguments", f"must have either value or content: {call} sends the one value or a generated one"
    return None
