"""Writes contract/golden/service.json: `python tests/service/write_golden.py`.

The file seals what every implementation must reproduce, so it changes only where contract/SERVICE.md does.
"""

import json
from collections.abc import Iterator

from callbench.adapter.service import ServiceFault, expected, sent
from callbench.model.installation import home

SCALARS = ("boolean", "byte", "char", "short", "int", "long", "float", "double", "object")


def cases() -> Iterator[tuple[str, dict[str, object]]]:
    yield "Empty", {}
    yield "Hello", {}
    for a, b in ((1, 2), (2147483647, 1), (-2147483648, -1)):
        yield "Sum", {"a": a, "b": b}
    for n in (0, 1, 3, 300, 70000, -1, 1000001):
        yield "GetPersons", {"n": n}
    for size, fill in (
        *((size, fill) for fill in ("article", "random", "zero", "text") for size in (0, 3, 1027)),
        (1048576, "article"),
        (-1, "zero"),
        (268435457, "random"),
        (4, "noise"),
    ):
        yield "GetBinaryData", {"size": size, "fill": fill}
    for n in (0, 1, 2, 300):
        yield "EchoStructure", {"n": n}
    for n in (0, 1, 2, 60, -1):
        yield "FindItems", {"n": n}
    yield from echoes()
    yield from sends()


def echoes() -> Iterator[tuple[str, dict[str, object]]]:
    for value in ("", 'quote " backslash \\ slash / tab \t bell \x07 delete \x7f', "é €  𝄞"):
        yield "EchoString", {"value": value}
    yield "EchoString", {"value": {"utf16": [233, 55348, 56606]}}
    yield "EchoString", {"content": "fixed", "count": 4094}
    yield "EchoString", {"content": "fixed", "count": 4095}
    yield "EchoString", {"content": "random", "count": 20, "seed": "18446744073709551615"}
    yield "EchoString", {"content": "bmp", "count": 300}
    yield "EchoString", {"content": "bmp", "count": 3000, "seed": 9}


def sends() -> Iterator[tuple[str, dict[str, object]]]:
    for scalar in SCALARS:
        yield "Send", {"type": scalar, "content": "fixed"}
        yield "Send", {"type": scalar, "content": "random", "seed": 5}
    for kind in (*SCALARS, "string"):
        yield "Send", {"type": f"{kind}[]", "content": "fixed", "count": 2}
        yield "Send", {"type": f"{kind}[]", "content": "random", "count": 3}
        yield "Send", {"type": f"{kind}[]", "content": "random", "count": 2000, "seed": "77"}
    for content in ("fixed", "random", "bmp"):
        yield "Send", {"type": "string", "content": content, "count": 12}
    yield "Send", {"type": "char[]", "content": "bmp", "count": 5}
    for kind, value in (
        ("boolean", False),
        ("byte", 255),
        ("char", 55348),
        ("short", -32768),
        ("int", -2147483648),
        ("long", "-9223372036854775808"),
        ("float", "0x80000000"),
        ("double", "0x7ff0000000000000"),
        ("double", 0.1),
        ("string", ""),
        ("object", {"ID": -1, "FirstName": "", "LastName": "é"}),
        ("byte[]", [0, 255]),
        ("float[]", []),
    ):
        yield "Send", {"type": kind, "value": value}


def vector(call: str, arguments: dict[str, object]) -> dict[str, object]:
    it: dict[str, object] = {"call": call, "arguments": arguments}
    if call == "Send":
        it["sent"] = sent(arguments)
    try:
        it["value"] = expected(call, arguments)
    except ServiceFault as fault:
        it["fault"] = {"message": fault.message}
    return it


def text() -> str:
    lines = (json.dumps(vector(call, arguments), ensure_ascii=False) for call, arguments in cases())
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    (home() / "contract" / "golden" / "service.json").write_text(text(), encoding="utf-8")
