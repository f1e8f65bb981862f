"""New, for a server of one's own: each command's form, where its URL leads, and what is done with its secrets."""

import os
import shlex
import socket
import threading
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.main import get_command

from callbench.adapter.external.listeners import Listeners
from callbench.cli import app
from callbench.model.errors import BadInput
from callbench.web import leading
from callbench.web.forms import FORMS, command_line
from callbench.web.leading import leads_to
from web_page import names

pytest_plugins = ["web_page"]
OWN_SERVER = ("load", "capacity", "soak", "overload", "torture")
REQUEST = {
    "server": "http://127.0.0.1:1/orders",
    "method": "PUT",
    "header": "Accept: text/plain\r\n\r\nX-Colour: blue",
    "body": '{"a": 1}\r\n',
    "status": "200 404",
    "json": "$.a=1\n$.b",
    "match": "^x y",
}


def option(what: str, name: str) -> str:
    return next(field.option for field in FORMS[what].fields if field.name == name)


@pytest.mark.parametrize("what", FORMS)
def test_each_field_is_an_option_of_its_command(what: str) -> None:
    """The program itself knows each, with the kind of value that the field has."""
    command = get_command(app).commands[what]  # type: ignore[attr-defined]
    known = {name: parameter for parameter in command.params for name in parameter.opts}
    for field in FORMS[what].fields:
        if field.option:
            assert field.option in known, field
            assert (field.kind == "check") == bool(known[field.option].is_flag), field
            assert not (field.many or field.kind == "lines") or known[field.option].multiple, field


def test_lines_and_bodies_become_one_word_each() -> None:
    words = command_line("load", REQUEST)
    assert words == [
        "load",
        "http://127.0.0.1:1/orders",
        "--method=PUT",
        "--header=Accept: text/plain",
        "--header=X-Colour: blue",
        '--body={"a": 1}',
        "--expect-status=200",
        "--expect-status=404",
        "--expect-json=$.a=1",
        "--expect-json=$.b",
        "--expect-match=^x y",
    ]
    assert shlex.split(shlex.join(words)) == words
    for bad in ("a\0b", "a\x1bb", "x" * 30_001):
        with pytest.raises(BadInput, match="printable"):
            command_line("load", {**REQUEST, "body": bad})


@pytest.mark.parametrize("what", OWN_SERVER)
def test_showing_the_command_keeps_it_in_the_address(page: TestClient, what: str) -> None:
    answer = page.post(f"/new/{what}/line", data=REQUEST)
    assert answer.status_code == 303
    text = page.get(answer.headers["location"]).text
    assert f"callbench {what} http://127.0.0.1:1/orders --method=PUT &#39;--header=Accept: text/plain&#39;" in text
    assert "X-Colour: blue</textarea>" in text
    assert "127.0.0.1 is this machine. Nothing listens at port 1 now." in text


@pytest.mark.parametrize("hidden", ["Zebra-Quartz-77", "q1"])
def test_a_secret_stays_out_of_the_address_and_of_what_is_shown(page: TestClient, hidden: str) -> None:
    answer = page.post("/new/load/line", data={**REQUEST, "header": f"X-Vault-Token: {hidden}"})
    assert answer.status_code == 200
    shown = answer.text.partition('<h2 id="command">')[2]
    line = shown.partition("<pre")[2].partition("</pre>")[0]
    assert "--header=X-Vault-Token: ***" in line
    assert hidden not in line
    assert "Secrets are masked here" in shown
    assert f"X-Vault-Token: {hidden}</textarea>" in answer.text, "the form still has it"
    assert '<button form="asked"' in shown, "Start sends the form"


def test_only_post_shows_what_is_not_in_the_address(page: TestClient) -> None:
    assert page.get("/new/load/line").status_code == 405
    del page.headers["origin"]
    assert page.post("/new/load/line", data=REQUEST).status_code == 403


def test_where_a_url_leads_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert f"The calls go to this page itself (process {os.getpid()})" in leads_to(f"http://localhost:{port}/x")
    where = {"db.example": "127.0.0.1", "keys.example": "169.254.169.254", "far.example": "93.184.215.14"}

    def known(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (where.get(host, host), 0))]

    monkeypatch.setattr(leading, "listeners_at", lambda *_: Listeners(hidden=1))
    monkeypatch.setattr(socket, "getaddrinfo", known)
    assert leads_to("https://db.example") == (
        "db.example is this machine. The calls go to a process of another user, which listens at port 443."
    )
    assert "gives out their keys" in leads_to("http://keys.example/latest")
    assert "gives out their keys" in leads_to("http://169.254.169.254/latest")
    assert "private network" in leads_to("http://10.1.2.3:8080/")
    for elsewhere in ("http://far.example/", "http://[", "http://x:99999/", "native/soap+tcp", "ftp://far.example/"):
        assert leads_to(elsewhere) == ""
    assert leading.of(["http://10.1.2.3/", "http://10.1.2.3/"]) == [leads_to("http://10.1.2.3/")]


def test_a_name_that_nobody_answers_for_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, free = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> list[object]:
        asked.set()
        free.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    monkeypatch.setattr(leading, "_LOOK_UP_S", 0.05)
    try:
        assert leads_to("http://nobody.example/") == ""
        assert asked.is_set()
    finally:
        free.set()


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_button_makes_one_call_and_shows_it(page: TestClient, folder: Path) -> None:
    values = {"start": "python3 -m http.server {port} --bind 127.0.0.1", "path": "/", "header": "X-Vault-Token: q1"}
    text = page.post("/new/capacity/call", data=values).text
    assert "The answer is right" in text
    assert "GET / HTTP/1.1" in text
    assert "HTTP/1.0 200 OK" in text
    assert "X-Vault-Token: ***" in text.partition("Request to")[2]
    assert "The test takes at most 2 minutes." in text
    wrong = page.post("/new/torture/call", data={**values, "match": "no <b>such</b> text"}).text
    assert "The answer is wrong" in wrong
    assert "<b>" not in wrong
    assert "Start</button>" in wrong, "who knows better may start it"
    refused = page.post("/new/load/call", data={"server": "http://127.0.0.1:1/"})
    assert refused.status_code == 400
    assert "127.0.0.1:1" in refused.text.partition('<h2 id="command">')[2].partition("</pre>")[2], "the form stays"
    assert page.post("/new/compare/call", data={"a": "native/json+tcp"}).status_code == 200
    assert page.get("/new/load/call").status_code == 405
    assert ".started" not in names(folder)


def test_the_api_says_it_too(page: TestClient) -> None:
    answer = page.post("/api/line", json={"command": "torture", "values": REQUEST}).json()
    assert answer["words"] == ["torture", *command_line("load", REQUEST)[1:]]
    assert answer["leads"] == ["127.0.0.1 is this machine. Nothing listens at port 1 now."]
    forms = {form["command"]: form for form in page.get("/api/forms").json()["forms"]}
    assert set(forms) == set(FORMS)
    assert {field["group"] for field in forms["load"]["fields"]} == {"Server", "Request", "Right answers", ""}


def test_nothing_was_started_by_any_of_it(page: TestClient, folder: Path) -> None:
    for what in OWN_SERVER:
        page.post(f"/new/{what}/line", data=REQUEST)
        page.get(f"/new/{what}", params=REQUEST)
    assert ".started" not in names(folder)
