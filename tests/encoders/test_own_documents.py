"""Messages of a user's own Avro schema or Thrift file have the bytes that its library makes by that very document."""

import base64
import io
import itertools
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import pytest
import thriftpy2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.transport import TMemoryBuffer

from callbench.catalog.encoders.encoder import encoder
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.service.imported import Json
from callbench.model.service.schema import Schema

UNHURRIED = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), report_multiple_bugs=False
)
NAMES = ("id", "name", "a", "count", "value", "x1", "theNote", "is_paid")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
REAL = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308])
SINGLE = st.floats(width=32, allow_nan=False, allow_infinity=False)


def _whole(bits: int) -> st.SearchStrategy[int]:
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return st.integers(least, most) | st.sampled_from([least, most, 0, -1, 63, 64, -64, -65, 127, 128])


@dataclass(frozen=True)
class Branch:
    """A value in one of the branches of a union of Avro.

    Attributes:
        named: whether JSON has an object with the branch's name as its key.
    """

    name: str
    value: Any
    named: bool


def _as_json(value: Any) -> Json:
    """A value as the user's JSON has it."""
    match value:
        case Branch():
            inner = _as_json(value.value)
            return {value.name: inner} if value.named else inner
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {str(key): _as_json(inner) for key, inner in value.items()}
        case list():
            return [_as_json(inner) for inner in value]
        case _:
            scalar: Json = value
            return scalar


def _schema(name: str, text: str) -> Schema:
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / name
        file.write_text(text, encoding="utf-8")
        return registry.service([str(file)], Options()).schema


AVRO: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "int": _whole(32),
    "long": _whole(64),
    "float": SINGLE,
    "double": REAL,
    "string": TEXT,
    "bytes": st.binary(max_size=5),
}
_NUMBERS = itertools.count()


@st.composite
def avro_types(draw: st.DrawFn, depth: int = 0) -> tuple[Any, st.SearchStrategy[Any]]:
    """A type and its values."""
    deep = ["array", "map", "nullable", "record", "union"] if depth < 3 else []
    form = draw(st.sampled_from([*sorted(AVRO), "enum", "fixed", "logical", *deep]))
    match form:
        case "enum":
            symbols = draw(st.lists(st.sampled_from(["A", "B", "low", "HIGH_1", "none"]), min_size=1, unique=True))
            return {"type": "enum", "name": f"E{next(_NUMBERS)}", "symbols": symbols}, st.sampled_from(symbols)
        case "logical":
            logical, kind = draw(st.sampled_from([("date", "int"), ("timestamp-millis", "long")]))
            return {"type": kind, "logicalType": logical}, AVRO[kind]
        case "fixed":
            size = draw(st.sampled_from([0, 1, 4, 16]))
            return {"type": "fixed", "name": f"F{next(_NUMBERS)}", "size": size}, st.binary(
                min_size=size, max_size=size
            )
        case "record":
            return draw(avro_records(depth + 1))
        case "array" | "map" | "nullable" | "union":
            return draw(avro_unions(depth)) if form == "union" else _holding(draw, form, *draw(avro_types(depth + 1)))
        case _:
            return form, AVRO[form]


def _holding(
    draw: st.DrawFn, form: str, inner: Any, values: st.SearchStrategy[Any]
) -> tuple[Any, st.SearchStrategy[Any]]:
    if form == "array":
        return {"type": "array", "items": inner}, st.lists(values, max_size=3)
    if form == "map":
        return {"type": "map", "values": inner}, st.dictionaries(TEXT, values, max_size=3)
    if isinstance(inner, list):
        return inner, values
    there = st.builds(Branch, st.just(_name(inner)), values, st.just(False))
    return draw(st.permutations(["null", inner])), st.none() | there


@st.composite
def avro_unions(draw: st.DrawFn, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
    """A union of types that fastavro tells apart, with or without null."""
    drawn = [draw(avro_types(depth + 1)) for _ in range(3)]
    branches = {_name(kind): (kind, values) for kind, values in drawn if not isinstance(kind, list)}
    kinds = [kind for kind, _ in branches.values()]
    inner = [st.builds(Branch, st.just(name), values, st.just(True)) for name, (_, values) in branches.items()]
    if len(kinds) > 1 and draw(st.booleans()):
        return draw(st.permutations(["null", *kinds])), st.one_of(st.none(), *inner)
    return (kinds, st.one_of(inner)) if kinds else ("string", TEXT)


def _name(kind: Any) -> str:
    """What a union calls a type."""
    return str(kind if isinstance(kind, str) else kind.get("name", kind["type"]))


@st.composite
def avro_records(draw: st.DrawFn, depth: int = 0) -> tuple[Any, st.SearchStrategy[Any]]:
    """A record; some of its fields have defaults, which change nothing of what is written."""
    fields, values = [], {}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True)):
        kind, of = draw(avro_types(depth))
        field = {"name": name, "type": kind}
        if isinstance(kind, list) and kind[0] == "null":
            field["default"] = None
        if kind == "string" and draw(st.booleans()):
            field["default"] = "none"
        fields.append(field)
        values[name] = of
    return {"type": "record", "name": f"R{next(_NUMBERS)}", "fields": fields}, st.fixed_dictionaries(values)


@UNHURRIED
@given(drawn=avro_records(), data=st.data())
def test_a_message_of_any_avro_schema_has_the_bytes_of_fastavro(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    document, values = drawn
    schema = _schema("order.avsc", json.dumps(document))
    of_format, parsed = encoder("avro", schema), fastavro.parse_schema(_plain(document))
    for _ in range(5):
        value = data.draw(values)
        target = io.BytesIO()
        fastavro.schemaless_writer(target, parsed, _sorted(value))
        made = of_format.encode(schema.calls[0].request, _as_json(value))
        assert len(made) == len(target.getvalue())
        assert made == target.getvalue() or _moves_null(document)


def _moves_null(node: Any) -> bool:
    """Whether null is not the first branch of a union, as it is here wherever it stands in the user's."""
    if isinstance(node, list):
        return node[:1] != ["null"] or any(map(_moves_null, node))
    if not isinstance(node, dict):
        return False
    within = [node.get(key) for key in ("type", "items", "values")] + [
        field["type"] for field in node.get("fields", [])
    ]
    return any(map(_moves_null, within))


def _sorted(value: Any) -> Any:
    """The value as fastavro takes it, with the keys of its maps in order, in which a message has them here."""
    if isinstance(value, Branch):
        return value.name, _sorted(value.value)
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=str.encode)}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value


def _plain(node: Any) -> Any:
    """The schema without logical types, for which fastavro wants values of Python's own types."""
    if isinstance(node, dict):
        return {key: _plain(inner) for key, inner in node.items() if key != "logicalType"}
    return [_plain(inner) for inner in node] if isinstance(node, list) else node


THRIFT: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "byte": st.integers(-128, 127),
    "i8": st.integers(-128, 127),
    "i16": _whole(16),
    "i32": _whole(32),
    "i64": _whole(64),
    "double": REAL,
    "string": TEXT,
    "binary": st.binary(max_size=5),
    "Color": st.sampled_from(["RED", "GREEN", "DEEP"]),
}
COLORS = {"RED": 0, "GREEN": 7, "DEEP": 40000}
KEYS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXT,
    "byte": st.integers(-128, 127),
    "i16": _whole(16),
    "i32": _whole(32),
    "i64": _whole(64),
}


@st.composite
def thrift_types(draw: st.DrawFn, structs: dict[str, Any], depth: int = 0) -> tuple[str, st.SearchStrategy[Any]]:
    """A type and its values."""
    forms = ["base"] * 3 + (["list", "set", "map"] if depth < 3 else []) + (["struct"] if structs else [])
    form = draw(st.sampled_from(forms))
    if form == "struct":
        name = draw(st.sampled_from(sorted(structs)))
        return name, structs[name]
    if form == "set":
        kind = draw(st.sampled_from(["i32", "i64", "string"]))
        return f"set<{kind}>", st.lists(THRIFT[kind], max_size=3, unique=True)
    if form == "base":
        kind = draw(st.sampled_from(sorted(THRIFT)))
        return kind, THRIFT[kind]
    inner, values = draw(thrift_types(structs, depth + 1))
    if form == "list":
        return f"list<{inner}>", st.lists(values, max_size=3)
    key = draw(st.sampled_from([*sorted(KEYS), "Color", "binary"]))
    if key in KEYS:
        return f"map<{key}, {inner}>", st.dictionaries(KEYS[key], values, max_size=3)
    pairs = st.lists(st.fixed_dictionaries({"key": THRIFT[key], "value": values}), max_size=3, unique_by=_key)
    return f"map<{key}, {inner}>", pairs


def _key(pair: dict[str, Any]) -> Any:
    return pair["key"]


@st.composite
def thrift_files(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A file of structs, and their values by name."""
    lines = [f"enum Color {{ {', '.join(f'{name} = {number}' for name, number in COLORS.items())} }}"]
    structs: dict[str, Any] = {}
    for name in ("Inner", "Outer", "Root"):
        required: dict[str, Any] = {}
        optional: dict[str, Any] = {}
        number = 0
        lines.append(f"{draw(st.sampled_from(['struct', 'exception']))} {name} {{")
        for field in draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True)):
            number += draw(st.sampled_from([1, 2, 15, 16, 300]))
            kind, values = draw(thrift_types(structs))
            may_be_absent = draw(st.booleans()) and "<" not in kind
            (optional if may_be_absent else required)[field] = values
            word = "optional" if may_be_absent else draw(st.sampled_from(["", "required"]))
            lines.append(f"  {number}: {word} {kind} {field}")
        lines.append("}")
        structs[name] = st.fixed_dictionaries(required, optional=optional)
    return "\n".join(lines).replace("exception", "struct", 1), structs


def _as_thrift(kind: tuple[Any, ...], value: Any) -> Any:
    """A value as thriftpy2 has it.

    Args:
        kind: its type, and what it holds.
        value: as drawn.
    """
    code, held = kind[0], kind[1] if len(kind) > 1 else None

    def inner(of: Any, part: Any) -> Any:
        return _as_thrift(of if isinstance(of, tuple) else (of,), part)

    types = thriftpy2.thrift.TType
    if code == types.STRUCT:
        assert held is not None
        specs = {spec[1]: (spec[0], *spec[2:-1]) for spec in held.thrift_spec.values()}
        return held(**{name: inner(specs[name], part) for name, part in value.items()})
    if code in {types.LIST, types.SET}:
        return [inner(held, part) for part in value]
    if code == types.MAP:
        assert held is not None
        if isinstance(value, list):
            return {inner(held[0], pair["key"]): inner(held[1], pair["value"]) for pair in value}
        ordered = sorted(value, key=str.encode) if held[0] == types.STRING else sorted(value)
        return {key: inner(held[1], value[key]) for key in ordered}
    return COLORS.get(value, value) if code == types.I32 else value


@UNHURRIED
@given(made=thrift_files(), data=st.data())
@pytest.mark.parametrize(("name", "protocol"), [("thrift", TCompactProtocol), ("thrift-binary", TBinaryProtocol)])
def test_a_message_of_any_thrift_file_has_the_bytes_of_thrift(
    name: str, protocol: Callable[[TMemoryBuffer], Any], made: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    text, structs = made
    schema = _schema("shop.thrift", text)
    # A set is imported as a list, which is a loss that is named: one bit differs.
    module = thriftpy2.load_fp(io.StringIO(text.replace("set<", "list<")), module_name=f"shop{next(_NUMBERS)}_thrift")
    of_format = encoder(name, schema)
    for _ in range(5):
        value = data.draw(structs["Root"])
        target = TMemoryBuffer()
        protocol(target).write_struct(_as_thrift((thriftpy2.thrift.TType.STRUCT, module.Root), value))
        assert of_format.encode("Root", _as_json(value)) == bytes(target.getvalue()), text
