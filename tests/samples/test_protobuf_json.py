"""Samples for a `.proto` in protobuf's own JSON: they have the bytes that its package gives the same text."""

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from callbench.catalog.encoders.protobuf import Protobuf
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.catalog.own.protoc import compiled
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json

PROTO = """
syntax = "proto3";
package shop;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Order {
  google.protobuf.Timestamp created_at = 1;
  google.protobuf.Duration lasts = 2;
  google.protobuf.Struct extra = 3;
  google.protobuf.Value value = 4;
  google.protobuf.ListValue list = 5;
  google.protobuf.Any any = 6;
  google.protobuf.FieldMask mask = 7;
  google.protobuf.Int64Value wrapped = 8;
  google.protobuf.BytesValue wrapped_raw = 9;
  google.protobuf.Empty nothing = 10;
  int64 total = 11;
  bytes raw = 12;
  enum State { NEW = 0; PAID = 2; }
  State state = 13;
  double rate = 14;
  optional string note = 15;
  map<bool, int64> by_truth = 16;
  repeated google.protobuf.Timestamp times = 17;
  float share = 18;
  oneof pay { string card = 19; google.protobuf.Timestamp at = 20; }
  Order before = 21;
  map<string, State> states = 22;
  google.protobuf.BoolValue sure = 23;
}
service Shop { rpc Place(Order) returns (Order); }
"""
MOMENTS = st.sampled_from(["2024-01-01T00:00:00Z", "2024-01-01T01:02:03.000000004+02:00", "0001-01-01T00:00:00Z"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3),
    max_leaves=5,
)
WHOLE = st.integers(-(2**63), 2**63 - 1)
STATES = st.sampled_from(["NEW", "PAID", 0, 2])
KEYS: dict[tuple[str, ...], st.SearchStrategy[Any]] = {
    ("createdAt", "created_at"): MOMENTS,
    ("lasts",): st.sampled_from(["1.5s", "-3s", "0s", "0.000000001s"]),
    ("extra",): st.dictionaries(st.text(min_size=1, max_size=3), VALUES, max_size=3),
    ("value",): VALUES.filter(lambda value: value is not None),  # which is a loss: null is the same as absent
    ("list",): st.lists(VALUES, max_size=3),
    ("any",): st.sampled_from(
        [
            {"@type": "type.googleapis.com/shop.Order", "total": "5", "note": ""},
            {"@type": "type.googleapis.com/google.protobuf.Duration", "value": "2s"},
        ]
    ),
    ("mask",): st.sampled_from(["", "total", "createdAt,before.byTruth"]),
    ("wrapped",): WHOLE | WHOLE.map(str),
    ("wrappedRaw", "wrapped_raw"): st.sampled_from(["", "_-8", "/+8=", "AA"]),
    ("nothing",): st.just({}),
    ("total",): WHOLE | WHOLE.map(str),
    ("raw",): st.sampled_from(["", "_-8", "/+8=", "AAEC"]),
    ("state",): STATES,
    ("rate",): st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["1.5", 3]),
    ("note",): st.text(max_size=5) | st.none(),
    ("byTruth", "by_truth"): st.dictionaries(st.sampled_from(["true", "false"]), WHOLE.map(str)),
    ("times",): st.lists(MOMENTS, max_size=3),
    ("share",): st.floats(width=32, allow_nan=False, allow_infinity=False),
    ("states",): st.dictionaries(st.text(max_size=3), STATES, max_size=3),
    ("sure",): st.booleans(),
}


@st.composite
def orders(draw: st.DrawFn, depth: int = 0) -> dict[str, Any]:
    """An order as protobuf's JSON may have it."""
    order: dict[str, Any] = {}
    for names, values in KEYS.items():
        if draw(st.booleans()):
            order[draw(st.sampled_from(names))] = draw(values)
    pay = draw(st.integers(0, 2))
    if pay:
        order.update([("card", draw(st.text(max_size=3))) if pay == 1 else ("at", draw(MOMENTS))])
    if depth < 1 and draw(st.booleans()):
        order["before"] = draw(orders(depth + 1))
    return order


def service(folder: Path, *samples: Json) -> Imported:
    schema = folder / "shop.proto"
    schema.write_text(PROTO)
    files = []
    for number, sample in enumerate(samples):
        files.append(folder / f"place-{number}.json")
        files[-1].write_text(json.dumps(sample))
    return registry.service([str(schema)], Options(samples=tuple(files)))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@example(samples=[{"share": 3.4028234663852886e38, "before": {"share": -3.4028234663852886e38}}])
@given(samples=st.lists(orders(), min_size=1, max_size=12))
def test_samples_have_the_bytes_of_protobufs_own_package(samples: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as made:
        imported = service(Path(made), *samples)
        pool = DescriptorPool()
        for file in compiled(Path(made), "shop.proto").file:
            pool.Add(file)
    of = GetMessageClass(pool.FindMessageTypeByName("shop.Order"))
    encoder = Protobuf(imported.schema)
    taken = [pair.request for pair in imported.payloads["Place"]]
    assert len(taken) == len(samples)
    for sample, request in zip(samples, taken, strict=True):
        theirs = json_format.ParseDict(sample, of(), descriptor_pool=pool).SerializeToString(deterministic=True)
        assert encoder.encode("Order", request) == theirs


def test_the_services_own_json_is_read_too(tmp_path: Path) -> None:
    """As `import` writes it: the fields of a time, and whole numbers as numbers."""
    sample: dict[str, Json] = {
        "createdAt": {"seconds": 5, "nanos": 0},
        "any": {"typeUrl": "x/y", "value": "AA=="},
        "mask": ["a"],
    }
    rest: dict[str, Json] = {"total": 1, "raw": "", "state": "NEW", "rate": 0.5, "share": 0.5}
    (pair,) = service(tmp_path, {**sample, **rest}).payloads["Place"]
    assert pair.request == {**sample, **rest}


def test_keys_that_the_message_lacks_are_named(tmp_path: Path) -> None:
    """And what has its default may be absent."""
    imported = service(tmp_path, {"total": "1", "extra": {"any": 1}, "more": 2, "before": {"less": 1}})
    assert any("left out: Order.before.less, Order.more" in note for note in imported.notes)


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        ({"rate": "NaN"}, "$.rate is nan, which no format based on JSON can carry"),
        ({"share": "-Infinity"}, "$.share is -inf"),
        ({"state": 7}, "the enumeration OrderState has no value 7"),
        ({"state": "LOST"}, "LOST"),
        # Protobuf's package for Python took both for empty.
        ({"raw": "@@"}, "$.raw is no base64"),
        ({"wrappedRaw": "A Q"}, "$.wrappedRaw is no base64"),
        ({"createdAt": "yesterday"}, "protobuf's own reader of JSON says"),
        ({"total": "1.5"}, "protobuf's own reader of JSON says"),
        ({"any": {"@type": "type.googleapis.com/no.Such"}}, "protobuf's own reader of JSON says"),
        ({"created_at": "2024-01-01T00:00:00Z", "createdAt": "2024-01-01T00:00:00Z"}, "createdAt"),
        ([], "place-0.json"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path: Path, sample: Json, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        service(tmp_path, sample)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(sample=orders(), value=VALUES, luck=st.randoms(use_true_random=False))
def test_any_value_is_taken_or_refused(
    tmp_path: Path, sample: dict[str, Any], value: Json, luck: random.Random
) -> None:
    """Whatever stands in place of another one."""
    if sample:
        sample[luck.choice(sorted(sample))] = value
    try:
        service(tmp_path, sample)
    except BadInput as error:
        assert "\n" not in str(error)  # noqa: PT017 - some of them are samples
