"""External servers as stacks: from a study, a manifest and the command line."""

import http.server
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue, manifest
from callbench.model.errors import AdapterFailure, BadInput
from conftest import eventually
from left_behind import marked
from loaded_program import Begin
from ports import free_ports

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]
GREETING = Path(__file__).parent / "greeting"
SERVER = GREETING / "server.py"
ANSWER = '{"result":["Hello World!"]}'
START = f"{sys.executable} {SERVER} {{port}}"

STUDY = f"""
title = "Servers of my own"
[parameters]
word = "World"
[load]
calls = 30
seconds = 0.05
forks = 1
rounds = 2
minutes = 0.01
[servers.greeting]
start = [{sys.executable!r}, "server.py", "{{port}}", "{{host}}"]
folder = {str(GREETING)!r}
path = "/hello"
message = "json"
library = "http.server"
request = {{ expect_body = '{{"result":["Hello {{word}}!"]}}' }}
[servers.wrong]
start = [{sys.executable!r}, "{SERVER}", "{{port}}"]
path = "/helo"
[servers.crashes]
start = [{sys.executable!r}, "{SERVER}", "{{port}}"]
path = "/crash"
[servers.deaf]
start = ["sleep", "1{{port}}"]
ready_seconds = 0.5
[servers.missing]
start = ["no-such-server", "{{port}}"]
[[cells]]
group = "hello"
stacks = ["load/http1:servers/*"]
call = "Hello"
clients = [1, 8]
"""


@pytest.fixture
def running() -> Iterator[str]:
    """The URL of a server that runs by itself: in this process."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/here"
    server.shutdown()
    server.server_close()


def rows(callbench: Run, run: str, query: str) -> list[dict[str, Any]]:
    found = json.loads(callbench("query", run, query, "--json", check=True).stdout)
    assert isinstance(found, list)
    return found


@pytest.mark.usefixtures("nothing_left")
def test_a_study_has_rows_of_them_and_says_what_is_wrong_with_the_others(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    ran = callbench("run", "s.toml", "--out", "r", "--no-baselines")
    assert ran.returncode == 1
    for name in ("wrong", "missing", "crashes", "deaf"):
        assert f"callbench: load/http1:servers/{name}" in ran.stderr
    made = rows(callbench, "r", "SELECT stack, agree, trials.calls > 0 AS made FROM trials JOIN cells USING (cell)")
    assert made == [{"stack": "load/http1:servers/greeting", "agree": None, "made": True}] * 4
    # Only the server itself: neither its supervisor nor its adapter.
    seen = rows(callbench, "r", "SELECT processes FROM sides WHERE side = 'server'")
    assert seen == [{"processes": 1}] * 2, "the first of two forks is watched"
    whys = {row["stack"].rpartition("/")[2]: row["why"] for row in rows(callbench, "r", "SELECT * FROM excluded")}
    assert whys.pop("wrong") == "answered wrongly: GET /helo was answered with the status 404; its body is `nothing`"
    assert whys.pop("missing") == "its command no-such-server is not installed"
    assert "died (exit code 3)" in whys.pop("crashes")
    deaf = whys.pop("deaf")
    assert "did not listen on 127.0.0.1, port " in deaf
    assert "within 0.5 s; it printed nothing" in deaf
    assert whys == {}
    for form in ("html", "md"):
        callbench("report", "r", "--format", form, "--out", f"r.{form}", check=True)
        assert "load/http1:servers/greeting" in (tmp_path / f"r.{form}").read_text()
    # A resumed run uses the servers in its folder, even if the study has changed.
    (tmp_path / "s.toml").write_text(STUDY.replace("server.py", "gone.py"))
    assert callbench("run", "s.toml", "--out", "r", "--resume").returncode == 1


@pytest.mark.usefixtures("nothing_left", "lab")
def test_one_that_is_started_is_measured_over_a_link(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    words = [
        "--link",
        "lan100",
        "--select",
        "*:servers/greeting",
        "--select",
        "clients=1",
        "--out",
        "r",
        "--no-baselines",
    ]
    callbench("run", "s.toml", *words, check=True)
    assert [
        row["link"] for row in rows(callbench, "r", "SELECT DISTINCT link FROM trials JOIN cells USING (cell)")
    ] == ["lan100"]


@pytest.mark.usefixtures("nothing_left")
def test_the_suite_takes_a_command_and_reports_what_does_not_apply(callbench: Run) -> None:
    words = ["--path", "/hello", "--expect-body", ANSWER]
    seen = callbench("verify", START, *words, "--json", check=True)
    checks = json.loads(seen.stdout)["checks"]
    asked = {row["check"] for row in checks if not row["not_applicable"]}
    assert {"Hello", "drive", "clients", "open", "server-gone"} <= asked
    unasked = {row["check"]: row["not_applicable"] for row in checks if row["not_applicable"]}
    assert unasked["counts"] == "its card says that its server cannot count"
    assert "cannot be slowed down" in unasked["delay"]
    wrong = callbench("verify", START, "--path", "/hello", "--expect-body", "Good morning")
    assert wrong.returncode == 1
    assert "the body differs from the expected one at byte 0" in " ".join(wrong.stdout.split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["python3 server.py"], "has no {port}"),
        (["http://"], "is not an HTTP URL"),
        (["http://127.0.0.1:99999/"], "Port out of range"),
        (["x {port}", "--path", "hello"], "the path 'hello' must begin with /"),
        (
            ["http://127.0.0.1:1/own", "--path", "/x"],
            "--path /x is for a command that is started or a URL",
        ),
        (["native/json+tcp", "--path", "/x"], "are for a server of your own"),
        (["'x {port}"], "is no command"),
    ],
)
def test_what_is_no_server_is_refused_in_a_sentence(callbench: Run, words: list[str], says: str) -> None:
    refused = callbench("verify", *words)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert says in refused.stderr


@pytest.mark.usefixtures("nothing_left")
def test_one_that_runs_by_itself_is_watched_and_not_ended(callbench: Run, running: str, tmp_path: Path) -> None:
    seen = callbench("verify", running, "--expect-body", "ok", "--json", check=True)
    unasked = {row["check"]: row["not_applicable"] for row in json.loads(seen.stdout)["checks"]}
    assert unasked["server-gone"] == "its server runs by itself, and is not ours to stop"
    study = STUDY[: STUDY.index("[servers.greeting]")] + f'[servers.here]\nurl = "{running}"\n'
    (tmp_path / "s.toml").write_text(study + STUDY[STUDY.index("[[cells]]") :])
    callbench("run", "s.toml", "--out", "r", "--no-baselines", check=True)
    sides = rows(callbench, "r", "SELECT side, processes FROM sides WHERE side = 'server'")
    # Found by its port: this process, and what it started; among that the core that asks.
    assert sides
    assert all(row["processes"] >= 1 for row in sides)
    far = callbench("run", "s.toml", "--out", "far", "--link", "lan100")
    assert "its server runs where its url says" in far.stderr
    gone = callbench("verify", "http://127.0.0.1:1/")
    assert "no server listens on this port (Connection refused): start the server first" in gone.stdout


@pytest.mark.usefixtures("nothing_left")
def test_a_manifest_of_ones_own_names_one(callbench: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    # A file that is named like one of Python's own is not taken for it.
    (mine / "socket.py").write_text("raise SystemExit('not this one')")
    (mine / "serve.sh").write_text(f"#!/bin/sh\ncd '{GREETING}'\n'{sys.executable}' server.py $PORT & wait\n")
    (mine / "serve.sh").chmod(0o755)
    (mine / "adapter.toml").write_text(f"""
contract = 1
name = "mine"
language = "shell"
[[stack]]
name = "greeting"
message = "json"
[stack.external]
start = ["./serve.sh"]
environment = {{ PORT = "{{port}}" }}
path = "/hello"
[stack.request]
expect_body = '{ANSWER}'
""")
    monkeypatch.setenv("CALLBENCH_ADAPTERS", str(mine))
    listed = {row["id"]: row for row in json.loads(callbench("list", "stacks", "--json", check=True).stdout)}
    card = listed["load/http1:mine/greeting"]["card"]
    assert (card["counts"], card["external"]["folder"], card["request"]["expect_body"]) == (False, str(mine), ANSWER)
    # The same server, which sleeps longer before it answers than a busy machine makes the other one wait.
    slower = tmp_path / "slower.py"
    text = SERVER.read_text()
    assert "    def do_GET(self) -> None:\n" in text
    slower.write_text(
        text.replace(
            "    def do_GET(self) -> None:\n", "    def do_GET(self) -> None:\n        __import__('time').sleep(0.1)\n"
        )
    )
    quick = ("--seconds", "4", "--rounds", "8", "--path", "/hello")
    held = callbench("compare", "load/http1:mine/greeting", START.replace(str(SERVER), str(slower)), *quick, "--json")
    assert held.returncode == 1, held.stdout
    verdicts = [cell["verdict"] for cell in json.loads(held.stdout)["cells"]]
    assert verdicts[0] == "worse"
    assert "better" not in verdicts


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('start = ["x", "{port}"]', 'start = ["x"]', "start has no {port}"),
        ('start = ["x", "{port}"]', 'url = "ftp://x/"', "is not an HTTP URL"),
        ('start = ["x", "{port}"]', 'start = ["x", "{port}"]\nurl = "http://x/"', "give either start"),
        ('start = ["x", "{port}"]', 'url = "http://x/"\npath = "/"', "path is for a server that is started"),
        ('start = ["x", "{port}"]', 'start = ["x", "{port}"]\npid = 1', "pid is for a url"),
        (
            'start = ["x", "{port}"]',
            'start = ["x", "{port}"]\nstrat = 1',
            "the key stack.0.external.strat is not known",
        ),
        ('language = "any"', 'language = "any"\nprogram = ["x"]', "then all its stacks are, and it names no program"),
        ('name = "one"', 'name = "none"\nmessage = "m"\nchannel = "c"\n[[stack]]\nname = "one"', "names no program"),
    ],
)
def test_a_wrong_table_is_one_sentence(tmp_path: Path, old: str, new: str, says: str) -> None:
    file = tmp_path / "adapter.toml"
    right = 'contract = 1\nname = "a"\nlanguage = "any"\n[[stack]]\nname = "one"\n'
    right += '[stack.external]\nstart = ["x", "{port}"]\n'
    file.write_text(right)
    assert manifest.read(file).stacks[0].channel == "http-keepalive"
    file.write_text(right.replace(old, new))
    with pytest.raises(BadInput) as raised:
        manifest.read(file)
    assert says in str(raised.value)
    assert catalogue.load([tmp_path]).broken == (str(raised.value),)


@pytest.mark.usefixtures("nothing_left")
def test_a_load_starts_its_server_and_watches_it(callbench: Run) -> None:
    words = ["--clients", "4", "--calls", "50", "--expect-body", ANSWER, "--json"]
    said = json.loads(callbench("load", "--start", START, "--path", "/hello", *words, check=True).stdout)
    assert (said["calls"], said["errors"]) == (50, {})
    assert said["server"]["begin"]["threads"] >= 1
    for wrong, says in (
        (["--start", "no-such-server {port}"], "its command no-such-server is not installed"),
        (["--start", START, "http://127.0.0.1:1/"], "name one server"),
        ([], "name one server"),
        (["--start", "python3 server.py"], "has no {port}"),
        (["--start", START, "--pid", "1"], "--pid is for a URL"),
        (["--start", f"{sys.executable} -c exit(4) {{port}}"], "ended with exit code 4 before it listened on port"),
    ):
        refused = callbench("load", *wrong)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert says in refused.stderr


def test_kill_9_of_the_core_ends_the_server_too(begin: Begin, mark: str) -> None:
    words = ["load", "--start", START, "--path", "/hello", "--seconds", "300", "--json"]
    with begin(*words):
        assert eventually(lambda: any("server.py" in _words(pid) for pid in marked(mark)))
    assert eventually(lambda: not marked(mark)), marked(mark)


def test_kill_9_of_the_core_in_a_run_ends_the_server_and_the_servers_own_children(
    begin: Begin, mark: str, tmp_path: Path
) -> None:
    """One of the processes in its own session, where no signal to the server's group finds it."""
    script = f"setsid sleep 3601 & sleep 3602 & exec {sys.executable} {SERVER} $0"
    study = tmp_path / "mine.toml"
    study.write_text(
        'title = "Mine"\n[load]\ncalls = 1\nseconds = 300\nforks = 1\nrounds = 2\nminutes = 0.01\n'
        f'[servers.family]\nstart = ["sh", "-c", "{script}", "{{port}}"]\npath = "/hello"\n'
        '[[cells]]\ngroup = "hello"\nstacks = ["load/http1:servers/*"]\ncall = "Hello"\nclients = [2]\n'
    )
    family = ("server.py", "sleep 3601", "sleep 3602")

    def calls() -> bool:
        words = [_words(pid) for pid in marked(mark)]
        alive = all(any(member in each for each in words) for member in family)
        # Its journal names the start once the driver is connected and its answers are verified.
        return alive and '"start"' in _read(tmp_path / "run" / "journal.jsonl")

    with begin("run", study, "--out", tmp_path / "run"):
        assert eventually(calls, 120), [_words(pid) for pid in marked(mark)]
    assert eventually(lambda: not marked(mark)), [_words(pid) for pid in marked(mark)]


@pytest.mark.usefixtures("nothing_left")
def test_a_port_that_is_taken_is_reported_and_a_free_one_is_served(tmp_path: Path) -> None:
    (tmp_path / "adapter.toml").write_text(
        'contract = 1\nname = "mine"\nlanguage = "python"\n[[stack]]\nname = "greeting"\n[stack.external]\n'
        f'start = ["{sys.executable}", "{SERVER}", "{{port}}"]\npath = "/hello"\n'
    )
    known = catalogue.load([tmp_path]).adapter("mine")
    # None that the kernel gives away: nobody is given it between the two servers.
    port = free_ports()
    with (
        socket.create_server(("127.0.0.1", port)),
        Adapter(known.manifest, "the server") as server,
        pytest.raises(AdapterFailure) as taken,
    ):
        server.serve("mine/greeting", port=port)
    said = f"port {port} of 127.0.0.1 is taken: Address already in use"
    assert (taken.value.kind, said in str(taken.value)) == ("out-of-resources", True)
    with Adapter(known.manifest, "the server") as server:
        assert server.serve("mine/greeting", port=port) == f"http://127.0.0.1:{port}/hello"
        server.stop_serving()


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").split(" -m ")[0]
    except OSError:
        return ""
