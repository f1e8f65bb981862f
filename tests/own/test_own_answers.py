"""The right answers of an imported service, from its schema and the JSON of its pairs."""

import datetime as dt
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.adapter import oracle, own_answers
from callbench.adapter.service import BadArgumentsError
from callbench.model.cell import Cell, Load
from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import Enumeration, Field, Kind, Message, OwnCall, Schema, Shape

SCHEMA = Schema(
    "Orders",
    (
        Message(
            "Order",
            (
                Field("id", "id", 1, Kind.INT64),
                Field("price", "unit-price", 2, Kind.DOUBLE),
                Field("state", "state", 3, Kind.ENUM, type_name="State"),
                Field("note", "note", 4, Kind.STRING, Shape.OPTIONAL),
                Field("gone", "gone", 5, Kind.STRING, Shape.OPTIONAL, nullable=True),
                Field("raw", "raw", 6, Kind.BYTES),
                Field("more", "more", 7, Kind.JSON),
                Field("parts", "parts", 8, Kind.MESSAGE, Shape.MANY, "Part"),
                Field("tags", "tags", 9, Kind.STRING, Shape.MAP),
            ),
        ),
        Message("Part", (Field("count", "count", 1, Kind.INT32),)),
        Message("Parts", (Field("parts", "parts", 1, Kind.MESSAGE, Shape.MANY, "Part"),), wrapped=True),
    ),
    (OwnCall("Place", "Parts", "Order"), OwnCall("Echo", "Part", "Part")),
    (Enumeration("State", (("new", 0), ("paid", 1))),),
)
ORDER: Json = {
    "id": 2**60,
    "unit-price": 2,
    "state": "paid",
    "gone": None,
    "raw": "AAE=",
    "more": [1, 2.5, None, {"x": True}],
    "parts": [{"count": 3}],
    "tags": {"k": "värde"},
}
BARE: Json = {
    "id": 0,
    "unit-price": 0,
    "state": "new",
    "gone": None,
    "raw": "",
    "more": None,
    "parts": [],
    "tags": {},
}
SERVICE = Imported(
    SCHEMA,
    "orders.json",
    "json",
    dt.date(2026, 11, 23),
    {
        "Place": (Pair([{"count": 1}], ORDER), Pair([], BARE), Pair([], ORDER)),
        "Echo": (Pair({"count": 5}, {"count": 5}),),
    },
)


def test_a_form_has_each_type_as_adapters_write_it() -> None:
    """64-bit integers are texts, doubles their bits, bytes their digest, absent members absent or null."""
    formed = own_answers.form(SCHEMA, "Order", ORDER)
    assert isinstance(formed, dict)
    assert formed["id"] == str(2**60)
    assert formed["unit-price"] == "0x" + struct.pack(">d", 2.0).hex()
    assert formed["state"] == "paid"
    assert "note" not in formed
    assert formed["gone"] is None
    assert formed["raw"] == {
        "bytes": 2,
        "sha256": "b413f47d13ee2fe6c845b2ee141af81de858df4ec549a58b7970bb96645bc8d2",
    }
    assert formed["more"] == ["1", "0x" + struct.pack(">d", 2.5).hex(), None, {"x": True}]
    assert formed["parts"] == [{"count": 3}]


def test_what_was_left_out_has_its_default() -> None:
    """Of a member that is always there."""
    formed = own_answers.form(SCHEMA, "Order", {})
    assert formed == {
        "id": "0",
        "unit-price": "0x0000000000000000",
        "state": "new",
        "gone": None,
        "raw": {"bytes": 0, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        "more": None,
        "parts": [],
        "tags": {},
    }


def test_a_request_that_stands_twice_is_answered_as_the_first_time() -> None:
    """As a server does that looks requests up."""
    assert own_answers.right(SERVICE, "Place", {"pair": 3}) == own_answers.form(SCHEMA, "Order", {})


def test_an_unknown_pair_is_refused_with_how_many_there_are() -> None:
    """In one sentence."""
    with pytest.raises(BadArgumentsError, match="3 pairs"):
        own_answers.right(SERVICE, "Place", {"pair": 4})


@settings(deadline=None)
@given(st.integers(-(2**31), 2**31 - 1))
def test_the_oracle_tells_a_wrong_number_from_a_right_one(count: int) -> None:
    """Field by field."""
    said = oracle.error_in("Echo", {}, {"value": {"count": count}}, SERVICE)
    assert (said is None) == (count == 5)


def test_data_are_counted_without_names_and_lengths() -> None:
    """8 for an int64 and a double, 4 for an enumeration, UTF-8 for text."""
    any_value = 8 + 8 + 1 + (1 + 1)
    assert own_answers.payload(SERVICE, "Place", {}) == (4, 8 + 8 + 4 + 2 + any_value + 4 + (1 + 6))


def test_bytes_are_counted_with_the_pair_of_middle_length() -> None:
    """Every call of a count has as many bytes."""
    cell = Cell("c001", "Place", "native/json+http", "Place", {}, Load(1, 1, 1.0), "loopback", {})
    assert own_answers.steady(SERVICE, cell).arguments == {"pair": 3}
    assert own_answers.steady(None, cell) == cell


def test_a_check_goes_through_the_first_pairs() -> None:
    """Of the user's service; other calls stay as they are."""
    assert own_answers.some(SERVICE, "Place", {}, 2) == [{"pair": 1}, {"pair": 2}]
    assert own_answers.some(SERVICE, "Place", {"pair": 2}) == [{"pair": 2}]
    assert own_answers.some(SERVICE, "Sum", {"a": 1}) == [{"a": 1}]
