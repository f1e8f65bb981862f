"""A log of bodies, requests and answers: every line is a sample, or is counted with its reason."""

import json
from pathlib import Path
from typing import Any

from callbench.catalog.imports import registry, source
from callbench.model.service.imported import Imported, Pair


def _imported(folder: Path, *lines: Any) -> Imported:
    file = folder / "shop.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return registry.imported([source.source(str(file))], source.Options())


def test_requests_without_an_answer_are_left_out_where_others_have_one(tmp_path: Path) -> None:
    """Sent back, they would contradict the answers."""
    service = _imported(tmp_path, {"request": {"a": 1}, "answer": {"b": 1}}, {"request": {"a": 2}}, {"a": 5}, {"a": 6})
    assert service.payloads == {"Shop": (Pair({"a": 1}, {"b": 1}),)}
    assert "Shop: 3 samples have no answer, unlike the others, and are left out." in service.notes
    assert not any("sends the request back" in note for note in service.notes)
    assert service.unanswered == ()


def test_a_request_can_be_its_path_alone(tmp_path: Path) -> None:
    """It has the parameters of path and query, as in a HAR file."""
    called: dict[str, Any] = {"method": "GET", "path": "/orders/17?page=2"}
    service = _imported(tmp_path, {**called, "response": {"b": 1}}, {**called, "request": {}, "answer": {"b": 2}})
    (call,) = service.schema.calls
    assert (call.method, call.path) == ("GET", "/orders/{id}")
    asked: dict[str, Any] = {"id": "17", "page": "2"}
    assert service.payloads[call.name] == (Pair(asked, {"b": 1}), Pair(asked, {"b": 2}))


def test_what_is_no_sample_is_counted(tmp_path: Path) -> None:
    good: dict[str, Any] = {"path": "/a", "request": {"x": 1}, "response": {"b": 1}, "status": 200}
    failed: dict[str, Any] = {"path": "/a", "request": {"x": 1}, "response": {"why": "full"}, "status": 503}
    service = _imported(tmp_path, good, failed, {**good, "path": "/a?y=1"})
    (call,) = service.schema.calls
    assert len(service.payloads[call.name]) == 2
    assert "Left out: 1 x answer with status 503." in service.notes
    assert "Left out: 1 x parameters in the address of a request that has a body." in service.notes
