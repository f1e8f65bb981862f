"""The schema that is inferred accepts every sample: JSON becomes protobuf and JSON again, and nothing is lost."""

import string
from pathlib import Path
from typing import Any

import independent
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from callbench.catalog.imports.fleet import documents, named
from callbench.catalog.imports.samples.collect import Collector
from callbench.catalog.imports.samples.exchange import Exchange
from callbench.catalog.imports.samples.secrets import SampleSecrets
from callbench.catalog.own.check import check
from callbench.catalog.own.conform import Conformance
from callbench.catalog.own.proto_text import proto_text
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json
from callbench.model.service.schema import Encoding, Field, Kind, Shape

GOLDEN = Path(__file__).parent / "golden"
KEYS = st.one_of(
    st.sampled_from(["id", "name", "unitPrice", "unit_price", "items", "2fa", "a-b", "a.b", "", "größe", "type", "ID"]),
    st.text(string.ascii_letters + string.digits + "_-. /@", max_size=6),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["2024-02-29", "1.50", "https://example.org/a", "2024-02-29T10:00:00Z"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


def inferred(*samples: Any, unions: bool = True) -> Imported:
    collector = Collector(SampleSecrets(keep=True), unions=unions)
    for number, sample in enumerate(samples, 1):
        place = f"{number}.json#"
        collector.add(Exchange("order", sample, None, place, place, has_answer=False))
    return collector.service("shop", "samples", "samples", [])


def field(service: Imported, name: str) -> Field:
    return next(field for _, field in service.schema.fields() if field.json_name == name)


@settings(max_examples=300, deadline=None)
@given(samples=st.lists(VALUES, min_size=1, max_size=4))
def test_every_sample_keeps_to_the_schema(samples: list[Json]) -> None:
    service = inferred(*samples)
    check(service.schema)
    (call,) = service.schema.calls
    for pair in service.payloads[call.name]:
        assert Conformance(service.schema).pair(call, pair) == (pair, [])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(samples=st.lists(VALUES, min_size=1, max_size=3))
def test_every_sample_survives_protobuf(samples: list[Json]) -> None:
    survives(inferred(*samples))


@pytest.mark.parametrize("name", documents.names())
def test_every_document_survives_protobuf(name: str) -> None:
    survives(named.imported(f"fleet:viotti/{name}"))


def survives(service: Imported) -> None:
    (call,) = service.schema.calls
    protobuf = independent.Protobuf(service.schema)
    for pair in service.payloads[call.name]:
        sent = protobuf.message(call.request, pair.request).SerializeToString()
        received = protobuf.class_of(call.request).FromString(sent)
        assert protobuf.json(call.request, received) == pair.request


def test_schema_of_three_orders() -> None:
    orders: list[Json] = [
        {
            "id": 7_000_000_000 + number,
            "customer": {"name": "Ann", "email": "ann@example.org"},
            "placedAt": "2024-05-01T10:00:00Z",
            "day": "2024-05-01",
            "total": "12.50",
            "note": None if number else "fast",
            "lines": [{"sku": f"a-{line}", "unit-price": 1.5, "count": -2} for line in range(number)],
            "stock": {f"2024-05-0{day}": day for day in range(1, 4)},
            "matrix": [[1, 2], [3]],
            **({"coupon": "X"} if number == 2 else {}),
        }
        for number in range(3)
    ]
    text = proto_text(inferred(*orders).schema)
    assert text == (GOLDEN / "orders.proto").read_text()


def test_width_and_sign_of_integers() -> None:
    cases = {
        "small": (5, Kind.INT32, Encoding.VARINT),
        "negative": (-5, Kind.INT32, Encoding.ZIGZAG),
        "large": (2**31, Kind.INT64, Encoding.VARINT),
        "unsigned": (2**63, Kind.UINT64, Encoding.VARINT),
        "fraction": (0.5, Kind.DOUBLE, Encoding.VARINT),
        "whole": (2.0, Kind.DOUBLE, Encoding.VARINT),
        "beyond": (2**64, Kind.DOUBLE, Encoding.VARINT),
    }
    service = inferred({name: value for name, (value, _, _) in cases.items()})
    for name, (_, kind, encoding) in cases.items():
        assert (field(service, name).kind, field(service, name).encoding) == (kind, encoding), name
    assert {loss.place for loss in service.schema.losses} == {"Order request/unsigned", "Order request/beyond"}


def test_absent_and_null() -> None:
    service = inferred({"a": 1, "b": 1, "c": None, "d": None}, {"b": None, "c": None, "d": 1}, {"c": None, "b": 2})
    assert field(service, "a").shape is Shape.OPTIONAL
    assert not field(service, "a").nullable
    assert field(service, "b").nullable
    assert field(service, "c").kind is Kind.JSON
    assert not field(service, "d").nullable
    assert service.payloads["Order"][0].request == {"a": 1, "b": 1, "c": None}


def test_values_that_come_again_and_again_are_an_enumeration() -> None:
    service = inferred(*({"status": "paid" if number % 3 else "open", "word": f"w{number}"} for number in range(30)))
    assert field(service, "status").kind is Kind.ENUM
    assert service.schema.enumerations[0].values == (("open", 0), ("paid", 1))
    assert field(service, "word").kind is Kind.STRING


def test_different_keys_are_a_map() -> None:
    service = inferred(*({"prices": {f"{name}{number}": 1.5 for name in "abcd"}} for number in range(5)))
    assert field(service, "prices").shape is Shape.MAP
    service = inferred(*({"sizes": dict.fromkeys("abcdefghijkl", 1.5)} for _ in range(5)))
    assert field(service, "sizes").kind is Kind.MESSAGE


def test_a_thousand_different_keys_need_no_more_memory() -> None:
    service = inferred(*({"by": {f"k{number}_{at}": at for at in range(50)}} for number in range(100)))
    assert field(service, "by").shape is Shape.MAP


def test_samples_that_contradict_each_other() -> None:
    with pytest.raises(BadInput) as refused:
        inferred({"lines": [{"price": 1}]}, {"lines": [{"price": "1"}]}, unions=False)
    assert "1.json#/lines/0/price is a number" in str(refused.value)
    assert "2.json#/lines/0/price is text" in str(refused.value)
    with pytest.raises(BadInput, match=r"1\.json# is an object, but 2\.json# is a list"):
        inferred({}, [], unions=False)


def test_values_of_two_types_in_one_document_are_a_union() -> None:
    service = inferred({"rule": [2, "always"]}, unions=False)
    assert field(service, "rule").kind is Kind.JSON
    assert "1.json#/rule/0 is a number, but 1.json#/rule/1 is text" in service.schema.losses[0].problem


@given(samples=st.lists(VALUES, min_size=1, max_size=3))
def test_a_contradiction_names_two_places_of_two_samples(samples: list[Json]) -> None:
    sentence = refusal(samples)
    assume(sentence)
    assert len({number for number in "123" if f"{number}.json#" in sentence}) == 2


def refusal(samples: list[Json]) -> str:
    try:
        inferred(*samples, unions=False)
    except BadInput as refused:
        return str(refused)
    return ""
