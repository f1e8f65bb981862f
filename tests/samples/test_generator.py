"""The generator: deterministic, of the same shape and size, different, and right in every kind of value."""

import datetime as dt
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import cbor2
import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_inference import VALUES, inferred

from callbench.catalog.generator import dates, numbers
from callbench.catalog.generator import file as generators
from callbench.catalog.generator.calibrate import calibrated
from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.filled import filled
from callbench.catalog.generator.fit import fit
from callbench.catalog.generator.fitted import Fitted
from callbench.catalog.generator.from_schema import from_schema
from callbench.catalog.generator.numbers import size_class
from callbench.catalog.generator.words import Alphabet, words
from callbench.catalog.own import folder
from callbench.catalog.own.conform import Conformance
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape


def random(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - nothing secret


INTEGERS = st.integers(-(2**63), 2**64 - 1) | st.integers(-300, 300)


def made(service: Imported, count: int = 20) -> list[Json]:
    (call,) = service.schema.calls
    fitted = fit(service.schema, [call.request], [[pair.request] for pair in service.payloads[call.name]])
    generator = Generator(fitted, service.schema)
    return [generator.sample(index)[0] for index in range(count)]


def sizes(value: Any) -> tuple[int, int, int]:
    return len(json.dumps(value, ensure_ascii=False).encode()), len(msgpack.packb(value)), len(cbor2.dumps(value))


def varint(value: int) -> int:
    return -(-(value & (2**64 - 1)).bit_length() // 7)


@settings(max_examples=500)
@given(value=INTEGERS, share=st.integers(0, 1000))
def test_all_integers_of_a_class_have_one_size(value: int, share: int) -> None:
    least, most = size_class(value)
    assert least <= value <= most
    other = least + share * (most - least) // 1000
    assert sizes(other) == sizes(value)
    assert varint(other) == varint(value)
    zigzag, other_zigzag = (one * 2 if one >= 0 else -one * 2 - 1 for one in (value, other))
    assert zigzag.bit_length() > 64 or varint(other_zigzag) == varint(zigzag)
    for bits in (8, 16, 32, 64):
        assert (-(2 ** (bits - 1)) <= other < 2 ** (bits - 1)) == (-(2 ** (bits - 1)) <= value < 2 ** (bits - 1))


@settings(max_examples=500)
@given(value=INTEGERS | st.floats(allow_nan=False), seed=st.integers(0, 99))
def test_a_moved_number_has_the_same_size(value: float, seed: int) -> None:
    group = numbers.group_of(value)
    if group is not None:
        step = numbers.step_for([value], group, random(seed))
        other = numbers.moved(value, group, step)
        assert type(other) is type(value)
        assert sizes(other) == sizes(value)
        assert numbers.group_of(other) is not None


@settings(max_examples=100)
@given(values=st.lists(st.integers(1000, 8000), min_size=1, max_size=20), seed=st.integers(0, 99))
def test_sorted_numbers_stay_sorted(values: list[int], seed: int) -> None:
    groups = {numbers.group_of(value) for value in values}
    for group in groups:
        assert group is not None
        members = sorted(value for value in values if numbers.group_of(value) == group)
        step = numbers.step_for(list(members), group, random(seed))
        moved = [numbers.moved(value, group, step) for value in members]
        if (members[0], members[-1]) != (group.least * group.unit, group.most * group.unit):
            assert moved == sorted(moved)


@given(
    text=st.dates().map(str) | st.datetimes().map(lambda one: one.isoformat(timespec="seconds") + "Z"),
    days=st.integers(-400, 400),
)
@example(text="1001-01-01", days=-1)
def test_a_moved_date_is_a_date(text: str, days: int) -> None:
    moved = dates.moved(text, days * 86_400)
    assert len(moved) == len(text)
    assert dates.is_moment(moved) == dates.is_moment(text)
    assert moved[10:] == text[10:]


@settings(max_examples=300)
@given(text=st.text(max_size=30), seed=st.integers(0, 99), window=st.integers(0, 6))
def test_an_alphabet_is_one_to_one(text: str, seed: int, window: int) -> None:
    alphabet = Alphabet([text], random(seed), window)
    written = [alphabet.word(word) for word in words(text)]
    for word, other in zip(words(text), written, strict=True):
        assert len(other.encode()) == len(word.encode())
        assert [letter.isupper() for letter in other] == [letter.isupper() for letter in word]
    assert len(set(written)) == len(set(words(text)))


@settings(max_examples=200, deadline=None)
@given(samples=st.lists(VALUES, min_size=1, max_size=4))
def test_messages_keep_to_the_schema(samples: list[Json]) -> None:
    service = inferred(*samples)
    (call,) = service.schema.calls
    for value in made(service, 6):
        assert Conformance(service.schema).kept(call.request, value) == (value, [])


def test_the_same_seed_gives_the_same_messages() -> None:
    service = inferred(*({"id": number * 7919, "name": f"Ann {number}"} for number in range(1, 6)))
    (call,) = service.schema.calls
    samples = [[pair.request] for pair in service.payloads[call.name]]
    first, again, other = (
        [
            Generator(fit(service.schema, [call.request], samples, seed), service.schema).sample(index)
            for index in range(30)
        ]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert len({json.dumps(one) for one in first}) == 30


def test_every_skeleton_comes_as_often() -> None:
    service = inferred(*({"rows": list(range(number))} for number in range(1, 6)))
    lengths = [len(value["rows"]) for value in made(service, 25)]  # type: ignore[index, arg-type, call-overload]
    assert sorted(lengths) == sorted([1, 2, 3, 4, 5] * 5)


def test_shared_words_are_drawn_from_and_others_are_new() -> None:
    people = ["Anna Smith", "John Smith", "Anna Jones", "John Brown", "Rose Jones", "Rose Brown", "Unik Xqzwy"]
    service = inferred(*({"name": name} for name in people))
    found = {str(value["name"]) for value in made(service, 70)}  # type: ignore[index, call-overload]
    known = {word for name in people for word in name.split()} - {"Unik", "Xqzwy"}
    shared = {name for name in found if set(name.split()) <= known}
    assert len(shared - set(people)) > 2
    assert len(found - shared) > 5
    assert all(re.fullmatch(r"[A-Z][a-z]{3} [A-Z][a-z]{4}", name) for name in found)


def test_what_repeats_in_a_message_repeats() -> None:
    value = {
        "id": "9f8b1c2d-1111-4aaa-8bbb-123456789abc",
        "again": "9f8b1c2d-1111-4aaa-8bbb-123456789abc",
        "n": 5123,
        "m": 5123,
    }
    for other in made(inferred(value)):
        assert isinstance(other, dict)
        assert other["id"] == other["again"]
        assert other["n"] == other["m"]
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", str(other["id"]))


def test_values_that_come_again_only_change_places() -> None:
    rows: list[Json] = [{"kind": ("open", "paid", "paid")[number % 3], "on": number % 2 == 0} for number in range(30)]
    for other in made(inferred({"rows": rows})):
        kinds = [row["kind"] for row in other["rows"]]  # type: ignore[index, call-overload, union-attr]
        assert (kinds.count("open"), kinds.count("paid")) == (10, 20)


def test_numbers_stay_in_the_range_that_was_seen() -> None:
    service = inferred(*({"age": 18 + number, "rate": 1 + number / 100} for number in range(60)))
    for value in made(service, 200):
        assert isinstance(value, dict)
        assert 18 <= int(str(value["age"])) <= 77
        assert 1 <= float(str(value["rate"])) <= 1.6


def test_calibration_replaces_less_where_compression_suffers() -> None:
    service = inferred({"rows": [{"a": number * 1000 % 977, "b": 128 + number} for number in range(60)]})
    (call,) = service.schema.calls
    fitted = fit(service.schema, [call.request], [[pair.request] for pair in service.payloads[call.name]])
    found = calibrated(fitted, service.schema)
    assert found.novelty.numbers <= fitted.novelty.numbers
    assert Fitted.model_validate_json(found.model_dump_json()) == found


def test_generators_in_the_folder(tmp_path: Path) -> None:
    service = inferred(*({"id": number * 7919, "name": f"Ann {number}"} for number in range(5)))
    more, fitted = filled(service, 20)
    folder.write(tmp_path / "own", more, fitted)
    read = folder.read(tmp_path / "own")
    (call,) = read.schema.calls
    pairs = read.payloads[call.name]
    assert pairs[:5] == service.payloads[call.name]
    assert len({json.dumps(pair.request) for pair in pairs}) == 20
    # Without an answer of its own, the server sends the request back.
    assert all(pair.request == pair.answer for pair in pairs)
    assert "5 given and 15 generated payloads" in read.notes[-1]
    generator = generators.read(tmp_path / "own", read, call)
    assert generator.sample(3) == Generator(generators.fitted_to(service, call), service.schema).sample(3)
    file = tmp_path / "own" / "generators" / f"{call.name}.json"
    assert "skeletons" not in json.loads(file.read_text())
    for text in ("{", "[]", '{"messages": 1}', '{"format": 9, "messages": ["Order", "Order"]}'):
        file.write_text(text)
        with pytest.raises(BadInput, match=r"Order.json is .* remove it, and it is fitted again"):
            generators.read(tmp_path / "own", read, call)


EVERYTHING = Schema(
    "all",
    (
        Message(
            "All",
            (
                *(
                    Field(f"f_{kind}", f"f_{kind}", at, kind)
                    for at, kind in enumerate(Kind, 1)
                    if kind not in {"message", "enum"}
                ),
                Field("status", "status", 20, Kind.ENUM, type_name="Status"),
                Field("child", "child", 21, Kind.MESSAGE, Shape.OPTIONAL, "All"),
                Field("children", "children", 22, Kind.MESSAGE, Shape.MANY, "All"),
                Field("by_id", "byId", 23, Kind.DOUBLE, Shape.MAP, key=Kind.INT64),
                Field("note", "note", 24, Kind.STRING, Shape.OPTIONAL, nullable=True),
                *(
                    Field(name, name, at, Kind.STRING, format=form)
                    for at, (name, form) in enumerate(
                        {"day": "date", "at": "date-time", "no": "uuid", "to": "email"}.items(), 30
                    )
                ),
                Field("one", "one", 40, Kind.STRING, oneof="either"),
                Field("two", "two", 41, Kind.MESSAGE, type_name="All", oneof="either"),
            ),
        ),
        Message("Rows", (Field("items", "items", 1, Kind.MESSAGE, Shape.MANY, "All"),), wrapped=True),
    ),
    (OwnCall("Call", "All", "Rows"),),
    (Enumeration("Status", (("open", 0), ("paid", 1))),),
)


def test_messages_for_a_schema_alone() -> None:
    generator = Generator(from_schema(EVERYTHING, ["All", "Rows"]), EVERYTHING)
    conformance = Conformance(EVERYTHING)
    seen = set()
    for index in range(50):
        request, answer = generator.sample(index)
        assert conformance.pair(EVERYTHING.calls[0], Pair(request, answer)) == (Pair(request, answer), [])
        seen.add(json.dumps(request))
        assert len(json.dumps([request, answer])) < 3_000_000
    assert len(seen) == 50


def test_calls_without_samples_get_payloads_from_the_schema() -> None:
    service = Imported(EVERYTHING, "all.proto", "proto", dt.date(2026, 1, 1))
    more, fitted = filled(service)
    assert len(more.payloads["Call"]) == 64
    assert not fitted
    assert "made from the schema, so their sizes are not yours: Call." in more.notes[-1]
    assert filled(service)[0] == more
    endless = Schema(
        "s",
        (Message("Node", (Field("next", "next", 1, Kind.MESSAGE, type_name="Node"),)),),
        (OwnCall("Go", "Node", "Node"),),
    )
    more, _ = filled(Imported(endless, "s.proto", "proto", dt.date(2026, 1, 1)))
    assert not more.payloads
    assert "Go has no payloads: message Node contains itself" in more.notes[-1]


def test_schema_without_an_end_is_refused() -> None:
    message = Message("Node", (Field("next", "next", 1, Kind.MESSAGE, type_name="Node"),))
    with pytest.raises(BadInput, match="message Node contains itself without an end"):
        from_schema(Schema("s", (message,), ()), ["Node"])
    wide = tuple(
        Message(
            f"M{level}",
            tuple(Field(f"f{at}", f"f{at}", at, Kind.MESSAGE, type_name=f"M{level + 1}") for at in range(1, 11)),
        )
        for level in range(8)
    )
    with pytest.raises(BadInput, match="needs over 200,000 values"):
        from_schema(Schema("s", (*wide, Message("M8", ())), ()), ["M0"])
