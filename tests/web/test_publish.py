"""A folder of records as static files: links that hold, a feed, and nothing written that is another's."""

import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from callbench.model.errors import BadInput
from callbench.store import packed
from callbench.store.head import head
from callbench.store.record_writer import RecordWriter
from callbench.store.shelf import TAGS_FILE, Shelf
from callbench.web.publishing import PublishedRecord, publish
from conftest import assert_one_sentence
from web_page import HOSTILE, KINDS, names

pytest_plugins = ["web_page"]

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def published(shelf: Shelf, site: Path, url: str = "") -> tuple[list[PublishedRecord], list[str]]:
    said: list[str] = []
    return publish(shelf, site, url, said.append), said


def files(site: Path) -> dict[str, bytes]:
    return {str(one.relative_to(site)): one.read_bytes() for one in sorted(site.rglob("*")) if one.is_file()}


def change(record: Path, **members: object) -> None:
    file = record / "record.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **members}))


def test_the_command_writes_every_kind_of_record(
    callbench: Callable[..., subprocess.CompletedProcess[str]], folder: Path, site: Path
) -> None:
    ended = callbench("publish", str(folder), "--out", str(site))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == f"{len(KINDS)} records: {site / 'index.html'}\n"
    index = (site / "index.html").read_text()
    assert "Holds at least 1 client" in index, "the verdict is the title"
    made = json.loads((site / "site.json").read_text())
    assert sorted(files(site)) == made["files"]
    assert len([name for name in made["files"] if name.startswith("records/")]) == 2 * len(KINDS)
    assert {(site / name).stat().st_mode & 0o777 for name in made["files"]} == {0o644}
    for one in made["records"]:
        page = (site / f"records/{one['id']}.html").read_text()
        assert f'href="records/{one["id"]}.html"' in index
        assert (
            page.index("<body")
            < page.index('href="../index.html"')
            < page.index('src="../tables.js"')
            < page.index("<h1")
        )


def test_a_link_holds_when_a_record_is_renamed_tagged_or_joined_by_others(
    shelf: Shelf, site: Path, folder: Path
) -> None:
    before = {one.entry.kind: one.id for one in published(shelf, site)[0]}
    first = files(site)
    shelf.rename("soak", "monday")
    shelf.tag("load", ["base"])
    shutil.rmtree(folder / "torture")
    after = {one.entry.kind: one.id for one in published(shelf, site)[0]}
    assert after == {kind: one for kind, one in before.items() if kind != "torture"}
    assert not [name for name in files(site) if "torture" in name], "what was deleted is not published any more"
    assert json.loads((site / "site.json").read_text())["feed"] == json.loads(first["site.json"])["feed"]


def test_the_same_records_give_the_same_files(shelf: Shelf, site: Path) -> None:
    published(shelf, site)
    first = files(site)
    published(shelf, site)
    assert files(site) == first


def test_a_record_is_packed_again_only_when_it_has_changed(shelf: Shelf, site: Path) -> None:
    made, _ = published(shelf, site)
    files_by_kind = {one.entry.kind: site / f"records/{one.id}.zip" for one in made}
    numbers = {kind: file.stat().st_ino for kind, file in files_by_kind.items()}
    shelf.tag("load", ["base"])
    files_by_kind["peer"].write_bytes(b"half of it")
    again, _ = published(shelf, site)
    kept = {kind for kind, file in files_by_kind.items() if file.stat().st_ino == numbers[kind]}
    assert kept == set(files_by_kind) - {"load", "peer"}
    assert [one.bytes for one in again if one.entry.kind in kept] == [
        one.bytes for one in made if one.entry.kind in kept
    ]
    with zipfile.ZipFile(files_by_kind["load"]) as zipped:
        assert b'"base"' in zipped.read(f"load/{TAGS_FILE}")
    assert zipfile.is_zipfile(files_by_kind["peer"])


def test_the_feed_is_atom_with_an_entry_for_each_record(shelf: Shelf, site: Path, folder: Path) -> None:
    change(folder / "soak", title=HOSTILE + "\x01")
    made, _ = published(shelf, site, "https://example.org/bench")
    feed = ET.fromstring((site / "feed.xml").read_bytes())  # noqa: S314 - our own
    entries = feed.findall(f"{ATOM}entry")
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(made) == len(KINDS)
    for entry, one in zip(entries, made, strict=True):
        link = entry.find(f"{ATOM}link")
        assert link is not None
        assert link.get("href") == f"https://example.org/bench/records/{one.id}.html"
        assert entry.findtext(f"{ATOM}updated", "").endswith("Z")
    stamps = [entry.findtext(f"{ATOM}updated", "") for entry in entries]
    assert feed.findtext(f"{ATOM}updated") == max(stamps)
    assert "<script>alert" not in (site / "index.html").read_text()


def test_a_downloaded_record_can_be_imported(shelf: Shelf, site: Path, tmp_path: Path) -> None:
    made, _ = published(shelf, site)
    one = next(one for one in made if one.entry.kind == "soak")
    other = Shelf(tmp_path / "other")
    assert packed.unpack(io.BytesIO((site / f"records/{one.id}.zip").read_bytes()), other) == "soak"
    assert publish(other, tmp_path / "site2", "", lambda _: None)[0].id == one.id


def test_what_cannot_be_published_is_left_out_and_said(shelf: Shelf, site: Path, folder: Path) -> None:
    change(folder / "soak", secrets="kept")
    shutil.copytree(folder / "load", folder / "load-2")
    (folder / "peer/record.json").write_text("{")
    with RecordWriter.create(folder / "now", head("run", "Now", {"study": "x"}), {}):
        made, said = published(shelf, site)
    assert len(made) == len(KINDS) - 2
    assert len(said) == 4
    for words in (["soak", "secrets are kept"], ["the same record as load"], ["peer"], ["now", "being written"]):
        assert any(all(word in line for word in words) for line in said), said
    assert not [name for name in files(site) if "soak" in name]


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_secret_is_in_no_file_of_a_publication(
    callbench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, site: Path
) -> None:
    server = ["--start", "python3 -m http.server {port} --bind 127.0.0.1", "--path", "/?api_key=Zebra-Quartz-77"]
    sent = ["--header", "X-Auth-Token: Walrus-Opal-88", "--clients", "1", "--calls", "20"]
    ended = callbench("load", *server, *sent, "--out", str(tmp_path / "runs/one"))
    assert ended.returncode == 0, ended.stderr
    published(Shelf(tmp_path / "runs"), site)
    for name, content in files(site).items():
        inside = [content]
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as zipped:
                inside = [zipped.read(one) for one in zipped.namelist()]
        assert not any(secret in text for text in inside for secret in (b"Zebra-Quartz-77", b"Walrus-Opal-88")), name


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"index.html": "mine"}, "something is in it"),
        ({"site.json": "{}"}, "something is in it"),
        ({"site.json": "["}, "something is in it"),
        ({"site.json": '{"made_by": "callbench publish", "format": 99}'}, "something is in it"),
    ],
)
def test_a_folder_of_another_is_left_as_it_is(shelf: Shelf, site: Path, content: dict[str, str], why: str) -> None:
    site.mkdir()
    for name, text in content.items():
        (site / name).write_text(text)
    before = files(site)
    with pytest.raises(BadInput) as failure:
        published(shelf, site)
    assert_one_sentence(str(failure.value), [str(site), why, "name a new folder"])
    assert files(site) == before


def test_a_file_or_a_link_is_no_folder_for_it(shelf: Shelf, site: Path, tmp_path: Path) -> None:
    site.write_text("")
    with pytest.raises(BadInput, match="is no folder"):
        published(shelf, site)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="is no folder"):
        published(shelf, tmp_path / "link")
    assert names(tmp_path / "elsewhere") == []


def test_files_of_others_beside_a_publication_stay(shelf: Shelf, site: Path, tmp_path: Path) -> None:
    published(shelf, site)
    (site / "CNAME").write_text("example.org")
    (tmp_path / "precious.html").write_text("mine")
    marker = json.loads((site / "site.json").read_text())
    marker["files"] += ["CNAME", "../precious.html", "records/../../precious.html"]
    (site / "site.json").write_text(json.dumps(marker))
    published(shelf, site)
    assert (site / "CNAME").read_text() == "example.org"
    assert (tmp_path / "precious.html").read_text() == "mine"


def test_a_link_in_a_publication_is_not_followed(shelf: Shelf, site: Path, tmp_path: Path) -> None:
    published(shelf, site)
    (tmp_path / "precious").write_text("mine")
    (site / "index.html").unlink()
    (site / "index.html").symlink_to(tmp_path / "precious")
    with pytest.raises(BadInput, match="leads elsewhere by a symbolic link"):
        published(shelf, site)
    assert (tmp_path / "precious").read_text() == "mine"


def test_nothing_to_publish_says_so(tmp_path: Path, site: Path) -> None:
    with pytest.raises(BadInput, match="there is no record to publish"):
        published(Shelf(tmp_path / "none"), site)
    assert not site.exists()


@pytest.mark.parametrize("width", [360, 1280])
def test_it_opens_from_disk_and_is_accessible(shelf: Shelf, site: Path, width: int) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed: setup/system chromium")
    published(shelf, site)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": width, "height": 900})
        said: list[str] = []
        window.on("console", lambda message: said.append(message.text))
        window.goto(f"file://{site}/index.html")
        assert window.evaluate("document.documentElement.scrollWidth") <= width
        rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
        assert not Axe().run(window, options=rules).response["violations"]
        window.get_by_role("link", name="Holds at least 1 client").click()
        window.get_by_role("heading", level=1).wait_for()
        window.get_by_role("link", name="All records").click()
        window.get_by_role("heading", name="Records").wait_for()
        browser.close()
    assert not said
    assert not [name for name in names(site) if name.startswith(".")]
