"""A service with all that a schema can say, and payloads for it."""

import datetime as dt
from dataclasses import replace

from callbench.model.service.imported import Imported, Json, Pair
from callbench.model.service.schema import (
    Encoding,
    Enumeration,
    Field,
    Kind,
    Message,
    OwnCall,
    Schema,
    Shape,
)

COLORS = Enumeration("Color", (("none", 0), ("deep red", 5), ("GREEN", -1)))

LEAF = Message(
    "Leaf",
    (
        Field("name", "name", 1, Kind.STRING),
        Field("child", "child", 2, Kind.MESSAGE, Shape.OPTIONAL, "Leaf"),
        Field("leaves", "leaves", 3, Kind.MESSAGE, Shape.MANY, "Leaf"),
    ),
)
FLAT = Message("Flat", (Field("type", "type", 1, Kind.STRING), Field("self", "self", 7, Kind.INT32)))
ROW = Message("Row", (Field("cells", "cells", 1, Kind.DOUBLE, Shape.MANY),), wrapped=True)
TABLE = Message("Table", (Field("rows", "rows", 1, Kind.MESSAGE, Shape.MANY, "Row"),), wrapped=True)
NOTHING = Message("Nothing", ())
ALL = Message(
    "Everything",
    (
        Field("truth", "truth", 1, Kind.BOOL),
        Field("small", "small", 2, Kind.INT32),
        Field("large", "large", 3, Kind.INT64),
        Field("natural", "natural", 4, Kind.UINT32),
        Field("huge", "huge", 5, Kind.UINT64),
        Field("single", "single", 6, Kind.FLOAT),
        Field("real", "realNumber", 7, Kind.DOUBLE),
        Field("text", "text", 8, Kind.STRING),
        Field("raw", "raw", 9, Kind.BYTES),
        Field("color", "color", 10, Kind.ENUM, type_name="Color"),
        Field("anything", "anything", 11, Kind.JSON),
        Field("flat", "flat", 12, Kind.MESSAGE, type_name="Flat"),
        Field("maybe", "maybe", 13, Kind.STRING, Shape.OPTIONAL),
        Field("null_text", "nullText", 14, Kind.STRING, Shape.OPTIONAL, nullable=True),
        Field("maybe_color", "maybeColor", 15, Kind.ENUM, Shape.OPTIONAL, "Color"),
        Field("maybe_raw", "maybeRaw", 16, Kind.BYTES, Shape.OPTIONAL),
        Field("null_flat", "nullFlat", 17, Kind.MESSAGE, Shape.OPTIONAL, "Flat", nullable=True),
        Field("texts", "texts", 18, Kind.STRING, Shape.MANY),
        Field("colors", "colors", 19, Kind.ENUM, Shape.MANY, "Color"),
        Field("raws", "raws", 20, Kind.BYTES, Shape.MANY),
        Field("numbers", "numbers", 21, Kind.INT32, Shape.MANY, encoding=Encoding.ZIGZAG),
        Field("flats", "flats", 22, Kind.MESSAGE, Shape.MANY, "Flat"),
        Field("things", "things", 23, Kind.JSON, Shape.MANY),
        Field("counts", "counts", 24, Kind.INT64, Shape.MAP),
        Field("by_number", "byNumber", 25, Kind.MESSAGE, Shape.MAP, "Flat", key=Kind.INT32),
        Field("fixed", "fixed", 26, Kind.UINT64, encoding=Encoding.FIXED),
        Field("by_text", "byText", 27, Kind.STRING, oneof="chosen"),
        Field("by_count", "byCount", 28, Kind.INT32, oneof="chosen"),
        Field("by_flat", "byFlat", 29, Kind.MESSAGE, type_name="Flat", oneof="chosen"),
        Field("color_of", "colorOf", 30, Kind.ENUM, Shape.MAP, "Color"),
        Field("spread", "spread", 31, Kind.INT32, Shape.MANY, unpacked=True),
        Field("colors_spread", "colorsSpread", 32, Kind.ENUM, Shape.MANY, "Color", unpacked=True),
        Field("always", "always", 33, Kind.INT32, explicit=True),
        Field("always_text", "alwaysText", 34, Kind.STRING, explicit=True),
        Field("by_zigzag", "byZigzag", 35, Kind.STRING, Shape.MAP, key=Kind.INT32, key_encoding=Encoding.ZIGZAG),
    ),
)
SCHEMA = Schema(
    "Everything",
    (ALL, FLAT, LEAF, ROW, TABLE, NOTHING),
    (
        OwnCall("SendEverything", "Everything", "Everything"),
        OwnCall("Grow", "Flat", "Leaf"),
        OwnCall("Transpose", "Table", "Table"),
        OwnCall("Rest", "Nothing", "Nothing"),
    ),
    (COLORS,),
)

FULL: dict[str, Json] = {
    "truth": True,
    "small": -7,
    "large": 2**62 + 1,
    "natural": 2**32 - 1,
    "huge": 2**63 - 1,
    "single": 1.5,
    "realNumber": 0.1,
    "text": "Zoë & <b>'x' \"y\"</b>",
    "raw": "AAEC/w==",
    "color": "deep red",
    "anything": {"a": [1, None, 2.5, {"b": "c"}], "z": True},
    "flat": {"type": "t", "self": 3},
    "maybe": "",
    "nullText": "x",
    "maybeColor": "none",
    "maybeRaw": "",
    "nullFlat": {"type": "", "self": 0},
    "texts": ["a", "", "b" * 100],
    "colors": ["none", "GREEN"],
    "raws": ["", "AA=="],
    "numbers": [-1, 0, 1],
    "flats": [{"type": "u", "self": -(2**31)}],
    "things": [1, "x", None],
    "counts": {"a b": 1, "": -2},
    "byNumber": {"-5": {"type": "m", "self": 1}},
    "fixed": 9,
    "byFlat": {"type": "o", "self": 2},
    "colorOf": {"sky": "GREEN"},
    "spread": [0, 1, 300],
    "colorsSpread": ["none", "GREEN"],
    "always": 4,
    "alwaysText": "a",
    "byZigzag": {"-1": "", "0": "zero"},
}
BARE: dict[str, Json] = {
    "truth": False,
    "small": 0,
    "large": 0,
    "natural": 0,
    "huge": 0,
    "single": 0.0,
    "realNumber": 0.0,
    "text": "",
    "raw": "",
    "color": "none",
    "anything": None,
    "flat": {"type": "", "self": 0},
    "nullText": None,
    "nullFlat": None,
    "texts": [],
    "colors": [],
    "raws": [],
    "numbers": [],
    "flats": [],
    "things": [],
    "counts": {},
    "byNumber": {},
    "fixed": 0,
    "colorOf": {},
    "spread": [],
    "colorsSpread": [],
    "always": 0,
    "alwaysText": "",
    "byZigzag": {},
}
_TREE: Json = {
    "name": "root",
    "child": {"name": "one", "leaves": []},
    "leaves": [{"name": "two", "leaves": [{"name": "three", "leaves": []}]}],
}

SERVICE = Imported(
    SCHEMA,
    "tests/own/everything.py",
    "python",
    dt.date(2026, 11, 23),
    {
        "SendEverything": (Pair(FULL, BARE), Pair(BARE, FULL)),
        "Grow": (Pair({"type": "oak", "self": 1}, _TREE), Pair({"type": "", "self": 0}, {"name": "", "leaves": []})),
        "Transpose": (Pair([[1.5, 2.0], [3.0, 4.0]], [[1.5, 3.0], [2.0, 4.0]]), Pair([], [])),
        "Rest": (Pair({}, {}),),
    },
)

# Numbers at the ends of their ranges, many entries, and few.
_LARGE: Json = {**FULL, "large": -(2**63), "huge": 2**64 - 1, "realNumber": -0.0, "single": 1.1}
_COUNTS: dict[str, Json] = {str(number): number for number in range(100)}
_MANY: dict[str, Json] = {**FULL, "counts": {**_COUNTS}, "raw": "AAEC" * 100}
_FEW: Json = {**FULL, "small": 8}
LATE_DIFFERENCE = Pair(_FEW, {**_MANY, "counts": {**_COUNTS, "99": 0}})
"""A pair of `SendEverything` whose answer differs from WIDER's in the last entry of a map."""
WIDER = replace(
    SERVICE,
    payloads={
        **SERVICE.payloads,
        "SendEverything": (
            *SERVICE.payloads["SendEverything"],
            Pair(_LARGE, BARE),
            Pair(_MANY, _LARGE),
            Pair(_FEW, _MANY),
        ),
    },
)
"""The service with payloads that a language's types can hold only just."""

_ID = (Field("id", "id", 1, Kind.INT32),)
ALIKE = replace(
    SERVICE,
    schema=Schema(
        "orders", (Message("Order", _ID), Message("OrderResponse", _ID)), (OwnCall("Order", "Order", "OrderResponse"),)
    ),
    payloads={"Order": (Pair({"id": 1}, {"id": 2}),)},
)
"""A service whose only call has the name of its message, as that of a sample `order.json` has."""
