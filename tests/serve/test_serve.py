"""`callbench serve` as a person drives it: at a terminal or by a pipe, with clients that know nothing of Callbench."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
import xmlrpc.client
from collections.abc import Callable
from pathlib import Path

import pytest

from callbench.catalog import catalogue
from callbench.model.errors import BadInput
from callbench.runner.serve import selection
from conftest import ROOT, eventually
from left_behind import marked
from loaded_program import Begin
from ports import free_ports
from served import READY, SUM, Served, endpoints, got, posted

pytest_plugins = ["served"]
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]

Program = Callable[..., subprocess.CompletedProcess[str]]


def test_all_of_them_at_one_port_and_the_next(serve: Callable[..., Served]) -> None:
    """It failed before: no channel of another adapter's could be reached, and HTTP had one port for two channels."""
    port = free_ports(2)
    served = serve("--all", "--port", port)
    seen = endpoints(served.until(READY))
    channels = {"http", "http-keepalive", "tcp", "unix", "pipe", "mqueue", "shm", "shm-spin"}
    assert {stack.partition("+")[2] for stack in seen} >= channels - {"mqueue"}
    assert seen["native/json+http"] == f"http://127.0.0.1:{port}/json"
    assert seen["native/json+http-keepalive"] == f"http://127.0.0.1:{port + 1}/json"
    for channel in ("http", "http-keepalive"):
        assert json.loads(posted(seen[f"native/json+{channel}"], SUM))["result"] == 3
        party = xmlrpc.client.ServerProxy(seen[f"native/xmlrpc+{channel}"])
        assert party.SpeedService.Sum(1, 2) == 3
    said = subprocess.run(
        ["/usr/bin/env", "curl", "-s", f"localhost:{port}/json", "-d", SUM.decode()],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(said.stdout)["result"] == 3
    served.hangs_up()
    assert served.ended() == 0


def test_nothing_that_is_typed_ends_it(serve: Callable[..., Served]) -> None:
    """It failed before: `off h2` and `on http-keepalive` ended it."""
    port = free_ports(2)
    served = serve("--all", "--port", port, "--channels", "http,tcp", terminal=True)
    before = endpoints(served.until(READY))
    assert {stack.partition("+")[2] for stack in before} == {"http", "tcp"}
    assert "there is no channel or stack h2 here: " in served.says("off h2", "there is")[-1]
    assert served.says("hello there", "say `on")[-1].startswith("say `on NAME` or `off NAME`, not 'hello there'; names")
    assert served.says("on", "say `on")[-1].startswith("say `on NAME`")
    os.write(served._in, b"\xff\xfe\n")
    served.until("say `on")
    now = endpoints(served.says("on http-keepalive", "native/xmlrpc+tcp"))
    assert now["native/json+http-keepalive"] == f"http://127.0.0.1:{port + 1}/json"
    assert json.loads(posted(now["native/json+http-keepalive"], SUM))["result"] == 3
    now = endpoints(served.says("off http", "native/xmlrpc+tcp"))
    assert not any(stack.endswith("+http") for stack in now)
    with pytest.raises(urllib.error.URLError):
        posted(before["native/json+http"], SUM)
    with socket.create_server(("127.0.0.1", port)):
        assert "http stays as it was: " in served.says("on http", "http stays as")[-1]
        served.until("native/xmlrpc+tcp")
    now = endpoints(served.says("on http", "native/xmlrpc+tcp"))
    assert now["native/json+http"] == before["native/json+http"]
    assert json.loads(posted(now["native/json+http"], SUM))["result"] == 3
    # Two lines in one piece are two lines.
    served.types("off tcp\noff http-keepalive\n")
    served.until("native/xmlrpc+http ")
    served.until("native/xmlrpc+http ")
    served.hangs_up()
    assert served.ended() == 0


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_however_it_ends_nothing_stays(
    serve: Callable[..., Served], mark: str, number: signal.Signals, code: int, *, terminal: bool
) -> None:
    served = serve("--all", "--channels", "http", terminal=terminal)
    served.until(READY)
    served.process.send_signal(number)
    assert served.ended() == code
    assert eventually(lambda: not marked(mark))


def test_without_a_terminal_or_a_pipe_it_continues(begin: Begin, tmp_path: Path) -> None:
    """As started in the background of a shell or by a service manager: no one can type there."""
    with (tmp_path / "said").open("w") as out:
        run = begin("serve", "--all", "--channels", "http", stdout=out)
    assert eventually(lambda: READY in (tmp_path / "said").read_text())
    where = endpoints((tmp_path / "said").read_text().splitlines())["native/json+http"]
    time.sleep(1)  # longer than it looks at its input
    assert run.poll() is None
    assert json.loads(posted(where, SUM))["result"] == 3
    run.send_signal(signal.SIGTERM)
    assert run.wait(60) == 143


def test_stacks_by_name(serve: Callable[..., Served]) -> None:
    """It failed before: a stack of the load driver's could not be served."""
    port = free_ports(2)
    served = serve("load/http1:rust/hyper", "native/xmlrpc+http", "--port", port, terminal=True)
    seen = endpoints(served.until(READY))
    assert seen == {
        "rust/hyper": f"http://127.0.0.1:{port}/service/helloworld",
        "native/xmlrpc+http": f"http://127.0.0.1:{port + 1}/xmlrpc",
    }
    assert json.loads(got(seen["rust/hyper"])) == {"result": ["Hello World!"]}
    assert xmlrpc.client.ServerProxy(seen["native/xmlrpc+http"]).SpeedService.Sum(1, 2) == 3
    served.says("off rust/hyper", "native/xmlrpc+http ")
    with pytest.raises(urllib.error.URLError):
        got(seen["rust/hyper"])
    served.says("on rust/hyper", "rust/hyper ")
    assert json.loads(got(seen["rust/hyper"])) == {"result": ["Hello World!"]}


def test_options_reach_the_server(serve: Callable[..., Served]) -> None:
    served = serve("native/json+http", "--option", "delay_us=300000")
    where = endpoints(served.until(READY))["native/json+http"]
    began = time.monotonic()
    assert json.loads(posted(where, SUM))["result"] == 3
    assert time.monotonic() - began >= 0.3


def test_a_program_reads_an_object_a_line(serve: Callable[..., Served]) -> None:
    served = serve("native/json+http", "--json")
    first, ready = json.loads(served.line()), json.loads(served.line())
    assert json.loads(posted(first["endpoints"]["native/json+http"], SUM))["result"] == 3
    assert ready["message"].startswith(READY)
    served.types("off native/json+http\nhello\n")
    assert json.loads(served.line()) == {"endpoints": {}}
    assert list(json.loads(served.line())) == ["message"]
    served.hangs_up()
    assert served.ended() == 0


def test_an_adapter_that_says_no_is_reported_and_the_rest_continues(serve: Callable[..., Served]) -> None:
    served = serve("native/json+http", "never-ready/tcp", "honest/tcp")
    lines = served.until(READY)
    assert [line for line in lines if line.startswith("left out: never-ready/tcp: ")]
    assert set(endpoints(lines)) == {"native/json+http", "honest/tcp"}


def test_one_that_dies_is_reported_and_the_rest_continues(serve: Callable[..., Served], mark: str) -> None:
    served = serve("native/json+http", "honest/tcp")
    where = endpoints(served.until(READY))["native/json+http"]
    for pid in marked(mark):
        with contextlib.suppress(OSError):
            if b"honest.py" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1]:
                os.kill(pid, signal.SIGKILL)
    assert "died (" in served.until("no longer served: ")[-1]
    assert json.loads(posted(where, SUM))["result"] == 3
    assert set(endpoints(served.says("", "") + served.says("off native/json+http", "nothing is served"))) == set()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["load/http1"], "load/http1 cannot be served: it is a client, and has no server"),
        (["native/json+http", "--option", "wings=2"], "the option wings is unknown"),
        (["rust/hyper", "--option", "delay_us"], "--option delay_us: give NAME=VALUE"),
        (["rust/hyper", "--host", "192.0.2.1"], "--host 192.0.2.1 can be reached from other machines"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(callbench: Program, words: list[str], sentence: str) -> None:
    ended = callbench("serve", *words)
    assert ended.returncode == 2, ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert sentence in ended.stderr


@pytest.mark.parametrize(
    ("names", "channels", "options", "sentence"),
    [
        ([], "", {}, "say what to serve: --all, or stacks by name; `callbench list stacks` shows them"),
        (["--all", "rust/hyper"], "", {}, "say what to serve: --all, or stacks by name"),
        (
            ["native/soap+inproc"],
            "",
            {},
            "native/soap+inproc cannot be served: its client and its server are one process",
        ),
        (["rust/hypr"], "", {}, "there is no stack 'rust/hypr': did you mean rust/hyper"),
        (["--all"], "h4", {}, "--channels h4: there is no such channel: "),
        (["rust/hyper"], "http", {}, "--channels is for --all"),
        (["--all"], "", {"delay_us": 1}, "--option is for stacks by name"),
    ],
)
def test_what_is_refused(names: list[str], channels: str, options: dict[str, object], sentence: str) -> None:
    stacks = [name for name in names if name != "--all"]
    with pytest.raises(BadInput) as refused:
        selection.of(catalogue.load(), stacks, channels.split(), every="--all" in names, options=options)
    assert str(refused.value).startswith(sentence)


def test_a_port_that_is_taken(callbench: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = callbench("serve", "--all", "--port", port, "--channels", "http")
    assert ended.returncode == 2
    assert f"cannot serve on 127.0.0.1 port {port}: " in ended.stderr


def test_the_guide_shows_what_it_prints() -> None:
    """The ports of the guide are those that it says: HTTP at PORT, kept alive at the next one."""
    guide = (ROOT / "docs" / "guide" / "bring-your-own-client.md").read_text()
    assert "./callbench serve --all --port 8099" in guide
    assert "localhost:8099/json" in guide
    assert "8100" in guide
