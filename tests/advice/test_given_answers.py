"""Answers that a person gives for samples of requests alone, and documents and folders that advice is asked of."""

import json
import os
import pty
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from advice.counted import run
from callbench.catalog import catalogue
from callbench.catalog.imports import registry
from callbench.catalog.imports.given_answer import given_answer
from callbench.catalog.imports.source import Options
from callbench.catalog.own import folder
from callbench.catalog.own.stored import stored_assumptions
from callbench.catalog.situation.file import situation_of
from callbench.cli.commands import advise
from callbench.model.errors import BadInput
from callbench.runner.advice import importing, source
from callbench.runner.run import launch
from conftest import command

Callbench = Callable[..., CompletedProcess[str]]
REQUEST = {"id": 1, "customer": "Ada"}
ANSWERS = [{"total": 12.5, "lines": ["a", "b"]}, {"total": 1.5, "lines": []}]
PROTO = """
syntax = "proto3";
message Order { string id = 1; }
message Total { double total = 1; }
message Done { bool total = 1; repeated string lines = 2; }
service Orders { rpc Get(Order) returns (Total); rpc Put(Order) returns (Done); }
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of a request, and answers of it."""
    monkeypatch.chdir(tmp_path)
    _write("order.json", REQUEST)
    _write("total.json", ANSWERS[0])


def _write(name: str, *values: object) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("\n".join(map(json.dumps, values)) + "\n")


def _imported(document: str, *answers: str, ask: Callable[[str], str] | None = None) -> tuple[Path, list[str]]:
    said: list[str] = []
    how = importing.Importing(said.append, [given_answer(one) for one in answers], ask)
    return importing.service_folder(Path(document), how), said


def _answers(service: Path, call: str, given: int) -> Sequence[object]:
    return [one.answer for one in folder.read(service).payloads[call][:given]]


@pytest.mark.parametrize("text", ["total.json", "Order=total.json", "order=total.json"])
def test_a_given_answer_is_the_answer(text: str) -> None:
    service, _ = _imported("order.json", text)
    assert _answers(service, "Order", 1) == [ANSWERS[0]]
    assert folder.read(service).schema.calls[0].answer == "OrderAnswer"
    assert stored_assumptions(service)[0] == frozenset()


def test_several_answers_are_taken_in_turn() -> None:
    _write("totals.jsonl", *ANSWERS)
    _write("orders/order-1.json", REQUEST)
    for number in (2, 3):
        _write(f"orders/order-{number}.json", {**REQUEST, "id": number})
    given = registry.service(["orders"], Options(answers=(given_answer("totals.jsonl"),))).payloads["Order"]
    assert [one.answer for one in given] == [ANSWERS[0], ANSWERS[1], ANSWERS[0]]
    alone = registry.service(["order.json"], Options(answers=(given_answer("totals.jsonl"),)))
    assert [one.answer for one in alone.payloads["Order"]] == ANSWERS
    assert not alone.notes


def test_a_sample_that_has_its_answer_keeps_it() -> None:
    _write("order.jsonl", {"request": REQUEST, "answer": ANSWERS[1]}, {"request": {**REQUEST, "id": 2}})
    found = registry.service(["order.jsonl"], Options(answers=(given_answer("total.json"),)))
    assert [one.answer for one in found.payloads["Order"]] == [ANSWERS[1], ANSWERS[0]]
    assert not found.unanswered


def test_a_secret_in_an_answer_is_left_out() -> None:
    _write("session.json", {"password": "hunter2", "name": "Ada"})
    service, _ = _imported("order.json", "session.json")
    assert "hunter2" not in "".join(one.read_text() for one in service.rglob("*") if one.is_file())


@pytest.mark.parametrize(
    ("document", "answer", "says"),
    [
        ("order.json", "gone.json", ["gone.json does not exist"]),
        ("order.json", "Ordr=total.json", ["Ordr", "Order"]),
        ("order.json", "empty.json", ["empty.json is empty"]),
        ("order.json", "broken.json", ["broken.json"]),
        ("pair.jsonl", "total.json", ["every sample", "leave the option out"]),
        ("two", "total.json", ["Order", "Person", "--answer Order=total.json"]),
        ("orders.proto", "total.json", ["orders.proto", "Get", "Put"]),
        ("orders.proto", "Gt=total.json", ["no call", "Gt", "Get"]),
        ("orders.proto", "Get=total.json", ["total.json#", "message Total of orders.proto has no", "lines"]),
        ("orders.proto", "Put=total.json", ["total.json#", "total", "true or false"]),
    ],
)
def test_an_answer_that_does_not_fit_is_one_sentence(document: str, answer: str, says: list[str]) -> None:
    Path("empty.json").write_text("\n")
    Path("broken.json").write_text('{"a": ')
    _write("pair.jsonl", {"request": REQUEST, "answer": ANSWERS[0]})
    _write("two/order.json", REQUEST)
    _write("two/person.json", {"name": "Ada"})
    Path("orders.proto").write_text(PROTO)
    with pytest.raises(BadInput) as failure:
        _imported(document, answer)
    for part in says:
        assert part in str(failure.value)
    assert "\n" not in str(failure.value)


def test_an_answer_of_a_schema_is_that_of_every_request() -> None:
    """The requests are made from the schema, and that is still said. The other call is as it was."""
    Path("orders.proto").write_text(PROTO)
    _write("done.jsonl", {"total": True, "lines": ["a"]}, {"total": False, "lines": ["a", "b"]})
    service, _ = _imported("orders.proto", "put=done.jsonl")
    assert _answers(service, "Put", 3) == [
        {"total": True, "lines": ["a"]}, {"total": False, "lines": ["a", "b"]}, {"total": True, "lines": ["a"]},
    ]  # fmt: skip
    assert stored_assumptions(service) == (frozenset(), frozenset({"Get", "Put"}))
    assert _imported("orders.proto", "put=done.jsonl")[0] == service


def test_requests_that_a_schema_brings_are_kept() -> None:
    operation = {
        "operationId": "place",
        "requestBody": {"content": {"application/json": {
            "schema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
            "example": {"id": 7}}}},
        "responses": {"200": {"description": "", "content": {"application/json": {
            "schema": {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]},
            "example": {"total": 1.5}}}}},
    }  # fmt: skip
    _write(
        "api.json", {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/o": {"post": operation}}}
    )
    _write("twice.jsonl", {"total": 2.5}, {"total": 3.5})
    pairs = registry.service(["api.json"], Options(answers=(given_answer("twice.jsonl"),))).payloads["Place"]
    assert [one.answer for one in pairs] == [{"total": 2.5}, {"total": 3.5}]
    assert all(7 in (one.request, *one.request.values()) for one in pairs if isinstance(one.request, dict))


def test_an_earlier_import_without_the_answer_is_not_taken_for_one_with_it() -> None:
    usual, _ = _imported("order.json")
    before = (usual / "service.toml").read_text()
    with_answer, said = _imported("order.json", "total.json")
    assert (usual.name, with_answer.name) == ("order", "order-2")
    assert (usual / "service.toml").read_text() == before
    assert _answers(with_answer, "Order", 1) == [ANSWERS[0]]
    assert "order-2" in said[0]
    again, said = _imported("order.json", "total.json")
    assert again == with_answer
    assert "earlier import" in said[0]
    _write("total.json", ANSWERS[1])
    assert _imported("order.json", "total.json")[0].name == "order-3"
    assert _imported("order.json")[0] == usual


def test_an_answer_that_is_the_request_again_was_given_all_the_same() -> None:
    """The payloads are those of an import without it, and what is assumed is not."""
    usual, _ = _imported("order.json")
    _write("same.json", REQUEST)
    given, _ = _imported("order.json", "same.json")
    assert given != usual
    assert stored_assumptions(usual)[0]
    assert not stored_assumptions(given)[0]


def test_a_folder_of_something_else_stays_as_it_is() -> None:
    Path("order").mkdir()
    Path("order/notes.txt").write_text("mine")
    service, _ = _imported("order.json")
    assert service.name == "order-2"
    assert [one.name for one in Path("order").iterdir()] == ["notes.txt"]


def test_a_person_is_asked_once_for_an_answer_that_nobody_gave() -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return "total.json"

    service, _ = _imported("order.json", ask=ask)
    assert asked == ["File with an answer of Order (empty: as large as its request)"]
    assert _answers(service, "Order", 1) == [ANSWERS[0]]
    # It is known from now on.
    assert _imported("order.json", ask=ask)[0] == service
    assert len(asked) == 1


def test_nothing_said_leaves_the_answer_as_large_as_the_request() -> None:
    service, _ = _imported("order.json", ask=lambda _question: " ")
    assert stored_assumptions(service)[0] == {"Order"}
    _write("pair.jsonl", {"request": REQUEST, "answer": ANSWERS[0]})

    def never(question: str) -> str:
        raise AssertionError(question)

    _imported("pair.jsonl", ask=never)
    _imported("order.json", "total.json", ask=never)


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for typed, shown in ((True, False), (False, True), (False, False)):
        monkeypatch.setattr("sys.stdin.isatty", lambda typed=typed: typed)
        monkeypatch.setattr("sys.stderr.isatty", lambda shown=shown: shown)
        assert not advise.on_terminal()


def test_a_folder_of_samples_is_imported_and_said() -> None:
    _write("shop/order-1.json", REQUEST)
    _write("shop/order-2.json", {**REQUEST, "id": 2})
    _write("shop/person.json", {"name": "Ada"})
    Path("shop/readme.txt").write_text("no sample")
    service, said = _imported("shop")
    # The samples have the name that the service would have.
    assert service.name == "shop-service"
    assert {call.name for call in folder.read(service).schema.calls} == {"Order", "Person"}
    assert "3 files of shop" in said[0]
    assert "shop-service, with the calls Order (2 given) and Person (1 given)" in said[0]


def test_an_odd_folder_is_one_sentence() -> None:
    Path("odd").mkdir()
    with pytest.raises(BadInput, match=r"odd is no stored run, no imported service and has no samples .*order\.json"):
        _imported("odd")
    _write("odd/order.json", REQUEST)
    _write("odd/api.json", {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}})
    with pytest.raises(BadInput, match=r"odd/api\.json is a document \(OpenAPI\) and no sample"):
        _imported("odd")


class Planned(BadInput):
    """Ends a test where the run would begin."""


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[launch.RunRequest]:
    """What is asked to be measured; nothing is compiled or measured."""
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    requests: list[launch.RunRequest] = []

    def planned(request: launch.RunRequest, _known: object) -> Path:
        requests.append(request)
        raise Planned("planned")

    monkeypatch.setattr(launch, "create_run", planned)
    return requests


def _ask_advice(what: str, said: dict[str, object], out: Path | None = None) -> str:
    """Ask for advice. Returns the sentence of the refusal."""
    situation = situation_of({"links": [{"link": "25ms"}], **said}, "said")
    with pytest.raises(BadInput) as failure:
        source.record_of(what, source.Measuring(catalogue.load(), situation, lambda _said: None, out=out))
    return str(failure.value)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"today": "native/jsn+http-keepalive"}, 'did you mean "native/json+http-keepalive"'),
        ({"languages": ["jva"]}, 'no language "jva": did you mean "java"'),
        ({"calls": [{"group": "Ordr"}]}, 'no call or group "Ordr": did you mean "Order"'),
        ({"links": [{"link": "loopback"}], "today": "native/json+https-keepalive"}, "not among what is measured"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_is_measured(
    measured: list[launch.RunRequest], said: dict[str, object], says: str
) -> None:
    assert says in _ask_advice("order.json", said)
    assert measured == []


def test_a_stack_or_group_that_a_study_lacks_is_refused_before_it_is_measured(
    measured: list[launch.RunRequest], study: Path
) -> None:
    text = study.read_text().replace('"honest/*"', '"native/json+tcp"').replace('"honest/tcp"', '"native/json+http"')
    study.write_text(text)
    assert 'did you mean "native/json+tcp"' in _ask_advice(str(study), {"today": "native/jsn+tcp"})
    assert 'did you mean "Sum"' in _ask_advice(str(study), {"calls": [{"group": "Sun"}]})
    assert measured == []
    assert _ask_advice(str(study), {"today": "native/json+tcp"}) == "planned"


def test_languages_that_exist_are_not_refused(measured: list[launch.RunRequest]) -> None:
    assert _ask_advice("order.json", {"languages": ["Kotlin", "PHP", "C#"]}) == "planned"
    assert len(measured) == 1


def test_the_run_is_written_where_it_was_asked_for(measured: list[launch.RunRequest], tmp_path: Path) -> None:
    assert _ask_advice("order.json", {}, tmp_path / "here") == "planned"
    assert measured[0].out == tmp_path / "here"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    assert "full is there already: give another --out" in _ask_advice("order.json", {}, tmp_path / "full")
    assert "order.json is no folder" in _ask_advice("order.json", {}, tmp_path / "order.json" / "x")
    assert len(measured) == 1


def test_a_stored_run_takes_neither_answers_nor_a_folder(callbench: Callbench, tmp_path: Path) -> None:
    run(tmp_path / "run")
    for options, says in (
        (["--answer", "total.json"], "--answer is for a document that is imported first"),
        (["--out", "elsewhere"], "run is a stored run"),
    ):
        ended = callbench("advise", "run", "--no-measure", *options)
        assert ended.returncode == 2
        assert says in ended.stderr
        assert ended.stderr.count("\n") == 1
    ended = callbench("advise", "middleware", "--answer", "total.json")
    assert (ended.returncode, "middleware is a study" in ended.stderr) == (2, True)
    assert not (tmp_path / "runs").exists()


def test_the_question_is_asked_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group of the situation does not exist, so the command ends before anything is compiled."""
    monkeypatch.delenv("CALLBENCH_ADAPTERS")
    Path("situation.toml").write_text('[[calls]]\ngroup = "Ordr"\n')
    ours, its = pty.openpty()
    try:
        words = command("advise", "order.json", "--situation", "situation.toml")
        # What is typed early waits in the terminal.
        os.write(ours, b"total.json\n")
        process = subprocess.Popen(words, stdin=its, stdout=its, stderr=its, start_new_session=True)
        try:
            assert process.wait(60) == 2
        finally:
            process.kill()
        shown = os.read(ours, 1 << 16).decode()
    finally:
        os.close(ours)
        os.close(its)
    assert "File with an answer of Order (empty: as large as its request)" in shown
    assert 'did you mean "Order"' in shown.replace("\r\n", "")
    assert _answers(Path("order"), "Order", 1) == [ANSWERS[0]]
