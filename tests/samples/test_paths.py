"""Paths of recordings that are one call: by what they have in common, or by a document that describes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Pair

USER = {"name": "anna", "age": 3}


def entry(method: str, path: str, answer: Any, posted: Any = None) -> dict[str, Any]:
    request: dict[str, Any] = {"method": method, "url": f"https://shop{path}", "headers": []}
    if posted is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(posted)}
    content = {"mimeType": "application/json", "text": json.dumps(answer)}
    return {"request": request, "response": {"status": 200, "headers": [], "content": content}}


def har(folder: Path, *entries: dict[str, Any]) -> Path:
    file = folder / "shop.har"
    file.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return file


def imported(file: Path) -> Imported:
    return registry.service([str(file)], Options())


def paths(service: Imported) -> list[str]:
    return [f"{call.method} {call.path}" for call in service.schema.calls]


@settings(max_examples=40, deadline=None)
@given(
    names=st.lists(st.text("abcdef-", min_size=1, max_size=9), min_size=2, max_size=12, unique=True),
    order=st.randoms(use_true_random=False),
)
def test_names_that_bodies_repeat(tmp_path_factory: pytest.TempPathFactory, names: list[str], order: Any) -> None:
    """In any order, and beside a path of the same form with another body, they are one call with all samples."""
    entries = [entry("GET", f"/users/{name}", {"name": name, "age": 3}) for name in names]
    entries += [entry("GET", f"/users/{name}/pets/7", [{"of": name, "id": 7}]) for name in names]
    entries.append(entry("GET", "/users/settings", {"theme": "dark"}))
    order.shuffle(entries)
    service = imported(har(tmp_path_factory.mktemp("har"), *entries))
    assert set(paths(service)) == {"GET /users/{id}", "GET /users/{id2}/pets/{id}", "GET /users/settings"}
    found = [json.dumps(pair.request, sort_keys=True) for pair in service.payloads["GetUsersId"]]
    assert sorted(found) == sorted(json.dumps({"id": name}) for name in names)
    assert {json.dumps(pair.request, sort_keys=True) for pair in service.payloads["GetUsersId2PetsId"]} == {
        json.dumps({"id": "7", "id2": name}) for name in names
    }


def test_many_paths_of_one_structure(tmp_path: Path) -> None:
    prices = [entry("PUT", f"/prices/{of}", {"was": 2}, {"cents": 3}) for of in ("de", "fr", "it", "es", "pt")]
    few = [entry("PUT", f"/rates/{of}", {"was": 2}, {"cents": 3}) for of in ("de", "fr")]
    pages = {
        of: {"data": [{f"{of}{key}": 1 for key in "abc"}], "total": 1}
        for of in ("orders", "items", "carts", "shops", "bills", "users")
    }
    others = [entry("GET", f"/api/{of}", page) for of, page in pages.items()]
    service = imported(har(tmp_path, *prices, *few, *others))
    assert paths(service)[:3] == ["PUT /prices/{id}", "PUT /rates/de", "PUT /rates/fr"]
    assert len(paths(service)) == 3 + len(others)
    assert service.payloads["PutPricesId"] == (Pair({"cents": 3}, {"was": 2}),) * 5
    assert (
        "PutPricesId: 5 paths that differ in one part (de, fr, it and others) are one call, PUT /prices/{id}."
        in service.notes
    )


def test_what_looks_like_an_identifier_is_said(tmp_path: Path) -> None:
    service = imported(har(tmp_path, *(entry("GET", f"/orders/{at}", USER) for at in (17, 18))))
    said = "GetOrdersId: parts of its path look like identifiers, so it is GET /orders/{id}."
    assert said in service.notes


def test_names_that_somebody_gave_stay(tmp_path: Path) -> None:
    log = tmp_path / "shop.jsonl"
    lines = [
        {"call": call, "method": "GET", "path": f"/users/{call}", "request": {}, "answer": {"name": call}}
        for call in ("anna", "bob")
    ]
    log.write_text("\n".join(map(json.dumps, lines)))
    assert [call.name for call in imported(log).schema.calls] == ["Anna", "Bob"]


def test_more_paths_than_calls(tmp_path: Path) -> None:
    """A log with more names than an import takes calls is one call; with as many real calls, it is refused."""
    log = tmp_path / "shop.jsonl"
    names = [f"{first}{second}" for first in "bcdfghjklm" for second in range(120)]
    lines = [{"method": "GET", "path": f"/users/{of}", "request": {}, "answer": {"name": of, "age": 3}} for of in names]
    log.write_text("\n".join(map(json.dumps, lines)))
    (call,) = imported(log).schema.calls
    assert call.path == "/users/{id}"
    assert "1,200 paths" in imported(log).notes[0]
    lines = [{"method": "GET", "path": f"/{of}", "request": {}, "answer": {of: 1, of * 2: 2}} for of in names]
    log.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(BadInput, match=r"call number 501; an import takes 500 calls"):
        imported(log)


DOCUMENT = """
openapi: 3.1.0
info: {title: Shop}
paths:
  /orders/{number}:
    parameters:
      - {name: number, in: path, required: true, schema: {type: integer, format: int32}}
      - {name: full, in: query, schema: {type: boolean}}
      - {name: tag, in: query, schema: {type: array, items: {type: string}}}
    get: {operationId: read, responses: {200: {content: {application/json: {schema: {$ref: '#/Order'}}}}}}
    put:
      operationId: write
      requestBody: {content: {application/json: {schema: {$ref: '#/Order'}}}}
      responses: {204: {description: Written}}
  /orders/newest:
    get: {operationId: newest, responses: {200: {content: {application/json: {schema: {$ref: '#/Order'}}}}}}
  /orders:
    post:
      operationId: add
      requestBody: {content: {application/json: {schema: {$ref: '#/Order'}}}}
      responses: {204: {description: Added}}
Order: {type: object, required: [id], properties: {id: {type: integer, format: int32}}}
"""


def described(folder: Path, *entries: dict[str, Any]) -> Imported:
    document = folder / "shop.yaml"
    document.write_text(DOCUMENT)
    return registry.service([str(document)], Options(samples=(har(folder, *entries),)))


def test_a_document_says_which_parts_are_parameters(tmp_path: Path) -> None:
    """The server is mounted below `/v1`. The document names and types what a URL has as text."""
    service = described(
        tmp_path,
        entry("GET", "/v1/orders/17?full=true&tag=a&tag=b", {"id": 17}),
        entry("GET", "/v1/orders/newest", {"id": 9}),
        entry("PUT", "/v1/orders/18?full=false", {}, {"id": 18}),
        entry("POST", "/v1/orders", {}, {"id": 19}),
    )
    assert service.payloads["Read"] == (Pair({"number": 17, "full": True, "tag": ["a", "b"]}, {"id": 17}),)
    assert service.payloads["Newest"] == (Pair({}, {"id": 9}),)
    assert [pair.request for pair in service.payloads["Write"]] == [{"number": 18, "full": False, "body": {"id": 18}}]
    assert [pair.request for pair in service.payloads["Add"]] == [{"id": 19}]


def test_a_parameter_that_contradicts_the_document(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"entries/0 request#: \$.number is text; the schema says int32") as error:
        described(tmp_path, entry("GET", "/orders/x17", {"id": 17}))
    assert "\n" not in str(error.value)
