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
