"""A study's start command runs on a host only if a file of that host allows it."""

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.request import urlopen

import pytest

from callbench.adapter.network.host import Host
from callbench.adapter.network.remote.allowed_commands import commands_file, with_allowed_commands
from callbench.adapter.network.remote.keys import Keys
from callbench.adapter.network.remote.remote_process import RemoteProcess
from callbench.adapter.network.remote.session_host import SessionHost
from callbench.adapter.session import Adapter
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.external import Server
from callbench.catalog.manifest import Manifest
from callbench.catalog.study.own_servers import with_servers
from callbench.model.card import ExternalTable
from callbench.model.errors import AdapterFailure
from conftest import assert_one_sentence

SHOP = ExternalTable(start=["./shop", "--port", "{port}"], folder="/home/me/shop", ready_seconds=30.0)


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def allow(*lines: str) -> None:
    commands_file().parent.mkdir(parents=True, exist_ok=True)
    commands_file().write_text("\n".join(lines) + "\n")
    commands_file().chmod(0o600)


def allowed(table: ExternalTable) -> ExternalTable:
    return with_allowed_commands({"servers/shop": table}, "alpha")["servers/shop"]


def test_nothing_is_allowed_without_a_file() -> None:
    """The sentence has the line to add; with it, the command starts in the folder of the file."""
    refused = allowed(SHOP)
    assert refused.keys() == {"refused"}
    assert_one_sentence(f"callbench: {refused['refused']}", [str(commands_file()), "host alpha", "add this line there"])
    line = refused["refused"].partition("add this line there: ")[2]
    assert line == '"./shop --port {port}" = "/home/me/shop"'
    allow(line.replace("/home/me", "/opt"))
    assert allowed(SHOP) == {**SHOP, "folder": "/opt/shop", "environment": {}, "path": "/"}


@pytest.mark.parametrize(
    "table",
    [
        {"start": ["sh", "-c", 'echo "a b" \\ $HOME; exec ./shop {port}'], "folder": '/a "b"\\c'},
        {"start": ["./shop", "", "*", "{port}"], "folder": "/ä"},
        {"start": ["./shop", "{port}"], "environment": {"B": "1 2", "A": "{host}"}, "folder": "/"},
    ],
)
def test_the_line_that_is_named_allows_the_command(table: ExternalTable) -> None:
    line = allowed(table)["refused"].partition("add this line there: ")[2]
    assert len(tomllib.loads(line)) == 1
    allow(line)
    assert allowed(table)["start"] == table["start"]
    assert allowed(table)["folder"] == table["folder"]


@pytest.mark.parametrize(
    ("line", "start", "fits"),
    [
        ("/opt/shop-*/shop {port}", "/opt/shop-1.2/shop {port}", True),
        ("/opt/shop-*/shop {port}", "/opt/shop-1/../../bin/sh {port}", False),
        ("/opt/*/shop {port}", "/opt/../shop {port}", False),
        ("./shop --workers=* {port}", "./shop --workers=8 {port}", True),
        ("./shop * {port}", "./shop --config=/etc/shadow {port}", False),
        ("./shop * {port}", "./shop a b {port}", False),
        ("./shop * {port}", "./shop {port}", False),
        ("./shop {port}", "./shop {port} --debug", False),
        ("./shop {port}", "/shop {port}", False),
        ("./s.op {port}", "./shop {port}", False),
        ("./shop 'unclosed {port}", "./shop {port}", False),
    ],
)
def test_a_star_stands_for_a_name(line: str, start: str, fits: bool) -> None:
    allow(f'"{line}" = "/opt"')
    assert ("start" in allowed({**SHOP, "start": start.split()})) == fits


def test_what_a_command_finds_in_its_environment_must_be_allowed_too() -> None:
    table: ExternalTable = {**SHOP, "environment": {"LD_PRELOAD": "/opt/other.so"}}
    allow('"./shop --port {port}" = "/opt"')
    assert '"LD_PRELOAD=/opt/other.so ./shop --port {port}"' in allowed(table)["refused"]
    assert "url" in allowed({"url": "http://127.0.0.1:1/"})["refused"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no toml", "cannot be read"),
        ('"./shop" = "shop"', "no absolute path"),
        ('"./shop" = 1', "no absolute path"),
    ],
)
def test_a_file_that_is_wrong(text: str, says: str) -> None:
    allow(text)
    with pytest.raises(AdapterFailure, match=says):
        allowed(SHOP)


def test_a_file_that_others_can_write_allows_nothing() -> None:
    allow('"./shop --port {port}" = "/opt"')
    commands_file().chmod(0o620)
    with pytest.raises(AdapterFailure, match="chmod go-w"):
        allowed(SHOP)


class NearHost(Host):
    """A host whose agent is in this process."""

    def start(self, who: str, manifest: Manifest, processors: Sequence[int]) -> RemoteProcess:
        del processors
        return RemoteProcess(who, manifest, "alpha", 1, self.ask)

    def ask(self, do: str, members: Mapping[str, object], seconds: float) -> dict[str, object]:
        assert seconds
        order = {"do": do, "core": "core", **members}
        HOSTED[0].thread_of(order)
        answer: dict[str, object] = json.loads(HOSTED[0].answer(json.dumps(order)))
        return answer


HOSTED: list[SessionHost] = []


@pytest.fixture
def near(tmp_path: Path) -> Iterator[Host]:
    files = tmp_path / "files"
    files.mkdir()
    HOSTED[:] = [SessionHost(files, Keys(files, "alpha", "127.0.0.1", 1))]
    host = NearHost("127.0.0.1")
    host.ask("take", {}, 1)
    yield host
    HOSTED[0].end()


@pytest.mark.usefixtures("nothing_left")
def test_a_study_starts_what_the_host_allows(tmp_path: Path, near: Host) -> None:
    """Neither an address nor a folder of the core becomes more than it is there."""
    marked, here, there = tmp_path / "marked", tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (there / "place").write_text("there")
    start = (sys.executable, "-m", "http.server", "--bind", "{host}", "{port}")
    servers = {
        "files": Server(start=start, path="/place"),
        "other": Server(start=("touch", str(marked), "{port}")),
        "far": Server(url="http://127.0.0.1:1/"),
    }
    known = with_servers(Catalogue((), ()), servers, here / "study.toml")
    allow(f'"{" ".join(start)}" = "{there}"')
    with Adapter(known.adapter("servers").manifest, "the server", host=near) as server:
        assert server.unavailable("servers/files") is None
        assert "url" in str(server.unavailable("servers/far"))
        refused = str(server.unavailable("servers/other"))
        assert_one_sentence(f"callbench: {refused}", [str(commands_file()), "does not allow its command"])
        with pytest.raises(AdapterFailure, match="does not allow its command"):
            server.serve("servers/other")
        with pytest.raises(AdapterFailure, match="is no IP address"):
            server.serve("servers/files", "127.0.0.1 --directory /")
        with urlopen(server.serve("servers/files")) as page:
            assert page.read() == b"there"
    assert not marked.exists()
