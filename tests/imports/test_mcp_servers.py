"""MCP servers by command and by URL: they list what the file with their answer has, and nothing of them stays."""

import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_server
import pytest
from importing import DOCUMENTS, imported

from callbench.adapter import tool_server
from callbench.adapter.tool_server import conversation
from callbench.catalog.imports import registry
from callbench.catalog.imports.source import Options
from callbench.model.errors import BadInput
from callbench.model.service.schema import Schema

pytestmark = pytest.mark.usefixtures("nothing_left")
SERVER = f"{sys.executable} {Path(__file__).parent / 'mcp_server.py'}"


def schema(*, command: str = "", url: str = "", network: bool = True) -> Schema:
    """The schema without losses, whose places name the server."""
    tools = tool_server.source((), command, url, network=network)
    return replace(registry.of_tools(tools, Options()).schema, losses=())


def refused(*, command: str = "", url: str = "", network: bool = True) -> str:
    with pytest.raises(BadInput) as error:
        schema(command=command, url=url, network=network)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture(scope="module")
def expected() -> Schema:
    """What the file with the answer of `tools/list` becomes."""
    return replace(imported(DOCUMENTS / "tools.json", name="web_weather").schema, losses=())


@pytest.mark.parametrize("how", ["handshake", "asks", "stateless"])
def test_a_server_by_command(expected: Schema, how: str) -> None:
    """Pages, requests of the server and both kinds of revisions make no difference."""
    name = "mcp_server" if how == "stateless" else "web_weather"
    made = schema(command=f"{SERVER} {how}")
    assert made == replace(expected, name=made.name)
    assert name in made.name


def test_the_command_as_a_person_gives_it(callbench: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "tools.json").write_text((DOCUMENTS / "tools.json").read_text())
    (tmp_path / "server.py").write_text(Path(mcp_server.__file__).read_text())
    said = callbench("import", "--command", "python3 server.py", check=True).stdout
    assert said.startswith("web_weather: web_weather, from python3 server.py (mcp tools)")
    assert sorted(one.name for one in (tmp_path / "web_weather").iterdir()) == [
        "payloads",
        "schema.proto",
        "service.toml",
    ]
    both = callbench("import", "tools.json", "--command", "python3 server.py")
    assert (both.returncode, both.stderr) == (
        2,
        "callbench: name one of these: a document, a server by --command, or a server by --url\n",
    )


@pytest.mark.parametrize("how", ["leaves", "stays"])
def test_a_server_that_would_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """One starts a process in a session of its own, one does not end with its input. Both are gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("callbench.adapter.tool_server.by_command._GRACE_SECONDS", 0.1)
    schema(command=f"{SERVER} {how}")
    assert (tmp_path / "started").exists() == (how == "leaves")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program --now", "--command: `no-such-program --now` died (exit code 127)"),
        ("python3 'server.py", "is no command (No closing quotation)"),
        (" ", "--command is empty"),
        (f"{SERVER} dies", "died (exit code 1); its log ends with: no database; try the command in a terminal"),
        (f"{SERVER} banner", "wrote 'Ready!' to its standard output, which is not a line of MCP (JSON-RPC); try"),
        (f"{SERVER} refuses", "answers tools/list with an error: no tools/list here"),
        (f"{SERVER} no-list", "answers tools/list without a list of tools"),
        (f"{SERVER} circle", "sends the page '0' twice"),
        (f"{SERVER} endless", "has more than 5 pages of tools"),
    ],
)
def test_a_server_that_breaks_the_protocol(monkeypatch: pytest.MonkeyPatch, command: str, sentence: str) -> None:
    monkeypatch.setattr(conversation, "PAGES", 5)
    assert sentence in refused(command=command)


class Site(http.server.ThreadingHTTPServer):
    """A server over streamable HTTP.

    Attributes:
        asked: verb, method and session of each request.
    """

    def __init__(self, how: str) -> None:
        """Listen."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.how = how
        self.asked: list[tuple[str, str, str]] = []


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as a stream of events if the server is called `events`, and with a session unless it is stateless."""

    server: Site

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        how, method = self.server.how, message["method"]
        self.server.asked.append(("POST", method, self.headers.get("Mcp-Session-Id", "")))
        if self.headers["Accept"] != "application/json, text/event-stream":
            self._say(406, "")
        elif how == "stateless" and self.headers.get("Mcp-Method") != method:
            self._say(
                400, json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32020, "message": "no header"}})
            )
        elif how in {"401", "500", "307"}:
            self._say(int(how), "<p>", Location="/elsewhere")
        elif "id" not in message:
            self._say(202, "")
        else:
            self._answer(json.dumps({"jsonrpc": "2.0", "id": message["id"], **mcp_server.answer(message, how)}))

    def do_DELETE(self) -> None:
        self.server.asked.append(("DELETE", "", self.headers.get("Mcp-Session-Id", "")))
        self._say(405, "")

    def _answer(self, body: str) -> None:
        how = self.server.how
        session = {} if how == "stateless" else {"Mcp-Session-Id": "s1"}
        if how == "events":
            first, rest = body.split(" ", 1)
            other = ': wait\n\nevent: message\r\ndata: {"method": "notifications/x"}\r\n\r\n'
            self._say(200, f"{other}data: {first}\ndata:{rest}\n\n", **session, **{"Content-Type": "text/event-stream"})
        elif how == "cut":
            self._say(200, body[:-5], **session)
        elif how == "silent":
            self._say(200, "", **session, **{"Content-Type": "text/event-stream"})
        elif how == "huge":
            self._say(200, body + " " * 100_000, **session)
        elif how == "other":
            self._say(200, "[" * 100_000, **session)
        else:
            self._say(200, body, **session)

    def _say(self, status: int, body: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    server = Site(request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("site", ["json", "events", "stateless"], indirect=True)
def test_a_server_by_url(expected: Schema, site: Site) -> None:
    made = schema(url=f"http://127.0.0.1:{site.server_port}/mcp")
    assert made == replace(expected, name=made.name)
    lists = [("POST", "tools/list", "" if site.how == "stateless" else "s1")] * len(mcp_server.TOOLS)
    if site.how == "stateless":
        assert site.asked == [("POST", "initialize", ""), *lists]
    else:
        handshake = [("POST", "initialize", ""), ("POST", "notifications/initialized", "s1")]
        assert site.asked == [*handshake, *lists, ("DELETE", "", "s1")]


@pytest.mark.parametrize("site", ["json"], indirect=True)
def test_no_address_is_asked_without_leave(site: Site) -> None:
    assert "add --allow-network" in refused(url=f"http://127.0.0.1:{site.server_port}/mcp", network=False)
    assert site.asked == []


@pytest.mark.parametrize(
    ("site", "sentence"),
    [
        ("401", "asks for a login; save its answer to tools/list in a file"),
        ("500", "answers initialize with status 500"),
        ("307", "/elsewhere: name that address"),
        ("cut", "cannot ask http://127.0.0.1:"),
        ("silent", "ends without an answer to initialize"),
        ("huge", "has sent more than 0 MiB"),
        ("other", "cannot ask http://127.0.0.1:"),
        ("circle", "sends the page '0' twice"),
    ],
    indirect=["site"],
)
def test_a_site_that_is_no_server(monkeypatch: pytest.MonkeyPatch, site: Site, sentence: str) -> None:
    if site.how == "huge":
        monkeypatch.setattr("callbench.adapter.tool_server.by_url.LARGEST", 50_000)
    assert sentence in refused(url=f"http://127.0.0.1:{site.server_port}/mcp")


@pytest.mark.parametrize(
    "url", ["ftp://localhost/mcp", "localhost:3000", "http://", "http://[", "http://127.0.0.1:1/mcp"]
)
def test_an_address_that_is_none(url: str) -> None:
    assert url in refused(url=url)
