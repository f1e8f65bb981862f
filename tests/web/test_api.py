"""The API: what the page does, for programs; and its description, made from the code."""

import errno
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import jsonschema
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from callbench.model.version import VERSION
from callbench.report.export.latency_document import LatencyDocument
from callbench.store.head import COMPARISON, head
from callbench.store.progress import ProgressFile
from callbench.store.record_writer import RecordWriter
from callbench.store.shelf import Shelf
from callbench.web.api import operation
from callbench.web.application import Pages
from callbench.web.jobs import Jobs
from conftest import ROOT, eventually
from report import synthetic
from web_page import HOSTILE, KINDS, RANKED, claimed_server

pytest_plugins = ["web_page"]

LOAD = {"start": "python3 -m http.server {port} --bind 127.0.0.1", "path": "/", "clients": "1", "seconds": "0.5"}
SAMPLE = {"name": "order.json", "content": "eyJpZCI6IDR9", "encoding": "base64"}
STARTS = {"command": "load", "values": LOAD}


def described(page: TestClient) -> dict[str, Any]:
    answer = page.get("/api/openapi.json")
    assert answer.status_code == 200
    document: dict[str, Any] = answer.json()
    return document


def operations(document: Mapping[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Each operation of a description by its name: its method, its path and what is said of it."""
    return {
        said["operationId"]: (method, path, said)
        for path, methods in document["paths"].items()
        for method, said in methods.items()
    }


def fits(document: Mapping[str, Any], schema: Mapping[str, Any], value: object) -> bool:
    """Return whether a value is as a description says."""
    valid: bool = jsonschema.Draft202012Validator({**schema, "components": document["components"]}).is_valid(value)
    return valid


def test_each_route_is_described_and_nothing_else(page: TestClient, shelf: Shelf, tmp_path: Path) -> None:
    (mounted,) = (
        route.app
        for route in Pages(shelf, tmp_path).application().routes
        if isinstance(route, Mount) and route.path == "/api"
    )
    assert isinstance(mounted, Starlette)
    there = {
        (method.lower(), f"/api{route.path}")
        for route in mounted.routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }
    told = {(method, path) for method, path, _ in operations(described(page)).values()}
    assert there - told == {("get", "/api/openapi.json")}
    assert not told - there


def test_the_description_is_whole(page: TestClient) -> None:
    """Each reference leads somewhere, each schema is one, and each operation says what it does."""
    document = described(page)
    assert document["openapi"] == "3.1.1"
    assert document["info"]["version"] == VERSION
    components = document["components"]["schemas"]
    references = set(re.findall(r'"\$ref": ?"([^"]*)"', json.dumps(document)))
    assert references == {f"#/components/schemas/{name}" for name in components} & references
    for schema in components.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    listed = operations(document)
    assert len(listed) == sum(map(len, document["paths"].values())), "a name twice"
    for name, (method, path, said) in listed.items():
        assert said["summary"].endswith("."), name
        parameters = {found["name"]: found["in"] for found in said["parameters"]}
        assert [at for at, where in parameters.items() if where == "path"] == re.findall(r"{(\w+)}", path)
        assert (parameters.get("Origin") == "header") == (method == "post")
    assert {*(set(KINDS) - {"compare"}), COMPARISON, "run", "history", "progress"} <= set(components)


def test_callbench_itself_imports_it(
    page: TestClient, tmp_path: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Another reader of OpenAPI, which knows nothing of how it was made: it finds each operation with its address."""
    document = described(page)
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    said = callbench("import", "openapi.json", "--payloads", "1", check=True).stdout
    for method, path, _ in operations(document).values():
        assert re.search(rf"  {method.upper()} {re.escape(path)}(,|$)", said, re.MULTILINE), path


@pytest.mark.parametrize("kind", [*KINDS, "run"])
def test_a_record_is_what_show_prints_to_the_byte(
    page: TestClient, folder: Path, shelf: Shelf, callbench: Callable[..., subprocess.CompletedProcess[str]], kind: str
) -> None:
    if kind == "run":
        synthetic.write(folder / kind)
    printed = callbench("show", folder.resolve() / kind, "--json", check=True).stdout
    answer = page.get(f"/api/records/{kind}")
    assert answer.content == printed.encode()
    assert fits(described(page), {"$ref": f"#/components/schemas/{shelf.entry(kind).kind}"}, answer.json())


def asked_of(job: str, exported: bytes) -> dict[str, dict[str, Any]]:
    """What each operation is asked: its path's name, its query, its body."""
    return {
        "listRecords": {"query": {"q": "soak", "kind": "soak"}},
        "importRecord": {"content": exported},
        "showRecord": {"name": "soak"},
        "getEntry": {"name": "soak"},
        "getReport": {"name": "soak"},
        "getLatency": {"name": "a", "query": {"cells": "c001,c002"}},
        "exportRecord": {"name": "soak"},
        "renameRecord": {"name": "peer", "json": {"name": "monday"}},
        "tagRecord": {"name": "soak", "json": {"tags": ["a", "a", HOSTILE[:20]]}},
        "deleteRecord": {"name": "monday", "json": {"sure": True}},
        "compareRuns": {"query": {"first": "a", "other": "b"}},
        "getHistory": {},
        "listForms": {},
        "getLine": {"json": STARTS},
        "makeCall": {"json": STARTS},
        "previewRun": {"json": {"command": "run", "values": {"study": "remobjects", "select": "message=soap"}}},
        "importService": {"json": {"files": [SAMPLE], "answers": [{**SAMPLE, "name": "answer.json"}]}},
        "listServices": {},
        "getServed": {"name": "serve-1"},
        "switchServed": {"name": "serve-1", "json": {"part": "tcp", "on": True}},
        "getService": {"name": "order"},
        "removeService": {"name": "order"},
        "listCommands": {},
        "startCommand": {"json": STARTS},
        "getCommand": {"name": job},
        "stopCommand": {"name": job},
        "getLog": {"name": job},
        "watchCommand": {"name": "now"},
        "getProgress": {"name": "now"},
        "followCommand": {"name": "soak"},
    }


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_each_answer_is_as_it_is_described(page: TestClient, folder: Path, jobs: Jobs) -> None:
    synthetic.write(folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    document = described(page)
    job = page.post("/api/commands", json=STARTS).json()["name"]
    assert eventually(lambda: not jobs.job(job).running)
    asked = asked_of(job, page.get("/api/records/load/export").content)
    listed = operations(document)
    # Only a run is resumed: `test_what_cannot_be_done_says_why` has what this answers to others.
    # The machine's are in test_settings.py and test_hosts_view.py.
    machine = {"getDoctor", "listSetup", "setUp", "clearCache", "listHosts", "checkHosts"}
    assert set(listed) - set(asked) == {"resumeCommand", *machine}
    now = RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {})
    with now as record, claimed_server(folder):
        ProgressFile(record.path).offer(lambda: RANKED)
        for name, request in asked.items():
            method, path, said = listed[name]
            answer = page.request(
                method.upper(),
                path.replace("{name}", request.get("name", "")),
                params=request.get("query"),
                json=request.get("json"),
                content=request.get("content"),
                headers={"content-type": "application/zip"} if "content" in request else {},
            )
            assert answer.status_code == 200, (name, answer.text)
            ((media, content),) = said["responses"]["200"]["content"].items()
            assert answer.headers["content-type"].partition(";")[0] == media, name
            if media == "application/json":
                assert fits(document, content["schema"], answer.json()), name
            if "json" in request:
                sent = said["requestBody"]["content"]["application/json"]["schema"]
                assert fits(document, sent, request["json"]), name
    assert not (folder / "monday").exists()
    assert (folder / "load-2").is_dir()


@pytest.mark.parametrize(
    ("what", "body", "answered"),
    [
        ("GET /api/records?kind=a&kind=b", None, "400 a name twice"),
        ("GET /api/records?kind=bogus", None, "400 'load'"),
        (
            "GET /api/records?state=bogus",
            None,
            "400 'running', 'finished', 'stopped', 'cut off', 'damaged' or 'of another format'",
        ),
        ("GET /api/records?colour=red", None, "400 colour"),
        ("GET /api/history?by=bogus", None, "400 'time' or 'commit'"),
        ("GET /api/records/none", None, "404 no record 'none'"),
        ("GET /api/records/..%2F..%2Fetc", None, "404 no such address"),
        ("GET /api/records/soak/latency?cells=c001", None, "400 not a run of a study"),
        ("GET /api/compare?first=soak", None, "400 other: field required"),
        ("GET /api/compare?first=soak&other=none", None, "404 no record 'none'"),
        ("POST /api/records/soak/tags", '{"tags": "a"}', "400 tags: input should be a valid list"),
        ("POST /api/records/soak/tags", '{"tags": [], "more": 1}', "400 more"),
        ("POST /api/records/soak/tags", "{", "400 not JSON"),
        ("POST /api/records/soak/tags", "[" * 100_000, "400 not JSON"),
        ("POST /api/records/soak/delete", '{"sure": false}', "400 sure"),
        ("POST /api/records/soak/name", '{"name": "../x"}', "400 no name for a record"),
        ("POST /api/records/soak/name", '{"name": "load"}', "409 is there already"),
        ("POST /api/commands", '{"command": "doctor", "values": {}}', "400 no form for 'doctor'"),
        ("POST /api/commands", '{"command": "load", "values": {}}', "400 server, start is needed"),
        ("POST /api/commands", '{"command": "load", "values": {"server": "-x"}}', "400 would be an option"),
        ("POST /api/commands", '{"command": "load", "values": {"server": "x", "out": "/etc"}}', "400 values.out"),
        ("POST /api/preview", '{"command": "load", "values": {"server": "x"}}', "400 no study"),
        ("POST /api/call", '{"command": "compare", "values": {"a": "x"}}', "400 makes no single call"),
        ("POST /api/call", '{"command": "load", "values": {"server": "http://127.0.0.1:1/"}}', "400 127.0.0.1:1"),
        ("POST /api/services", '{"files": []}', "400 no file was chosen"),
        (
            "POST /api/services",
            '{"files": [{"name": "a", "content": "?", "encoding": "base64"}]}',
            "400 not in base64",
        ),
        ("GET /api/services/none", None, "404 no service 'none'"),
        ("POST /api/commands/none/resume", None, "404 nothing named 'none'"),
        ("GET /api/watch/soak/progress", None, "409 no progress"),
    ],
)
def test_what_cannot_be_done_says_why(
    page: TestClient, folder: Path, what: str, body: str | None, answered: str
) -> None:
    method, path = what.split()
    status, _, why = answered.partition(" ")
    answer = page.request(method, path, content=body, headers={"content-type": "application/json"} if body else {})
    assert str(answer.status_code) == status
    sentence = answer.json()["sentence"]
    assert why in sentence
    assert "\n" not in sentence
    assert not (folder / ".started").exists()
    assert (folder / "soak/record.json").exists()
    plain = path.partition("?")[0]
    for verb, at, said in operations(described(page)).values():
        if verb == method.lower() and re.fullmatch(re.sub(r"{\w+}", "[^/]+", at), plain):
            assert status in said["responses"]
            assert fits(
                described(page), said["responses"][status]["content"]["application/json"]["schema"], answer.json()
            )
            break
    else:
        raise AssertionError(f"{plain} is not described")


def test_the_page_and_the_api_answer_a_failure_of_the_machine_alike(
    page: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page said 400, as if what was asked were wrong."""
    (folder / "soak/tags.json").mkdir()
    for answer in (
        page.post("/api/records/soak/tags", json={"tags": ["a"]}),
        page.post("/records/soak/tags", data={"tags": "a"}),
    ):
        assert answer.status_code == 500
        assert "cannot write" in answer.text
    full = subprocess.CompletedProcess((), 2, "", "callbench: cannot write /x: No space left on device; make room")
    monkeypatch.setattr("callbench.web.program._ended", lambda *_: full)
    assert [page.get(f"{at}/records/soak/report").status_code for at in ("", "/api")] == [500, 500]
    # What nobody has put into a sentence: a disk that is full where a request needs a file.
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", Mock(side_effect=OSError(errno.ENOSPC, "No room", "/full/x")))
    for path in ("/api/records/soak/export", "/records/soak/export"):
        answer = page.get(path)
        assert answer.status_code == 500
        assert "/full/x: No room; make room" in answer.text


def test_what_is_too_long_or_of_another_type_is_refused(page: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form of another page could send text without asking first."""
    for media in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = page.post("/api/records/soak/tags", content='{"tags": []}', headers={"content-type": media})
        assert "Content-Type: application/json" in answer.json()["sentence"]
    assert page.post("/api/records", content="x", headers={"content-type": "text/plain"}).status_code == 400
    assert (
        "no packed record" in page.post("/api/records", content="x", headers={"content-type": "application/zip"}).text
    )
    monkeypatch.setattr(operation, "_MOST_JSON_BYTES", 10)
    monkeypatch.setattr(operation, "MOST_BYTES", 0)
    assert "too long" in page.post("/api/records/soak/tags", json={"tags": ["abcdefgh"]}).json()["sentence"]
    assert "more than" in page.post("/api/records", content="x", headers={"content-type": "application/zip"}).text


@pytest.mark.parametrize("path", ["/api/records", "/api/openapi.json", "/api/records/soak", "/api/none"])
def test_nobody_else_reads(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "soak" not in answer.text


def test_the_rules_of_the_page_hold(page: TestClient) -> None:
    assert page.get("/api/records", headers={"host": "evil.example:8123"}).status_code == 421
    tags, at = {"tags": ["x"]}, "/api/records/soak/tags"
    assert page.post(at, headers={"origin": "http://evil.example"}, json=tags).status_code == 403
    del page.headers["origin"]
    assert page.post(at, json=tags).status_code == 403
    assert page.delete("/api/records/soak").status_code == 405
    assert page.get("/api/records/soak/entry").json()["tags"] == []


def test_events_have_json(page: TestClient) -> None:
    ended = page.get("/api/watch/soak/events").text
    assert ended.startswith("event: ended\ndata: ")
    assert json.loads(ended.splitlines()[1].removeprefix("data: ")) == {
        "name": "soak",
        "record": "finished",
        "running": False,
    }


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_the_lines_of_the_guide_do_what_it_says(
    address: str, folder: Path, tmp_path: Path, callbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    synthetic.write(folder / "run", only=("native/soap+supertcp",))
    (tmp_path / "server.py").write_text((ROOT / "tests/external/greeting/server.py").read_text())
    lines = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/guide/api.md").read_text(), re.MULTILINE | re.DOTALL)
    script = "".join(lines).replace("http://127.0.0.1:8090", address.partition("/?token=")[0])
    assert script.count("curl") >= 10
    ended = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "token": address.partition("/?token=")[2]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    printed = callbench("show", folder.resolve() / "load", "--json", check=True).stdout
    assert (tmp_path / "load.json").read_bytes() == printed.encode()
    latency = LatencyDocument.model_validate_json((tmp_path / "latency.json").read_bytes())
    assert [cell.cell for cell in latency.cells] == ["c001", "c002"]
    assert json.loads((folder / "load/tags.json").read_text()) == {"tags": ["monday"]}
    assert (folder / "load-2").is_dir()
    assert "event: ended" in ended.stdout
    assert "rate" in ended.stdout.rpartition("event: ended")[2]
    assert json.loads((tmp_path / "openapi.json").read_text())["openapi"] == "3.1.1"
