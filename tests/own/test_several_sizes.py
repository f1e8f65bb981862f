"""Payloads of several sizes: the user's own, and the same messages with longer or shorter lists."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_own_answers import BARE, ORDER, SCHEMA, SERVICE

from callbench.catalog.generator.draw import Generator
from callbench.catalog.generator.file import fitted_to
from callbench.catalog.generator.lengthened import lengthened
from callbench.catalog.own.conform import Conformance
from callbench.catalog.own.sizes import APART, LONGEST, Sizes, length, sizes_of
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema

PLACE = SCHEMA.calls[0]


def _sizes(schema: Schema, call: OwnCall, pairs: Sequence[Pair]) -> Sizes:
    service = Imported(schema, "x", "json", SERVICE.date, {call.name: tuple(pairs)})
    return sizes_of(schema, call, pairs, Generator(fitted_to(service, call), schema))


def _pair(parts: int) -> Pair:
    many: list[Json] = [{"count": number} for number in range(parts)]
    assert isinstance(ORDER, dict)
    return Pair(many, {**ORDER, "parts": many})


@given(st.integers(1, 5), st.sampled_from([1 / 16, 0.5, 3.0, 16.0]))
def test_lists_and_maps_have_so_many_elements(parts: int, factor: float) -> None:
    other: Json = {"parts": [{"count": 7}], "tags": {f"key{number}": "x" for number in range(40)}}
    answer = _pair(parts).answer
    made = lengthened(SCHEMA, "Order", answer, [other], factor)
    assert isinstance(made, dict)
    lengths = [len(value) for name in ("parts", "tags") if isinstance(value := made[name], list | dict)]
    assert lengths == [max(1, round(parts * factor)), max(1, round(factor))]
    Conformance(SCHEMA).pair(PLACE, Pair([], made))


def test_elements_come_from_other_messages() -> None:
    made = lengthened(SCHEMA, "Parts", [{"count": 1}], [[{"count": 2}, {"count": 3}], [{"count": 4}]], 4)
    assert made == [{"count": 1}, {"count": 2}, {"count": 3}, {"count": 4}]


def test_what_has_no_list_and_no_long_text_stays() -> None:
    assert lengthened(SCHEMA, "Part", {"count": 1}, [{"count": 2}], 16) == {"count": 1}
    assert lengthened(SCHEMA, "Order", BARE, [BARE], 16) == BARE


@pytest.mark.parametrize("kind", [Kind.STRING, Kind.BYTES])
def test_a_long_text_is_joined_with_others(kind: Kind) -> None:
    schema = Schema("Texts", (Message("Text", (Field("id", "id", 1, Kind.INT32), Field("text", "text", 2, kind))),), ())
    made = lengthened(schema, "Text", {"id": 1, "text": "QUJD" * 30}, [{"id": 2, "text": "REVG" * 20}], 4)
    assert isinstance(made, dict)
    text = str(made["text"])
    assert made["id"] == 1
    assert text.startswith("QUJD" * 30)
    assert "REVG" in text
    assert len(text) == 480


def test_sizes_are_apart_and_the_middle_one_is_the_users() -> None:
    pairs = [_pair(2), _pair(3), _pair(4)]
    found = _sizes(SCHEMA, PLACE, pairs)
    lengths = [length(one) for one in found.pairs]
    assert found.made
    assert len(lengths) == 3
    assert pairs[1] in found.pairs
    assert all(large >= APART * small for small, large in pairwise(lengths))
    assert lengths[-1] <= LONGEST


def test_the_users_sizes_are_taken_first() -> None:
    pairs = [_pair(1), *[_pair(30)] * 3, _pair(900)]
    found = _sizes(SCHEMA, PLACE, pairs)
    assert [pairs[0], pairs[1], pairs[-1]] == [one for one in found.pairs if one in pairs]


def test_long_messages_are_made_shorter() -> None:
    pair = _pair(4000)
    found = _sizes(SCHEMA, PLACE, [pair])
    assert found.pairs[-1] == pair or length(found.pairs[-1]) > length(pair)
    assert length(found.pairs[0]) < length(pair) / 100


@pytest.mark.parametrize("kind", [Kind.STRING, Kind.BYTES])
def test_a_message_of_one_long_text_is_made_shorter(kind: Kind) -> None:
    """16 times 27,000 characters are beyond the longest."""
    call = OwnCall("Put", "Text", "Text")
    schema = Schema("Texts", (Message("Text", (Field("text", "text", 1, kind),)),), (call,))
    pair = Pair({"text": "QUJD" * 6_750}, {"text": ""})
    lengths = [length(one) for one in _sizes(schema, call, [pair]).pairs]
    assert lengths[-1] == length(pair)
    assert len(lengths) == 3
    assert all(large >= APART * small for small, large in pairwise(lengths))


def test_an_echo_stays_an_echo() -> None:
    call = OwnCall("Echo", "Parts", "Parts")
    schema = Schema("Echoes", SCHEMA.messages, (call,), SCHEMA.enumerations)
    many: Json = [{"count": number} for number in range(4)]
    found = _sizes(schema, call, [Pair(many, many)])
    assert len(found.pairs) > 1
    assert all(json.dumps(one.request) == json.dumps(one.answer) for one in found.pairs)


def test_one_size_stays_alone_if_nothing_can_be_longer() -> None:
    found = _sizes(SCHEMA, SCHEMA.calls[1], [Pair({"count": 1}, {"count": 1})])
    assert len(found.pairs) == 1
    assert not found.made
