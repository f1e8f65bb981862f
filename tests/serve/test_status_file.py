"""The file in which `callbench serve --status FILE` says what is on, where, and how often it was called."""

import json
import shutil
import subprocess
import xmlrpc.client
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.store.served_state import ServedState
from conftest import eventually
from left_behind import marked
from served import READY, SUM, Served, endpoints, posted, shown, state

pytest_plugins = ["served"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]

Program = Callable[..., subprocess.CompletedProcess[str]]


def called(read: ServedState) -> dict[str, dict[str, int]]:
    """The calls of each endpoint that was called."""
    parts = [part for server in read.servers for part in server.parts]
    return {found.stack: found.calls for part in parts for found in part.endpoints if found.calls}


def test_its_file_has_endpoints_and_counts(serve: Callable[..., Served], tmp_path: Path) -> None:
    file = tmp_path / "status"
    served = serve("--all", "--channels", "http,tcp", "--status", file)
    seen = endpoints(served.until(READY))
    first = state(file, shown)
    assert shown(first) == seen
    assert first.answered == 0
    # What is off at the start can be switched on, too.
    assert {part.name for part in first.servers[0].parts} >= {"http", "tcp", "unix", "http2"}
    for _ in range(3):
        posted(seen["native/json+http"], SUM)
    xmlrpc.client.ServerProxy(seen["native/xmlrpc+http"]).SpeedService.Hello()
    read = state(file, lambda read: [server.calls for server in read.servers] == [{"Hello": 1, "Sum": 3}])
    assert called(read) == {"native/json+http": {"Sum": 3}, "native/xmlrpc+http": {"Hello": 1}}
    served.says("off http", "native/xmlrpc+tcp")
    over_tcp = {stack: at for stack, at in seen.items() if stack.endswith("+tcp")}
    assert state(file, lambda read: shown(read) == over_tcp).answered == 4
    now = endpoints(served.says("on http", "native/xmlrpc+tcp"))
    posted(now["native/json+http"], SUM)
    # What it answered before it was off is still counted.
    read = state(file, lambda read: read.answered == 5 and shown(read) == now)
    assert called(read) == {"native/json+http": {"Sum": 4}, "native/xmlrpc+http": {"Hello": 1}}
    served.hangs_up()
    assert served.ended() == 0
    assert not file.exists()


def test_its_file_has_stacks_by_name(serve: Callable[..., Served], tmp_path: Path) -> None:
    """One that is switched off keeps what it has answered, and adds to it when it is back."""
    file = tmp_path / "status"
    served = serve("rust/hyper", "native/json+http", "--status", file)
    seen = endpoints(served.until(READY))
    posted(seen["native/json+http"], SUM)
    served.says("off native/json+http", "rust/hyper")
    read = state(file, lambda read: read.on == 1)
    assert [(server.name, server.answered) for server in read.servers] == [("rust/hyper", 0), ("native/json+http", 1)]
    now = endpoints(served.says("on native/json+http", "rust/hyper"))
    posted(now["native/json+http"], SUM)
    assert called(state(file, lambda read: read.servers[1].calls == {"Sum": 2})) == {"native/json+http": {"Sum": 2}}
    example = read.servers[0].parts[0].endpoints[0].example
    assert example == f"curl -s {seen['rust/hyper']}"
    ran = subprocess.run(["/bin/sh", "-c", example], capture_output=True, check=True)
    assert json.loads(ran.stdout) == {"result": ["Hello World!"]}
    state(file, lambda read: read.answered == 3)


def test_a_file_in_no_folder_is_refused_and_a_folder_that_goes_ends_it(
    serve: Callable[..., Served], tmp_path: Path, mark: str, callbench: Program
) -> None:
    """Whoever started it to find it by its file could never stop it again."""
    ended = callbench("serve", "native/json+http", "--status", tmp_path / "no" / "status")
    assert ended.returncode == 2
    assert "there is no folder" in ended.stderr
    (tmp_path / "kept").mkdir()
    served = serve("native/json+http", "--status", tmp_path / "kept" / "status")
    served.until(READY)
    state(tmp_path / "kept" / "status", lambda read: read.on == 1)
    shutil.rmtree(tmp_path / "kept")
    served.until("callbench: the folder of --status")
    assert served.ended() == 1
    assert eventually(lambda: not marked(mark))
