"""The folder of an imported service: what is written is read back, and what is wrong in it is named with its line."""

import base64
import datetime as dt
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callbench.catalog.own import folder
from callbench.catalog.own import place as places
from callbench.catalog.own.check import check
from callbench.model.errors import BadInput
from callbench.model.service.identifiers import field_names, pascal
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import (
    Encoding,
    Enumeration,
    Field,
    Kind,
    Loss,
    Message,
    OwnCall,
    Schema,
    Shape,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = TEXT.map(pascal)
INTEGERS = {Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64}
KEYS = st.sampled_from([Kind.STRING, Kind.BOOL, Kind.INT32, Kind.INT64, Kind.UINT32, Kind.UINT64])


@st.composite
def fields(draw: st.DrawFn, name: str, json_name: str, number: int, types: dict[Kind, list[str]]) -> Field:
    kind = draw(st.sampled_from([kind for kind in Kind if types.get(kind, ["there is one"])]))
    shape = draw(st.sampled_from(Shape))
    encodings = [Encoding.VARINT]
    if kind in INTEGERS:
        encodings += [Encoding.FIXED] if kind in {Kind.UINT32, Kind.UINT64} else [Encoding.ZIGZAG, Encoding.FIXED]
    return Field(
        name=name,
        json_name=json_name,
        number=number,
        kind=kind,
        shape=shape,
        type_name=draw(st.sampled_from(types[kind])) if kind in types else "",
        format=draw(st.sampled_from(["", "decimal", "date-time", 'a "quoted" \\ one', "e\nf  "])),
        nullable=shape is Shape.OPTIONAL and draw(st.booleans()),
        encoding=draw(st.sampled_from(encodings)),
        key=draw(KEYS) if shape is Shape.MAP else Kind.STRING,
    )


@st.composite
def messages(draw: st.DrawFn, name: str, types: dict[Kind, list[str]]) -> Message:
    keys = draw(st.lists(TEXT, max_size=6, unique=True))
    named = list(zip(field_names(keys), keys, strict=True))
    numbers = draw(st.permutations(range(1, len(named) + 1)))
    of = [draw(fields(one, key, number, types)) for (one, key), number in zip(named, numbers, strict=True)]
    if len(of) > 3 and draw(st.booleans()):
        of[1:3] = [
            Field(one.name, one.json_name, one.number, one.kind, type_name=one.type_name, oneof="either")
            for one in of[1:3]
        ]
    return Message(name, tuple(of), len(of) == 1 and draw(st.booleans()))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(NAME, min_size=1, max_size=6, unique=True))
    half = draw(st.integers(1, len(names)))
    enumerations = []
    for name in names[half:]:
        values = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
        numbers = [0, *(draw(st.integers(-(2**31), 2**31 - 1)) for _ in values[1:])]
        enumerations.append(Enumeration(name, tuple(zip(values, numbers, strict=True)), draw(st.booleans())))
    types = {Kind.MESSAGE: names[:half], Kind.ENUM: names[half:]}
    made = tuple(draw(messages(name, types)) for name in names[:half])
    calls = tuple(
        OwnCall(name, draw(st.sampled_from(names[:half])), draw(st.sampled_from(names[:half])), "GET", draw(TEXT))
        for name in draw(st.lists(NAME, max_size=3, unique_by=str.lower))
    )
    losses = tuple(Loss(draw(TEXT), f"problem {number}", draw(TEXT)) for number in range(draw(st.integers(0, 3))))
    return Schema(draw(TEXT), made, calls, tuple(enumerations), losses)


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SCALARS: dict[Kind, st.SearchStrategy[Json]] = {
    Kind.BOOL: st.booleans(),
    Kind.INT32: st.integers(-(2**31), 2**31 - 1),
    Kind.INT64: st.integers(-(2**63), 2**63 - 1),
    Kind.UINT32: st.integers(0, 2**32 - 1),
    Kind.UINT64: st.integers(0, 2**64 - 1),
    Kind.FLOAT: st.floats(width=32, allow_nan=False, allow_infinity=False),
    Kind.DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
    Kind.STRING: TEXT,
    Kind.BYTES: st.binary(max_size=5).map(lambda held: base64.b64encode(held).decode()),
    Kind.JSON: JSON,
}


class TooDeepError(Exception):
    """A message needs itself."""


def value_of(draw: st.DrawFn, schema: Schema, name: str, depth: int = 0) -> Json:
    """A value that fits a message."""
    if depth > 8:
        raise TooDeepError
    message = schema.message(name)
    value: dict[str, Json] = {}
    groups: set[str] = set()
    for field in message.fields:
        if field.oneof in groups or (field.shape is Shape.OPTIONAL and (depth > 2 or draw(st.booleans()))):
            if field.nullable or message.wrapped:
                value[field.json_name] = None
            continue
        groups |= {field.oneof} - {""}
        count = 0 if depth > 2 else draw(st.integers(0, 2))
        if field.shape is Shape.MANY:
            value[field.json_name] = [one_of(draw, schema, field, depth) for _ in range(count)]
        elif field.shape is Shape.MAP:
            keys = ["false", "true"] if field.key is Kind.BOOL else ["0", "1"]
            value[field.json_name] = {key: one_of(draw, schema, field, depth) for key in keys[:count]}
        else:
            value[field.json_name] = one_of(draw, schema, field, depth)
    return value[message.fields[0].json_name] if message.wrapped else value


def one_of(draw: st.DrawFn, schema: Schema, field: Field, depth: int) -> Json:
    if field.kind is Kind.MESSAGE:
        return value_of(draw, schema, field.type_name, depth + 1)
    if field.kind is Kind.ENUM:
        values = next(one.values for one in schema.enumerations if one.name == field.type_name)
        return draw(st.sampled_from(values))[0]
    return draw(SCALARS[field.kind])


@st.composite
def services(draw: st.DrawFn) -> Imported:
    schema = draw(schemas())
    pairs = {}
    for call in schema.calls:
        try:
            pair = Pair(value_of(draw, schema, call.request), value_of(draw, schema, call.answer))
        except TooDeepError:
            continue
        pairs[call.name] = (pair,) * draw(st.integers(0, 2))
    day = draw(st.dates())
    return Imported(schema, draw(TEXT), draw(TEXT), day, pairs, tuple(draw(st.lists(TEXT, max_size=2))))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(services())
def test_what_is_written_is_read_back(service: Imported) -> None:
    check(service.schema)
    with tempfile.TemporaryDirectory() as parent:
        place = Path(parent) / "own"
        folder.write(place, service)
        assert places.is_service(place)
        assert folder.read(place) == service


def example() -> Imported:
    """A service with one of everything that a person would change."""
    order = Message(
        "Order",
        (
            Field("id", "id", 1, Kind.STRING, format="uuid"),
            Field("unit_price", "unit-price", 2, Kind.STRING, Shape.OPTIONAL, format="decimal", nullable=True),
            Field("status", "status", 3, Kind.ENUM, type_name="Status"),
        ),
    )
    orders = Message("Orders", (Field("items", "items", 1, Kind.MESSAGE, Shape.MANY, "Order"),), wrapped=True)
    status = Enumeration("Status", (("new", 0), ("in-stock", 1)))
    schema = Schema("orders", (order, orders), (OwnCall("List", "Order", "Orders", "GET", "/orders"),), (status,))
    pairs = {"List": (Pair({"id": "1", "unit-price": None, "status": "new"}, []),)}
    return Imported(schema, "orders.yaml", "openapi 3.1", dt.date(2026, 1, 2), pairs, ("Cookies were left out.",))


def test_a_person_can_read_the_schema(tmp_path: Path) -> None:
    folder.write(tmp_path / "orders", example())
    assert (tmp_path / "orders" / "schema.proto").read_text() == (Path(__file__).parent / "orders.proto").read_text()


def test_a_person_can_change_the_schema(tmp_path: Path) -> None:
    folder.write(tmp_path / "orders", example())
    file = tmp_path / "orders" / "schema.proto"
    file.write_text(file.read_text().replace("message Orders", "message Added {\n  sint64 x = 7;\n}\nmessage Orders"))
    added = folder.read(tmp_path / "orders").schema.message("Added")
    assert added.fields == (Field("x", "x", 7, Kind.INT64, encoding=Encoding.ZIGZAG),)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("schema.proto", "string id = 1", "strin id = 1", "schema.proto, line 6, column 3: "),
        ("schema.proto", "format=uuid", "fromat=uuid", "schema.proto, line 6: cannot read 'fromat=uuid'"),
        ("schema.proto", "format=uuid", "format", "schema.proto, line 6: format needs value"),
        ("schema.proto", "id = 1", "id = 2", "schema.proto, line 7, column "),
        ("service.toml", 'request = "Order"', 'request = "Nobody"', "there is no message 'Nobody'"),
        ("service.toml", 'request = "Order"', "request = 5", "call List: request"),
        ("service.toml", "[[call]]", "[[call]", "service.toml: "),
        ("service.toml", "payloads/List", "../List", "outside the folder"),
        ("payloads/List.jsonl", "}\n", "}\n{\n", "List.jsonl, line 2: it is not JSON"),
        (
            "payloads/List.jsonl",
            '"new"',
            '"old"',
            "line 1: request: $.status: 'old' is none of new, in-stock",
        ),
        ("payloads/List.jsonl", '"id": "1"', '"id": 1', "List.jsonl, line 1: request: $.id is a whole number"),
        ("payloads/List.jsonl", '"id"', '"key"', "List.jsonl, line 1: request: $: the key 'id' is missing"),
        (
            "payloads/List.jsonl",
            "[]",
            '[{"more": 1, "id": "", "status": "new"}]',
            "$[0].more is a key that the",
        ),
        ("payloads/List.jsonl", '"answer"', '"reply"', "List.jsonl, line 1: a line is"),
    ],
)
def test_an_error_names_the_place(tmp_path: Path, file: str, old: str, new: str, expected: str) -> None:
    folder.write(tmp_path / "orders", example())
    changed = tmp_path / "orders" / file
    assert old in changed.read_text()
    changed.write_text(changed.read_text().replace(old, new, 1))
    with pytest.raises(BadInput) as error:
        folder.read(tmp_path / "orders")
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    folder.write(tmp_path / "orders", example())
    with pytest.raises(BadInput, match="exists"):
        folder.write(tmp_path / "orders", example())
    assert [one.name for one in tmp_path.iterdir()] == ["orders"]
