"""New, for a service of one's own: files that are dropped, what is kept of them, and what is not."""

import io
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from callbench.model.errors import BadInput
from callbench.web import services
from callbench.web.services import Services
from conftest import ROOT
from web_page import HOSTILE

pytest_plugins = ["web_page"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]
PROTO = (ROOT / "tests/own/orders.proto").read_bytes()
REQUEST = b'{"id": 4, "password": "Zebra-Quartz-77"}'


def sent(page: TestClient, *files: tuple[str, bytes], answers: tuple[tuple[str, bytes], ...] = ()) -> str:
    """Send files as a browser does. Return the address that it is led to."""
    fields = [("files", file) for file in files] + [("answers", file) for file in answers]
    answer = page.post("/services", files=fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_schema_is_imported_and_goes_on_to_advice(page: TestClient, folder: Path) -> None:
    address = sent(page, ("orders.proto", PROTO))
    assert address == "/services/orders"
    text = page.get(address).text
    service = folder.resolve() / ".services/orders/service"
    assert (service / "service.toml").is_file()
    assert "EchoOrder" in text
    assert "protobuf proto3" in text
    assert "sizes are not yours" in text
    link = text.partition('href="/new/advise?')[2].partition('"')[0]
    shown = page.post("/new/advise/line", data={"of": str(service), "link": "25ms,20mbit lan100"})
    assert page.get(f"/new/advise?{link}").status_code == 200
    assert f"advise {service} --link=25ms,20mbit --link=lan100" in page.get(shown.headers["location"]).text
    assert '<a href="/services/orders">orders</a>' in page.get("/services").text
    assert sent(page, ("orders.proto", PROTO)) == "/services/orders-2"
    assert page.post("/services/orders/remove").status_code == 303
    assert not service.exists()


def test_what_is_secret_is_said_and_not_kept(page: TestClient, folder: Path) -> None:
    address = sent(page, ("order.json", REQUEST), answers=(("answer.json", b'{"total": 12.5, "ok": true}'),))
    text = page.get(address).text
    assert "Values that look like secrets were replaced" in text
    assert "no answer was given" not in text
    kept = [file for file in (folder / ".services").rglob("*") if file.is_file()]
    assert kept
    assert all(b"Zebra-Quartz-77" not in file.read_bytes() for file in kept)
    assert not (folder / ".services/order/given").exists()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ([], "no file was chosen"),
        ([("x.proto", b"message {")], "x.proto"),
        ([("a.json", b"{}"), ("a.json", b"{}")], "two files are called a.json"),
        ([(f"{number}.json", b"{}") for number in range(21)], "more than 20 files"),
        ([("big.json", b"x" * 2000)], "too large"),
    ],
)
def test_what_is_no_service_leaves_nothing(
    page: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch, files: list[tuple[str, bytes]], why: str
) -> None:
    monkeypatch.setattr(services, "MOST_BYTES", 1000)
    answer = page.post("/services", files=[("files", file) for file in files] or [("files", ("", b""))])
    assert answer.status_code == 400
    assert why in answer.text
    assert not list((folder / ".services").glob("*"))


def test_a_form_that_is_too_long_is_not_read(page: TestClient) -> None:
    answer = page.post("/services", content=b"x", headers={"content-length": str(services.MOST_BYTES * 2)})
    assert "too large" in answer.text


@pytest.mark.parametrize(
    "name", ["../../../etc/cron.d/x.json", "C:\\Users\\x.json", "..", HOSTILE, ".x.json", "a\0b.json"]
)
def test_files_stay_in_the_folder_of_the_page(folder: Path, name: str) -> None:
    kept = Services(folder).take([(name, io.BytesIO(b'{"id": 4}'))], [])
    assert (folder / ".services" / kept / "import.json").is_file()
    assert [place.name for place in (folder / ".services").iterdir()] == [kept]
    assert "<" not in kept


@pytest.mark.parametrize("name", ["none", "..%2F..%2Fsoak", "%00", ".hidden"])
def test_there_is_nothing_elsewhere(page: TestClient, folder: Path, name: str) -> None:
    assert page.get(f"/services/{name}").status_code in {400, 404}
    assert page.post(f"/services/{name}/remove").status_code in {400, 404, 405}
    assert (folder / "soak/record.json").is_file()


def test_a_link_is_not_followed_and_a_damaged_file_is_said(folder: Path, tmp_path: Path) -> None:
    (folder / ".services").mkdir()
    (folder / ".services/away").symlink_to(tmp_path)
    (folder / ".services/odd").mkdir()
    kept = Services(folder)
    assert kept.names() == ["odd"]
    with pytest.raises(BadInput, match="no service 'away'"):
        kept.remove("away")
    with pytest.raises(BadInput, match="damaged: remove the service"):
        kept.service("odd")
    kept.remove("odd")
    assert kept.names() == []


def test_what_a_schema_says_is_escaped(page: TestClient) -> None:
    content = b'{"<script>alert(1)</script>": 1, "b": "<script>"}'
    text = page.get(sent(page, ("odd.json", content))).text
    assert "<script" not in text


def test_they_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_SERVICES", 0)
    with pytest.raises(BadInput, match="remove one first"):
        Services(folder).take([("a.json", io.BytesIO(b"{}"))], [])
