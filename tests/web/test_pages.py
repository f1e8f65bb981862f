"""What each address answers, and what it does to the folder."""

import io
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from callbench.store.head import head
from callbench.store.record_writer import RecordWriter
from callbench.store.shelf import Shelf
from callbench.web.views import LOADER, asset
from web_page import names

pytest_plugins = ["web_page"]

HOSTILE = "<script>alert(1)</script>\"' onload=x"


def change(record: Path, **members: object) -> None:
    file = record / "record.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **members}))


def test_records_are_listed_newest_first(page: TestClient, folder: Path) -> None:
    change(folder / "soak", started="2026-01-01T00:00:00.000Z", title="the oldest")
    change(folder / "load", started="2027-01-01T00:00:00.000Z", title="the newest")
    text = page.get("/").text
    assert "7 of 7" in text
    assert 0 < text.index("the newest") < text.index("the oldest")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"kind": "soak"}, ["soak"]),
        ({"q": "SOAK of"}, ["soak"]),
        ({"q": "no such words"}, []),
        ({"tag": "base"}, ["load"]),
        ({"tag": "base", "kind": "soak"}, []),
        ({"state": "cut off"}, ["torture"]),
    ],
)
def test_an_address_keeps_what_was_searched(
    page: TestClient, shelf: Shelf, folder: Path, asked: dict[str, str], found: list[str]
) -> None:
    shelf.tag("load", ["base"])
    change(folder / "torture", state="running")
    text = page.get("/", params=asked).text
    assert [one for one in names(folder) if f'href="/records/{one}"' in text] == found
    for value in asked.values():
        assert f'value="{value}"' in text or f"<option selected>{value}</option>" in text


def test_an_empty_folder_says_how_to_begin(page: TestClient, shelf: Shelf, folder: Path) -> None:
    for name in names(folder):
        shelf.remove(name)
    assert "callbench run remobjects --quick" in page.get("/").text


def test_a_record_is_renamed(page: TestClient, folder: Path) -> None:
    answer = page.post("/records/soak/name", data={"name": "monday"})
    assert answer.headers["location"] == "/records/monday"
    assert (folder / "monday/record.json").is_file()
    assert not (folder / "soak").exists()


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "../out", "load", "x" * 101, "a b", "<b>", "-x", "a\nb"])
def test_a_name_that_cannot_be(page: TestClient, folder: Path, name: str) -> None:
    before = names(folder)
    answer = page.post("/records/soak/name", data={"name": name})
    assert answer.status_code == (409 if name == "load" else 400)
    assert names(folder) == before
    assert "<b>" not in answer.text


def test_tags_are_kept_beside_the_record(page: TestClient, folder: Path) -> None:
    page.post("/records/soak/tags", data={"tags": " base, after , base,,"})
    assert json.loads((folder / "soak/tags.json").read_text()) == {"tags": ["base", "after"]}
    assert 'href="/?tag=after"' in page.get("/").text
    assert page.post("/records/soak/tags", data={"tags": "x" * 41}).status_code == 400
    assert 'value="base, after"' in page.get("/records/soak").text


def test_deleting_is_asked_twice(page: TestClient, folder: Path) -> None:
    assert 'type="checkbox"' in page.get("/records/soak/delete").text
    assert page.post("/records/soak/delete", data={}).status_code == 400
    assert (folder / "soak").is_dir()
    assert page.post("/records/soak/delete", data={"sure": "yes"}).headers["location"] == "/"
    assert not (folder / "soak").exists()
    assert len(names(folder)) == 6


def test_a_record_goes_out_and_comes_in_as_one_file(page: TestClient, folder: Path) -> None:
    page.post("/records/soak/tags", data={"tags": "base"})
    packed = page.get("/records/soak/export")
    assert packed.headers["content-disposition"].endswith('"soak.zip"')
    answer = page.post("/import", files={"file": ("any.zip", packed.content)})
    assert answer.headers["location"] == "/records/soak-2"
    for name in ("record.json", "journal.jsonl", "environment.json", "tags.json"):
        assert (folder / "soak-2" / name).read_bytes() == (folder / "soak" / name).read_bytes()
    assert list((folder.parent / "kept").iterdir()) == []


@pytest.mark.parametrize(("address", "name"), [("/", "Records"), ("/new/soak", "New"), ("/watch", "Watch")])
def test_the_navigation_marks_the_current_view(page: TestClient, address: str, name: str) -> None:
    top = page.get(address).text.partition("<header")[2].partition("</header>")[0]
    assert re.findall(r' aria-current="page">([^<]*)<', top) == [name]


def test_every_view_is_one_of_the_navigation() -> None:
    sources = {name: asset(name) for name in LOADER.list_templates()}
    names = re.findall(r'"([A-Z]\w+)"', sources["base.html.j2"].partition("for name in")[2].partition("%}")[0])
    views = {name: text for name, text in sources.items() if '{% extends "base' in text and "block top" not in text}
    assert {name for text in views.values() for name in re.findall(r'set here = "(\w+)"', text)} == {*names}
    assert all("set here =" in text for text in views.values())


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken"])
def test_another_file_is_refused(page: TestClient, folder: Path, content: bytes) -> None:
    answer = page.post("/import", files={"file": ("x.zip", io.BytesIO(content))})
    assert answer.status_code == 400
    assert "no packed record" in answer.text
    assert len(names(folder)) == 7


def test_import_without_a_file(page: TestClient) -> None:
    assert "no file was chosen" in page.post("/import", data={}).text


def test_names_and_texts_of_others_are_escaped(page: TestClient, folder: Path) -> None:
    change(folder / "soak", title=HOSTILE, request={"study": HOSTILE})
    (folder / "soak/tags.json").write_text(json.dumps({"tags": [HOSTILE]}))
    (folder / "soak/environment.json").write_text(json.dumps({"system": HOSTILE}))
    hostile = folder / '"><img src=x onerror=alert(1)>'
    (folder / "load").rename(hostile)
    (folder / "peer/record.json").write_text('{"format": "<script>"}')
    for path in ("/", "/records/soak", "/records/soak/delete", "/records/peer", f"/records/{quote(hostile.name)}"):
        text = page.get(path, params={"q": ""}).text.replace('<script src="/framing.js" defer></script>', "")
        assert "<script" not in text
        assert "<img" not in text
        assert "\"' onload" not in text
    assert page.get("/", params={"q": HOSTILE}).text.count("<script") == 0
    assert page.get(f"/records/{quote(hostile.name)}").status_code == 200


@pytest.mark.parametrize("name", ["..%2Fsecret", "%2e%2e", "%2Fetc", "no-such", "%00", ".hidden"])
@pytest.mark.parametrize("what", ["", "/report", "/export", "/delete"])
def test_no_path_leads_out_of_the_folder(page: TestClient, folder: Path, name: str, what: str) -> None:
    (folder / "soak").rename(folder.parent / "secret")
    (folder / "load").rename(folder / ".hidden")
    (folder.parent / "record.json").write_text((folder / "torture/record.json").read_text())
    answer = page.get(f"/records/{name}{what}")
    assert answer.status_code in {400, 404}
    assert "python3 server.py" not in answer.text


def test_a_link_is_not_followed(page: TestClient, folder: Path) -> None:
    outside = folder.parent / "outside"
    (folder / "soak").rename(outside)
    (folder / "soak").symlink_to(outside)
    (folder / "load/journal.jsonl").rename(folder.parent / "elsewhere.jsonl")
    (folder / "load/journal.jsonl").symlink_to(folder.parent / "elsewhere.jsonl")
    assert page.get("/").text.count("symbolic link") == 2
    for name in ("soak", "load"):
        for what in ("/report", "/export"):
            answer = page.get(f"/records/{name}{what}")
            assert answer.status_code == 400
            assert "symbolic link" in answer.text
        page.post(f"/records/{name}/delete", data={"sure": "yes"})
    assert (outside / "journal.jsonl").is_file()
    assert (folder.parent / "elsewhere.jsonl").is_file()


@pytest.mark.parametrize("kind", ["capacity", "compare", "load", "overload", "peer", "soak", "torture"])
def test_each_kind_is_read_as_its_report(page: TestClient, folder: Path, kind: str) -> None:
    answer = page.get(f"/records/{kind}/report")
    assert answer.status_code == 200, answer.text
    assert "<h1>" in answer.text
    policy = answer.headers["content-security-policy"]
    scripts = " ".join(f"http://127.0.0.1:8123/{name}.js" for name in ("tables", "marks"))
    assert policy.endswith(f"sandbox allow-scripts; script-src {scripts}")
    assert answer.text.count("<script") == 2, "the page's own"
    view = page.get(f"/records/{kind}")
    assert f'src="/records/{kind}/report" sandbox="allow-scripts"></iframe>' in view.text
    assert view.headers["content-security-policy"].endswith("base-uri 'none'; script-src 'self'")
    assert not (folder / kind / "report.html").exists()


def test_a_report_is_kept_until_its_record_changes(page: TestClient, folder: Path) -> None:
    first = page.get("/records/soak/report").text
    kept = sorted((folder.parent / "kept").iterdir())
    assert page.get("/records/soak/report").text == first
    assert sorted((folder.parent / "kept").iterdir()) == kept
    change(folder / "soak", title="another title")
    assert "another title" in page.get("/records/soak/report").text
    assert len(list((folder.parent / "kept").iterdir())) == 1


def test_a_verdict_that_was_read_stands_in_the_list(page: TestClient) -> None:
    page.get("/records/capacity/report")
    text = page.get("/", params={"kind": "capacity"}).text
    title = page.get("/records/capacity/report").text.partition("<title>")[2].partition("</title>")[0]
    assert f'<a href="/records/capacity">{title}</a>' in text


def test_a_damaged_record_says_so(page: TestClient, folder: Path) -> None:
    with (folder / "soak/journal.jsonl").open("a") as journal:
        journal.write("{}\n")
    answer = page.get("/records/soak/report")
    assert answer.status_code == 400
    assert "was altered since its work ended" in answer.text
    (folder / "load/record.json").write_text("{")
    assert "is damaged: it is not JSON" in page.get("/").text
    assert "is damaged: it is not JSON" in page.get("/records/load").text


def test_a_record_deleted_while_it_is_shown(page: TestClient, shelf: Shelf) -> None:
    assert page.get("/records/soak").status_code == 200
    shelf.remove("soak")
    answer = page.get("/records/soak/report")
    assert answer.status_code == 404
    assert "there is no record" in answer.text


def with_page(record: Path, title: str) -> Path:
    """Give a record the page that its command leaves."""
    page = record / "report.html"
    page.write_text(f"<!doctype html><head><style>{'x' * 9000}</style><title>{title}</title></head><body>")
    return page


def test_a_verdict_is_listed_before_anyone_read_the_record(page: TestClient, folder: Path) -> None:
    with_page(folder / "soak", "Healthy &amp; sound")
    assert "Healthy &amp; sound" in page.get("/").text
    change(folder / "soak", title="what has changed since")
    assert "Healthy" not in page.get("/").text


def test_the_page_of_a_record_is_no_way_out_of_the_folder(page: TestClient, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.html").write_text("<head><title>of elsewhere</title></head>")
    (folder / "soak/report.html").symlink_to(tmp_path / "elsewhere.html")
    os.mkfifo(folder / "load/report.html")
    with_page(folder / "torture", "&lt;script&gt;alert(1)&lt;/script&gt;")
    (folder / "overload/report.html").write_bytes(b"<title>\xff" + b"y" * 999_999)
    text = page.get("/").text
    assert "of elsewhere" not in text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_a_record_that_goes_while_it_is_shown_is_one_sentence(page: TestClient, folder: Path) -> None:
    assert page.get("/records/soak").status_code == 200
    shutil.rmtree(folder / "soak")
    for path in ("", "/report", "/export", "/delete"):
        answer = page.get(f"/records/soak{path}")
        assert answer.status_code == 404
        assert "there is no record" in answer.text
    assert page.post("/records/soak/tags", data={"tags": "a"}).status_code == 404
    assert "6 of 6" in page.get("/").text


def test_a_record_that_is_damaged_or_written_is_shown_for_what_it_is(page: TestClient, folder: Path) -> None:
    (folder / "load/journal.jsonl").write_text("{")
    (folder / "torture/record.json").write_text("{")
    with RecordWriter.create(folder / "now", head("soak", "Now", {}), {}):
        text = page.get("/").text
        assert "running" in text
        assert "damaged" in text
        assert page.get("/records/now").status_code == 200
        assert page.post("/records/now/delete", data={"sure": "yes"}).status_code == 409
    for name in ("load", "torture"):
        answer = page.get(f"/records/{name}/report")
        assert answer.status_code == 400
        assert "Traceback" not in answer.text
        assert "mistake in Callbench" not in answer.text


def test_a_port_in_use_is_one_sentence(callbench: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = callbench("ui", "--port", port)
    assert refused.returncode == 2
    assert refused.stderr == f"callbench: port {port} is in use: give another --port, or end what listens there\n"
