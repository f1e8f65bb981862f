"""Samples in files, folders, logs and HAR files, by the program as a person starts it, and by the importer itself."""

import base64
import json
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported, Json, Pair

Run = Callable[..., subprocess.CompletedProcess[str]]


def imported(*files: Path, unions: bool = False) -> Imported:
    return registry.service([str(file) for file in files], Options(unions=unions))


def refused(*files: Path) -> str:
    with pytest.raises(BadInput) as error:
        imported(*files)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


def written(file: Path, value: Json) -> Path:
    file.write_text(json.dumps(value))
    return file


def test_folder_of_requests_and_answers(tmp_path: Path) -> None:
    for number in (1, 2):
        written(tmp_path / f"order-{number}.request.json", {"id": number})
        written(tmp_path / f"order-{number}.answer.json", {"ok": True})
    written(tmp_path / "list.answer.json", [1, 2])
    written(tmp_path / "ping.json", {"at": "2024-01-01"})
    (tmp_path / "readme.txt").write_text("no sample")
    service = imported(tmp_path)
    assert service.payloads == {
        "List": (Pair({}, [1, 2]),),
        "Order": (Pair({"id": 1}, {"ok": True}), Pair({"id": 2}, {"ok": True})),
        "Ping": (Pair({"at": "2024-01-01"}, {"at": "2024-01-01"}),),
    }
    assert {call.name: (call.request, call.answer) for call in service.schema.calls}["Ping"] == ("Ping", "Ping")


def test_both_halves_of_a_sample_are_one(tmp_path: Path) -> None:
    request = written(tmp_path / "order.request.json", {"id": 1})
    answer = written(tmp_path / "order.answer.json", {"ok": True})
    for files in ([request], [answer], [request, answer], [answer, request]):
        assert imported(*files).payloads == {"Order": (Pair({"id": 1}, {"ok": True}),)}


def test_log_of_bodies_and_of_exchanges(tmp_path: Path) -> None:
    log = tmp_path / "shop.jsonl"
    lines = [
        {"method": "post", "path": "/orders/17/lines?x=1", "request": {"a": 1}, "response": {"b": 2}},
        {"method": "post", "path": "/orders/18/lines", "request": {"a": 2}, "answer": {"b": 3}},
        {"call": "ping", "request": {}},
    ]
    log.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    service = imported(log)
    assert [(call.name, call.method, call.path) for call in service.schema.calls] == [
        ("PostOrdersIdLines", "POST", "/orders/{id}/lines"),
        ("Ping", "", ""),
    ]
    assert service.payloads["PostOrdersIdLines"] == (Pair({"a": 1}, {"b": 2}), Pair({"a": 2}, {"b": 3}))


@pytest.mark.slow
def test_log_of_twenty_thousand_requests_needs_little_memory(tmp_path: Path) -> None:
    log = tmp_path / "shop.jsonl"
    with log.open("w") as file:
        for number in range(20_000):
            body = {
                "id": number,
                "status": ("open", "paid")[number % 2],
                "lines": [{"sku": f"s{number % 99}", "price": 1.5}] * 3,
            }
            file.write(json.dumps({"request": body, "answer": {"id": number, "ok": True}}) + "\n")
    tracemalloc.start()
    service = imported(log)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < log.stat().st_size / 2
    assert len(service.payloads["Shop"]) == 256
    assert "256 of 20,000 samples are kept" in " ".join(service.notes)
    assert service.schema.enumerations[0].values == (("open", 0), ("paid", 1))


def test_line_that_is_no_json(tmp_path: Path) -> None:
    log = tmp_path / "shop.jsonl"
    log.write_text('{"a": 1}\n{"a": \n{"a": 2}\n{"a": 3, "a": 4}\n')
    service = imported(log)
    assert [pair.request for pair in service.payloads["Shop"]] == [{"a": 1}, {"a": 2}]
    assert any("Left out: 2 x line that cannot be read" in note and "line 2 is not" in note for note in service.notes)
    log.write_text('{"a": 1}\n{"a": \nx\n')
    assert f"{log}, line 2 is not JSON (line 2, column 1" in refused(log)


def har(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"log": {"version": "1.2", "entries": list(entries)}}


def entry(method: str, url: str, posted: Json, answer: Json, **more: Any) -> dict[str, Any]:
    content = {"mimeType": "application/json; charset=utf-8", "text": json.dumps(answer)}
    request: dict[str, Any] = {"method": method, "url": url, "headers": [{"name": "Cookie", "value": "s=1"}]}
    if posted is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(posted)}
    return {"request": request, "response": {"status": 200, "headers": [], "content": content, **more}}


def test_calls_of_a_har_file(tmp_path: Path) -> None:
    encoded = {"mimeType": "application/json", "encoding": "base64", "text": base64.b64encode(b'{"n":2}').decode()}
    file = written(
        tmp_path / "shop.har",
        har(
            entry("GET", "https://shop/api/orders/17?full=1&api_key=secret", None, {"n": 1}),
            entry("GET", "https://shop/api/orders/18?full=1&api_key=secret", None, {}, content=encoded),
            entry("POST", "https://shop/api/orders", {"a": [1]}, {"id": 3}),
            entry("GET", "https://shop/logo.png", None, {}, content={"mimeType": "image/png", "text": "x"}),
            entry("OPTIONS", "https://shop/api/orders", None, {}),
            entry("GET", "https://shop/api/gone", None, {}, status=404),
        ),
    )
    service = imported(file)
    get, post = service.payloads["GetApiOrdersId"], service.payloads["PostApiOrders"]
    assert [pair.answer for pair in get] == [{"n": 1}, {"n": 2}]
    assert isinstance(get[0].request, dict)
    assert get[0].request["id"] == "17"
    assert get[0].request["api_key"] not in {"secret", ""}
    assert post == (Pair({"a": [1]}, {"id": 3}),)
    said = " ".join(service.notes)
    for part in ("6 x cookie", "2 x api_key", "1 x answer that is no JSON (image/png)", "1 x OPTIONS", "status 404"):
        assert part in said


@settings(max_examples=200, deadline=None)
@given(
    document=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["log", "entries", "request", "response", "content", "text", "url", "status", "method", "headers"]
                ),
                inner,
                max_size=4,
            )
        ),
    ),
    whole=st.booleans(),
)
def test_no_har_file_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, document: Json, whole: bool) -> None:
    file = tmp_path_factory.mktemp("har") / "shop.har"
    written(file, document if whole else har(document))  # type: ignore[arg-type]
    assert refused(file)


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=60) | st.text(alphabet='{}[]":,\\u0d8e1 \n', max_size=60).map(str.encode))
def test_no_file_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for suffix in (".json", ".jsonl", ".har"):
        file = tmp_path_factory.mktemp("file") / f"shop{suffix}"
        file.write_bytes(content)
        try:
            imported(file, unions=True)
        except BadInput as error:
            assert "\n" not in str(error)  # noqa: PT017 - some of them are samples


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ('{"a": NaN}', "cannot be taken (line 1, column 7): NaN is no JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ("[" * 100 + "]" * 100, "nested deeper than 64 levels"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"a": "\xff"}', "is not UTF-8"),
    ],
)
def test_bad_json(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "order.jsonl"
    file.write_bytes(text.encode("latin-1"))
    assert sentence in refused(file)


def test_body_of_ten_megabytes(tmp_path: Path) -> None:
    value: Json = {"rows": [{"id": number, "text": "x" * 80} for number in range(100_000)]}
    file = written(tmp_path / "large.json", value)
    assert file.stat().st_size > 10 * 2**20
    assert imported(file).payloads["Large"] == (Pair(value, value),)


def test_the_program(callbench: Run, tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    samples.mkdir()
    for number in range(3):
        written(samples / f"order-{number}.json", {"id": 5000 + 37 * number, "note": "hello", "token": "abc"})
    said = callbench("import", "samples", "--out", "own", check=True).stdout
    assert "Order(Order) -> Order, 64 payloads" in said
    assert "3 given and 61 generated payloads" in said
    assert "3 x token" in said
    assert "  message Order {\n    int32 id = 1;\n" in said
    assert (tmp_path / "own" / "generators" / "Order.json").is_file()
    written(samples / "order-9.json", {"id": "nine"})
    ended = callbench("import", "samples", "--out", "other")
    assert ended.returncode == 2
    assert "samples/order-0.json#/id is a number, but samples/order-9.json#/id is text" in ended.stderr
    assert not (tmp_path / "other").exists()
    callbench("import", "samples", "--out", "other", "--unions", check=True)


def test_payloads_that_come_along(callbench: Run, tmp_path: Path) -> None:
    names = [row["payloads"] for row in json.loads(callbench("list", "payloads", "--json", check=True).stdout)]
    assert {"fleet:homa-w1", "fleet:homa-w5", "fleet:google-2023", "fleet:viotti", "fleet:viotti/geojson"} <= set(names)
    said = callbench("import", "fleet:viotti/geojson", "--out", "geo", check=True).stdout
    assert "Apache-2.0" in said
    assert "Apache-2.0" in (tmp_path / "geo" / "service.toml").read_text()
    wrong = callbench("import", "fleet:homa-w9")
    assert wrong.returncode == 2
    assert "did you mean fleet:homa-w" in wrong.stderr


PROTO = """
syntax = "proto3";
message Order { int32 id = 1; repeated string tags = 2; }
message Done { bool ok = 1; }
service Shop { rpc Place(Order) returns (Done); rpc Drop(Order) returns (Done); }
"""


@pytest.mark.parametrize(
    ("request_", "answer", "sentence"),
    [
        ({"id": 1, "tags": []}, {"ok": True}, ""),
        (
            {"id": "one", "tags": []},
            {"ok": True},
            "place.request.json#: $.id is text; the schema says int32, and protobuf's own reader of JSON says: ",
        ),
        (
            {"id": 1, "tags": []},
            {"ok": 1},
            "place.answer.json#: $.ok is a whole number; the schema says bool, and protobuf's own reader of ",
        ),
    ],
)
def test_samples_for_a_given_schema(tmp_path: Path, request_: Json, answer: Json, sentence: str) -> None:
    schema = tmp_path / "shop.proto"
    schema.write_text(PROTO)
    samples = tmp_path / "samples"
    samples.mkdir()
    written(samples / "place.request.json", request_)
    written(samples / "place.answer.json", answer)
    options = Options(samples=(samples,))
    if sentence:
        with pytest.raises(BadInput) as error:
            registry.service([str(schema)], options)
        assert f"{samples}/{sentence}" in str(error.value)
        assert f" of {schema}): correct one of them" in str(error.value)
    else:
        assert registry.service([str(schema)], options).payloads == {"Place": (Pair(request_, answer),)}


def test_sample_of_no_call(tmp_path: Path) -> None:
    schema = tmp_path / "shop.proto"
    schema.write_text(PROTO)
    sample = written(tmp_path / "other.json", {"id": 1})
    sentence = r"other.json# is of no call \(other\): .*shop.proto has Place, Drop; name the file after its call"
    with pytest.raises(BadInput, match=sentence):
        registry.service([str(schema)], Options(samples=(sample,)))


def test_an_access_log_is_refused_with_what_it_is_for(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text('192.0.2.1 - - [10/Oct/2024:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326\n')
    with pytest.raises(BadInput, match="it has no bodies: give it to the option --log of load"):
        registry.service([str(log)], Options())
