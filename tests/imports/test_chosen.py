"""The calls that a user names, of a document that has more."""

import json
from pathlib import Path

import pytest
from importing import DOCUMENTS, classes

from callbench.catalog.generator.filled import filled
from callbench.catalog.imports import registry, source
from callbench.catalog.own import folder, study
from callbench.model.errors import BadInput
from callbench.model.service.imported import MOST_CALLS, Imported
from callbench.model.service.schema import Schema

ONE_CALL = {
    "bookshop.yaml": "Pay",
    "clinic.yaml": "AddPatient",
    "flights.avpr": "*",
    "library.wsdl": "*",
    "orders.proto": "Get",
    "parcels.thrift": "*",
    "rooms.capnp": "*",
    "tools.json": "*",
}


def service(document: str, *calls: str) -> Imported:
    return registry.service([str(DOCUMENTS / document)], source.Options(calls=calls))


@pytest.mark.parametrize("document", ONE_CALL)
def test_a_call_comes_with_its_types_and_without_others(document: str, tmp_path: Path) -> None:
    """The schema is whole, since protobuf's compiler takes it; every type in it is needed."""
    whole = service(document)
    pattern = ONE_CALL[document]
    name = whole.schema.calls[-1].name if pattern == "*" else pattern
    one = service(document, name)
    assert [call.name for call in one.schema.calls] == [name]
    assert set(one.payloads) <= {name}
    assert set(one.schema.losses) <= set(whole.schema.losses)
    assert set(classes(tmp_path / "protoc", one.schema)) == {message.name for message in one.schema.messages}
    assert _referred(one.schema) == _names(one.schema)


def _names(schema: Schema) -> set[str]:
    return {message.name for message in schema.messages} | {one.name for one in schema.enumerations}


def _referred(schema: Schema) -> set[str]:
    """What a call refers to, or a field of another message."""
    ends = {name for call in schema.calls for name in (call.request, call.answer)}
    return ends | {field.type_name for _, field in schema.fields() if field.type_name}


def test_a_pattern_takes_several_and_each_must_take_one() -> None:
    assert [call.name for call in service("orders.proto", "*").schema.calls] == [
        call.name for call in service("orders.proto").schema.calls
    ]
    for document in ("bookshop.yaml", "orders.proto"):
        with pytest.raises(BadInput, match=r"has no call 'Gat'; it has .*: name one of them"):
            service(document, "*", "Gat")


def test_losses_of_other_calls_are_left_out() -> None:
    places = [loss.place for loss in service("bookshop.yaml", "Pay").schema.losses]
    assert places
    assert not any("/paths/~1books" in place for place in places)


def test_a_document_with_more_calls_than_one_run_measures(tmp_path: Path) -> None:
    """It is imported in seconds, with few payloads; to measure it, calls must be named."""
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Part"}}}}
    names = [f"part{at}" for at in range(MOST_CALLS + 1)]
    paths = {f"/{name}": {"get": {"operationId": name, "responses": {"200": answer}}} for name in names}
    keys = {"name": {"type": "string"}, "part": {"$ref": "#/components/schemas/Part"}}
    types = {"schemas": {"Part": {"type": "object", "properties": keys}}}
    document = {"openapi": "3.0.3", "info": {"title": "parts"}, "paths": paths, "components": types}
    file = tmp_path / "parts.json"
    file.write_text(json.dumps(document))
    whole, generators = filled(registry.service([str(file)], source.Options()))
    assert not generators
    assert {len(pairs) for pairs in whole.payloads.values()} == {4}
    assert len(whole.payloads) == MOST_CALLS + 1
    assert "--call" in whole.notes[-1]
    folder.write(tmp_path / "parts", whole)
    assert folder.read(tmp_path / "parts").schema == whole.schema
    with pytest.raises(BadInput, match=f"has {MOST_CALLS + 1} calls, and one run measures {MOST_CALLS} at most"):
        study.usual(tmp_path / "parts")
    some, _ = filled(registry.service([str(file)], source.Options(calls=("Part1*",))))
    assert len(some.schema.calls) == 11
    assert {len(pairs) for pairs in some.payloads.values()} == {58}
