"""Every call of the service with its boundary values, as data. The oracle has the right answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MEBIBYTE = 1 << 20

TEXTS: Mapping[str, object] = {
    "empty": "",
    "ascii": "The quick brown fox",
    "latin": "Grüße, señor, naïveté",
    "combining": "e\u0301 o\u0302\u0323 \u1112\u1161\u11ab",
    "astral": "\U0001f600 \U0001d518\U00020000",
    "right-to-left": "שלום \u202eabc\u202c",
    "markup": "<a href=\"x\">&amp; ]]> '%s' <!-- \\ --></a>",
    "spaces": "  two before, tab\there, newline\nhere, two after  ",
    "carriage-return": "a\r\nb\rc",
    "control": "a\u0001b\u001fc",
    "nul": "a\u0000b",
    "not-a-character": "a\ufffeb\uffff",
    "lone-surrogate": {"utf16": [97, 0xD800, 98]},
}

SCALARS: Mapping[str, Mapping[str, object]] = {
    "boolean": {"true": True, "false": False},
    "byte": {"min": 0, "max": 255},
    "char": {"A": 65, "nul": 0, "max": 65535, "surrogate": 0xD800},
    "short": {"min": -32768, "max": 32767},
    "int": {"min": -(2**31), "max": 2**31 - 1},
    "long": {"min": str(-(2**63)), "max": str(2**63 - 1), "beyond-double": str(2**53 + 1)},
    "float": {
        "zero": "0x00000000",
        "minus-zero": "0x80000000",
        "least": "0x00000001",
        "max": "0x7f7fffff",
        "third": "0x3eaaaaab",
        "infinity": "0x7f800000",
        "minus-infinity": "0xff800000",
        "nan": "0x7fc00000",
    },
    "double": {
        "zero": "0x0000000000000000",
        "minus-zero": "0x8000000000000000",
        "least": "0x0000000000000001",
        "max": "0x7fefffffffffffff",
        "third": "0x3fd5555555555555",
        "infinity": "0x7ff0000000000000",
        "minus-infinity": "0xfff0000000000000",
        "nan": "0x7ff8000000000000",
    },
    "object": {
        "plain": {"ID": 42, "FirstName": "Ada", "LastName": "Lovelace"},
        "edges": {"ID": -(2**31), "FirstName": "", "LastName": "<Zoë & \U0001f600>"},
    },
}

COUNTS: Mapping[str, int] = {"empty": 0, "one": 1, "thousand": 1000}
SIZES: tuple[int, ...] = (0, 1, 4, 7, 32768, MEBIBYTE)
FILLS: tuple[str, ...] = ("article", "random", "zero", "text")


@dataclass(frozen=True)
class CallCheck:
    """A call whose answer must be that of the oracle."""

    name: str
    call: str
    arguments: Mapping[str, object]


def checks() -> Iterator[CallCheck]:
    """Yield all calls."""
    yield CallCheck("Empty", "Empty", {})
    yield CallCheck("Hello", "Hello", {})
    sums = {
        "small": (1, 2),
        "zero": (0, 0),
        "negative": (-5, 3),
        "wraps-up": (2**31 - 1, 1),
        "wraps-down": (-(2**31), -1),
    }
    for name, (a, b) in sums.items():
        yield CallCheck(f"Sum/{name}", "Sum", {"a": a, "b": b})
    yield from _sends()
    for name, value in TEXTS.items():
        yield CallCheck(f"EchoString/{name}", "EchoString", {"value": value})
    yield CallCheck("EchoString/every-plane-0-character", "EchoString", {"content": "bmp", "count": 5000, "seed": "3"})
    yield CallCheck("EchoString/mebibyte", "EchoString", {"content": "random", "count": MEBIBYTE, "seed": "1"})
    for n in (0, 1, 2, 100):
        yield CallCheck(f"EchoStructure/{n}", "EchoStructure", {"n": n})
    for n in (0, 1, 250, 257):
        yield CallCheck(f"GetPersons/{n}", "GetPersons", {"n": n})
    for n in (0, 1, 100):
        yield CallCheck(f"FindItems/{n}", "FindItems", {"n": n})
    for fill in FILLS:
        for size in SIZES:
            yield CallCheck(f"GetBinaryData/{fill}-{size}", "GetBinaryData", {"size": size, "fill": fill})
    yield from refusals()


def refusals() -> Iterator[CallCheck]:
    """Yield calls that the server refuses with a fault."""
    yield CallCheck("GetPersons/refuses-negative", "GetPersons", {"n": -1})
    yield CallCheck("GetPersons/refuses-too-many", "GetPersons", {"n": 1_000_001})
    yield CallCheck("FindItems/refuses-negative", "FindItems", {"n": -1})
    yield CallCheck("GetBinaryData/refuses-negative", "GetBinaryData", {"size": -1, "fill": "zero"})
    yield CallCheck("GetBinaryData/refuses-too-large", "GetBinaryData", {"size": 268_435_457, "fill": "zero"})
    yield CallCheck("GetBinaryData/refuses-fill", "GetBinaryData", {"size": 8, "fill": "sawdust"})


def _sends() -> Iterator[CallCheck]:
    for kind, values in SCALARS.items():
        for name, value in values.items():
            yield CallCheck(f"Send/{kind}-{name}", "Send", {"type": kind, "value": value})
        # Boundary values also travel in arrays, which are often encoded in another way than single values.
        if kind != "byte":  # its canonical form is a digest, so bytes come from a generator only
            yield CallCheck(f"Send/{kind}[]-edges", "Send", {"type": f"{kind}[]", "value": list(values.values())})
    for name, text in TEXTS.items():
        yield CallCheck(f"Send/string-{name}", "Send", {"type": "string", "value": text})
    yield CallCheck("Send/string-mebibyte", "Send", {"type": "string", "content": "fixed", "count": MEBIBYTE})
    for kind in (*SCALARS, "string"):
        for name, count in COUNTS.items():
            array = {"type": f"{kind}[]", "content": "random", "count": count, "seed": "7"}
            yield CallCheck(f"Send/{kind}[]-{name}", "Send", array)
    yield CallCheck(
        "Send/byte[]-mebibyte", "Send", {"type": "byte[]", "content": "random", "count": MEBIBYTE, "seed": "7"}
    )
