"""The calls of a service of one's own with Avro: with fastavro on the other side, by the protocol that is derived."""

import io
from typing import Any

import fastavro
import pytest
from answering import answering, posted
from by_avro import from_avro, to_avro
from compiling import compiled
from everything_service import SCHEMA, SERVICE
from hypothesis import HealthCheck, given, settings
from test_folder import schemas

from callbench.adapter import oracle
from callbench.adapter.own_answers import PAIR
from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.catalog.own.avro_protocol import by_json_keys, protocol
from callbench.model.service.schema import Field, Kind, Message, OwnCall, Schema, Shape

LONG = pytest.mark.timeout(1500)
"""The first test waits for the compiler, which takes long on a busy machine."""
KIND = "avro/binary"
METADATA = {"type": "map", "values": "bytes"}
CALLS = {call.name: call for call in SCHEMA.calls}


def _known(schema: Schema = SCHEMA) -> dict[str, Any]:
    """The schema of each call's parameters, and of its answer, with the types that they name."""
    said: Any = protocol(schema)
    named: dict[str, Any] = {}
    for one in said["types"]:
        named[one["name"]] = one

    def whole(root: Any) -> Any:
        seen: set[str] = set()

        def filled(node: Any) -> Any:
            if isinstance(node, str) and node in named and node not in seen:
                seen.add(node)
                return filled(named[node])
            if isinstance(node, dict):
                return {key: it if key in {"name", "symbols"} else filled(it) for key, it in node.items()}
            return [filled(it) for it in node] if isinstance(node, list) else node

        return fastavro.parse_schema(filled(root))

    return {
        name: (whole({"type": "record", "name": name, "fields": it["request"]}), whole(it["response"]))
        for name, it in said["messages"].items()
    }


@LONG
@pytest.mark.slow
def test_our_server_answers_fastavro_with_each_pair(native: Manifest) -> None:
    """In Avro's call format, with nothing left behind a message."""
    known = _known()
    with Adapter(native, "the server") as server:
        url = server.serve("native/avro+http")
        for name, call in CALLS.items():
            asked_by, answered_by = known[name]
            for pair in SERVICE.payloads[name]:
                target = io.BytesIO()
                fastavro.schemaless_writer(target, METADATA, {})
                fastavro.schemaless_writer(target, "string", name)
                fastavro.schemaless_writer(target, asked_by, {"request": to_avro(call.request, pair.request)})
                source = io.BytesIO(posted(url, KIND, target.getvalue()))
                assert fastavro.schemaless_reader(source, METADATA, None) == {}
                assert fastavro.schemaless_reader(source, "boolean", None) is False
                answer = fastavro.schemaless_reader(source, answered_by, None)
                assert from_avro(call.answer, answer) == pair.answer
                assert source.read() == b""


@LONG
@pytest.mark.slow
def test_our_client_is_answered_by_fastavro(native: Manifest) -> None:
    """Which finds in the request what the user wrote."""
    known = _known()

    def answer(body: bytes) -> bytes:
        source, target = io.BytesIO(body), io.BytesIO()
        assert fastavro.schemaless_reader(source, METADATA, None) == {}
        name = str(fastavro.schemaless_reader(source, "string", None))
        call, (asked_by, answered_by) = CALLS[name], known[name]
        asked: Any = fastavro.schemaless_reader(source, asked_by, None)
        found = [it for it in SERVICE.payloads[name] if it.request == from_avro(call.request, asked["request"])]
        fastavro.schemaless_writer(target, METADATA, {})
        fastavro.schemaless_writer(target, "boolean", not found)
        if found and source.read() == b"":
            fastavro.schemaless_writer(target, answered_by, to_avro(call.answer, found[0].answer))
        else:
            fastavro.schemaless_writer(target, ["string"], "the request is in no pair")
        return target.getvalue()

    with answering(KIND, answer) as url, Adapter(native, "the client") as client:
        client.connect("native/avro+http", url, 1)
        for name in CALLS:
            for number in range(1, len(SERVICE.payloads[name]) + 1):
                arguments = {PAIR: number}
                assert oracle.error_in(name, arguments, client.call(name, arguments), client.service) is None


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas())
def test_fastavro_takes_what_is_derived_from_any_schema(schema: Schema) -> None:
    """With every record's fields in their order, whatever their keys in JSON are."""
    assert set(_known(schema)) <= {call.name for call in schema.calls}
    said: Any = protocol(schema)
    records = {one["name"].partition(".")[2]: one["fields"] for one in said["types"] if one["type"] == "record"}
    for name, fields in records.items():
        assert [one["name"] for one in fields] == [one.name for one in schema.message(name).fields]


def test_the_protocol_is_the_same_by_both_names() -> None:
    """But for the names."""

    def bare(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: len(it) if key == "symbols" else bare(it) for key, it in node.items() if key != "name"}
        return [bare(it) for it in node] if isinstance(node, list) else node

    assert bare(protocol(SCHEMA)) == bare(by_json_keys(SCHEMA))


def test_a_call_that_avro_has_no_type_for_is_left_out() -> None:
    """A list within itself, at whatever depth; and the others are there."""
    nest = Message("Nest", (Field("items", "items", 1, Kind.MESSAGE, Shape.MANY, "Nest"),), wrapped=True)
    holder = Message("Holder", (Field("nest", "nest", 1, Kind.MESSAGE, type_name="Nest"),))
    maybe = Message("Maybe", (Field("it", "it", 1, Kind.STRING, Shape.OPTIONAL),), wrapped=True)
    twice = Message("Twice", (Field("maybe", "maybe", 1, Kind.MESSAGE, Shape.OPTIONAL, "Maybe"),))
    outer = Message("Outer", (Field("holders", "holders", 1, Kind.MESSAGE, Shape.MANY, "Holder"),))
    names = ("Nest", "Holder", "Maybe", "Twice", "Outer")
    schema = Schema("S", (nest, holder, maybe, twice, outer), tuple(OwnCall(f"Do{it}", it, it) for it in names))
    said: Any = protocol(schema)
    assert list(said["messages"]) == ["DoMaybe"]
    assert said["messages"]["DoMaybe"]["response"] == ["null", "string"]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """The native adapter with the calls."""
    return compiled(tmp_path_factory.mktemp("own"))
