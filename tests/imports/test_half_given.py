"""A document that has examples of the answer or the request alone: they count, and what is made is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from callbench.catalog.generator.filled import filled
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options

ANSWER = {"id": 1, "name": "x", "score": 1.25, "kind": "red"}
ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "score": {"type": "number"},
        "kind": {"type": "string"},
    },
}


def _document(request: bool, answer: bool, answers: dict[str, Any] | None = None) -> dict[str, Any]:
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    content: dict[str, Any] = {"schema": ITEM} | ({"example": ANSWER} if answer else {})
    content |= {"examples": {name: {"value": value} for name, value in answers.items()}} if answers else {}
    operation = {
        "operationId": "getItem",
        "parameters": [parameter | ({"example": 7} if request else {})],
        "responses": {"200": {"description": "it", "content": {"application/json": content}}},
    }
    return {"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "paths": {"/items/{id}": {"get": operation}}}


@pytest.mark.parametrize(
    ("request_given", "answer_given", "generated", "said"),
    [
        (True, True, False, ""),
        (False, True, True, "GetItem has examples of its answer alone. Its request is made from the schema"),
        (True, False, True, "GetItem has examples of its request alone. Its answer is made from the schema"),
        (False, False, True, "Payloads without samples are made from the schema"),
    ],
)
def test_what_a_document_gives_is_kept_and_the_rest_is_said_to_be_made(
    tmp_path: Path, *, request_given: bool, answer_given: bool, generated: bool, said: str
) -> None:
    document = tmp_path / "shop.json"
    document.write_text(json.dumps(_document(request_given, answer_given)))
    service, _ = filled(registry.service([str(document)], Options()))
    first = service.payloads["GetItem"][0]
    assert (first.answer == ANSWER) is answer_given
    assert (first.request == {"id": 7}) is request_given
    assert (service.generated == ("GetItem",)) is generated
    assert said in " ".join(service.notes)


def test_each_example_of_an_answer_is_kept(tmp_path: Path) -> None:
    answers = {str(number): {**ANSWER, "name": "x" * number} for number in (1, 20, 400)}
    document = tmp_path / "shop.json"
    document.write_text(json.dumps(_document(request=False, answer=False, answers=answers)))
    service, _ = filled(registry.service([str(document)], Options()))
    assert [pair.answer for pair in service.payloads["GetItem"][:3]] == list(answers.values())


def _posted(schema: dict[str, Any], request: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """A call with a path's parameter that has no example, and a body of the same schema both ways."""
    sides = [{"application/json": {"schema": schema, "example": example}} for example in (request, answer)]
    operation = {
        "operationId": "putItem",
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
        "requestBody": {"required": True, "content": sides[0]},
        "responses": {"200": {"description": "it", "content": sides[1]}},
    }
    return {"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "paths": {"/items/{id}": {"put": operation}}}


def test_an_example_of_a_body_counts_where_a_parameter_has_none(tmp_path: Path) -> None:
    document = tmp_path / "shop.json"
    document.write_text(json.dumps(_posted(ITEM, {"name": "given"}, ANSWER)))
    service, _ = filled(registry.service([str(document)], Options()))
    first = service.payloads["PutItem"][0]
    assert isinstance(first.request, dict)
    assert (first.request["body"], first.answer) == ({"name": "given"}, ANSWER)
    assert isinstance(first.request["id"], int)
    assert "PutItem has no example of its parameter id. It is made from the schema" in " ".join(service.notes)
    assert service.generated == ("PutItem",)


def test_a_key_of_one_direction_is_not_required_in_the_other(tmp_path: Path) -> None:
    """OpenAPI: `required` of a key that is `readOnly` takes effect in answers alone."""
    user = {
        "type": "object",
        "required": ["id", "name", "password"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": {"type": "string"},
            "password": {"type": "string", "writeOnly": True},
        },
    }
    request, answer = {"name": "Ann", "password": "hunter22"}, {"id": 7, "name": "Ann"}
    for examples, name in ((_posted(user, request, answer), "given"), (_posted(user, {}, {}), "none")):
        document = tmp_path / f"{name}.json"
        document.write_text(json.dumps(examples))
        service, _ = filled(registry.service([str(document)], Options()))
        assert ("contradicts" in " ".join(service.notes)) is (name == "none")
        for pair in service.payloads["PutItem"]:
            assert isinstance(pair.request, dict)
            assert isinstance(pair.answer, dict)
            assert set(pair.request["body"]) == {"name", "password"}  # type: ignore[arg-type]
            assert set(pair.answer) == {"id", "name"}
    assert "The key is in answers alone (readOnly)." in {loss.problem for loss in service.schema.losses}
