"""`callbench torture`: servers with known weaknesses, and the verdicts on them."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ending import code_of

from callbench.runner.stability.misbehaviour import MISBEHAVIOURS, Misbehaviour, RecordedRequest
from callbench.runner.stability.torture_connections import TortureConnections
from conftest import eventually
from left_behind import marked
from loaded_program import Begin
from sealed import sealed

HERE = Path(__file__).resolve().parent
Program = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[[str], tuple[str, int]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server with a weakness; gives its URL and its process."""
    started: list[subprocess.Popen[str]] = []

    def start(kind: str) -> tuple[str, int]:
        argv = [sys.executable, str(HERE / "sick_http.py"), kind]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(process)
        assert process.stdout is not None
        return f"http://127.0.0.1:{int(process.stdout.readline())}/", process.pid

    yield start
    for process in started:
        process.kill()
        process.communicate()


def tortured(callbench: Program, what: str, tests: str, *words: object) -> dict[str, Any]:
    short = [
        "--seconds",
        "2",
        "--connections",
        "40",
        "--connect-rate",
        "200",
        "--timeout",
        "30",
        "--recovery-timeout",
        "60",
    ]
    finished = callbench("torture", what, "--test", tests, *short, *words, "--out", "torture", "--json")
    said = sealed("torture", finished.stdout)
    assert finished.returncode == code_of(said), finished.stderr
    return said


# Other programs can make a call slow at any time: here that never counts against a server.
WEAKNESSES = [
    ("well", "half-open", {"survived", "degraded"}),
    ("alone", "half-open", {"hung"}),
    ("crash", "garbage", {"died"}),
    ("shy", "half-open", {"refused", "hung"}),
]


@pytest.mark.engine
@pytest.mark.parametrize(("kind", "test", "verdicts"), WEAKNESSES)
@pytest.mark.usefixtures("nothing_left_but_servers")
def test_a_weakness_is_found(  # noqa: PLR0917 - fixtures and cases
    callbench: Program, serve: Serve, tmp_path: Path, kind: str, test: str, verdicts: set[str]
) -> None:
    url, pid = serve(kind)
    # Of who is to hang, some slice must have no answer at all: on a busy machine the first ones have some. Nobody else
    # may seem to hang because a busy machine stopped it.
    longer = ("--seconds", 8, "--timeout", 5) if kind == "alone" else ()
    found = tortured(callbench, url, test, "--pid", pid, *longer)
    (one,) = found["tests"]
    assert one["verdict"] in verdicts
    assert one["connections"]["opened"] > 0
    if one["verdict"] == "died":
        assert one["loss"]["how"] == "gone"
        assert one["well_again"] is None
        return
    assert one["loss"] is None
    assert one["well_again"] is not None
    assert 0 <= one["well_again"]["least_s"] <= one["well_again"]["most_s"]
    if one["verdict"] in {"survived", "degraded"}:
        # Those that were held were there beside the one that calls.
        assert one["connections"]["max_open"] == 40
        assert one["calls"] > 0
    page = (tmp_path / "torture" / "report.html").read_text()
    assert one["verdict"] in page
    assert "<svg" in page


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left_but_servers")
def test_what_a_server_keeps_is_reported(callbench: Program, serve: Serve) -> None:
    url, pid = serve("keeps")
    (one,) = tortured(callbench, url, "resets", "--pid", pid)["tests"]
    assert one["left_over"]["files"] > 10
    assert one["connections"]["ended"] + one["connections"]["reset_by_server"] > 10


@pytest.mark.engine
@pytest.mark.parametrize("test", MISBEHAVIOURS, ids=lambda test: test.name)
@pytest.mark.usefixtures("nothing_left_but_servers")
def test_every_misbehaviour_is_one_that_the_engine_has(serve: Serve, test: Misbehaviour) -> None:
    url, _ = serve("well")
    known = RecordedRequest(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    assert test.why_not(known) == ""
    wish = {
        "address": url.split("/")[2],
        "connections": 5,
        "seconds": 1.0,
        "connects_per_s": 1000.0,
        **test.actions(known),
    }
    with TortureConnections(wish, ()) as connections:
        assert eventually(lambda: not connections.is_running)
    assert connections.failure is None
    assert connections.done is not None
    assert connections.done["opened"] > 0
    assert connections.done["max_open"] <= 5


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_request_is_overheard_from_the_stacks_own_client(callbench: Program, tmp_path: Path) -> None:
    found = tortured(callbench, "native/json+http-keepalive", "overlong-header,slow-readers,half-request")
    assert found["left_out"] == {}
    by_name = {one["name"]: one for one in found["tests"]}
    assert list(by_name) == ["slow-readers", "half-request", "overlong-header"]
    assert all(one["loss"] is None for one in found["tests"])
    # A recorded request is complete: it is answered, and its first half is not.
    assert by_name["slow-readers"]["connections"]["answered"] > 0
    assert by_name["half-request"]["connections"]["answered"] == 0
    assert by_name["overlong-header"]["connections"]["sent_bytes"] > 4096
    assert callbench("report", tmp_path / "torture", "--format", "md").returncode == 0


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.usefixtures("lab", "nothing_left")
def test_who_is_killed_in_a_test_makes_only_that_one_again_also_over_a_link(
    begin: Begin, callbench: Program, tmp_path: Path, mark: str
) -> None:
    # So long that a machine that stops the one who kills, or who connects, for a second leaves both their time.
    short = ["--seconds", "2", "--connections", "20", "--recovery-timeout", "20", "--test", "half-open,half-request"]
    words = ["torture", "native/json+http-keepalive", "--link", "lan1g", *short, "--out", tmp_path / "torture"]
    journal = tmp_path / "torture" / "journal.jsonl"
    with begin(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        assert eventually(lambda: journal.exists() and '"during"' in journal.read_text().partition('"tested"')[2], 170)
    assert eventually(lambda: not marked(mark)), "something outlives a killed torture"
    finished = callbench(*words, "--resume", "--json")
    assert finished.returncode == code_of(json.loads(finished.stdout)), finished.stderr
    found = json.loads(finished.stdout)
    assert [one["name"] for one in found["tests"]] == ["half-open", "half-request"]
    assert found["left_out"] == {}
    # The request was recorded near the client, and the same bytes reached the server.
    assert all(one["connections"]["opened"] > 0 and not one["connections"]["refused"] for one in found["tests"])
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [line["test"] for line in lines if line["kind"] == "tested"] == ["half-open", "half-request"]
    assert [line["test"] for line in lines if line["kind"] == "again"] == ["half-request"]
    assert any("resumed after" in said for said in found["found"])
    assert "over lan1g" in (tmp_path / "torture" / "report.html").read_text()


@pytest.mark.engine
def test_what_does_not_fit_a_server_is_left_out_and_reported(callbench: Program) -> None:
    found = tortured(callbench, "native/json+tcp", "overlong-header,half-request", "--seconds", "0.5")
    assert [one["name"] for one in found["tests"]] == ["half-request"]
    assert found["left_out"] == {"overlong-header": "its requests are not HTTP"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["native/json+pipe"], "only TCP can be tortured"),
        (["native/json+tcp", "--test", "flod"], "flood"),
        (["http://192.0.2.1/"], "--any-host"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    callbench: Program, tmp_path: Path, words: list[str], why: str
) -> None:
    finished = callbench("torture", *words, "--out", "no")
    assert finished.returncode == 2
    assert why in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "no").exists()


@pytest.fixture
def nothing_left_but_servers(mark: str) -> Iterator[None]:
    """Afterwards, nothing that the program started is alive; the servers here end with their own fixture."""
    yield

    def programs() -> list[int]:
        return [pid for pid in marked(mark) if "sick_http" not in command_of(pid)]

    assert eventually(lambda: not programs()), f"still alive: {programs()}"


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
