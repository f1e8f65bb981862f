"""One way to name a server and its request: a command, a URL or a study's server, in every command that calls one."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import eventually
from ports import free_ports
from study_text import cells, study_text

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]
ORDERS = Path(__file__).parent / "orders.py"
START = f"{sys.executable} {ORDERS} {{port}}"
# It answers no more than 10 calls a second and client, however busy the machine is that the other one has.
SLOW = f"/usr/bin/env ORDERS_WAIT_S=0.1 {START}"
# Right only if the path, the method that follows from the body, the header and the status all arrive.
REQUEST = ["--path", "/orders", "--body", '{"n":1}', "-H", "X-Shop: ours", "--expect-status", "201"]
REQUEST += ["--expect-body", "taken", "--timeout", "20"]
SHORT = {
    "load": ("--clients", "2", "--calls", "20"),
    "soak": ("--clients", "2", "--seconds", "0.5", "--rest", "0", "--every", "0.25"),
    "overload": (
        *("--capacity", "20", "--times", "2", "--seconds", "0.5", "--recovery-timeout", "30", "--rest", "0"),
        *("--objective", "p99 under 5 s"),
    ),
    "torture": ("--test", "half-open", "--connections", "5", "--seconds", "0.5", "--recovery-timeout", "30"),
    "verify": ("--check", "Hello"),
}
SERVERS = {
    "shop": {
        "start": [sys.executable, str(ORDERS), "{port}"],
        "path": "/orders",
        "request": {
            "body": '{"n":1}', "headers": [["X-Shop", "ours"]], "expect_status": [201], "expect_body": "taken"
        },
    },
    "other": {
        "start": ["/usr/bin/env", "ORDERS_WAIT_S=0.1", sys.executable, str(ORDERS), "{port}"],
        "path": "/flaky",
        "request": {"expect_status": [200, 500]},
    },
}  # fmt: skip
STUDY = study_text(
    cells("order", "load/http1:servers/*"), cells("sum", "native/json+tcp", "Sum", arguments={"a": 1, "b": 2}),
    servers=SERVERS,
)  # fmt: skip


def was_called(command: str, finished: Finished) -> None:
    """The command met right answers."""
    # So short a soak cannot be decided, nor how a server of thousands of calls/s takes twice a capacity of 20.
    undecided = command in {"soak", "overload"}
    assert finished.returncode == (3 if undecided else 0), (finished.stdout, finished.stderr)
    said = json.loads(finished.stdout)
    match command:
        case "load":
            assert (said["calls"] >= 20, said["errors"]) == (True, {})
        case "soak":
            assert said["steps"][0]["calls"] > 0
            assert said["steps"][0]["errors"] == {}
        case "overload":
            assert said["overloads"]
            assert "its capacity is not 20.0 calls/s" in finished.stdout
        case "torture":
            assert [one["name"] for one in said["tests"]] == ["half-open"]
        case "verify":
            assert [row["check"] for row in said["checks"] if row["passed"] and not row["not_applicable"]] == ["Hello"]


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("command", SHORT)
def test_a_command_is_started_and_called_as_the_options_say(callbench: Run, command: str) -> None:
    was_called(command, callbench(command, "--start", START, *REQUEST, *SHORT[command], "--json"))


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("command", SHORT)
def test_a_studys_server_is_named_by_its_name_and_called_as_the_study_says(
    callbench: Run, command: str, tmp_path: Path
) -> None:
    (tmp_path / "shops.toml").write_text(STUDY)
    was_called(command, callbench(command, "shop", "--study", "shops.toml", *SHORT[command], "--json"))


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[str]:
    """The URL, without a path, of a running server, through TLS with its own certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    made = ["openssl", "req", "-x509", *words, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    port = free_ports()
    server = subprocess.Popen([sys.executable, ORDERS, str(port), certificate, key], stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: listens(port))
        yield f"https://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.engine
@pytest.mark.parametrize("command", SHORT)
def test_a_url_through_tls_is_called_as_the_options_say(callbench: Run, command: str, secure: str) -> None:
    was_called(command, callbench(command, secure, *REQUEST, "--insecure", *SHORT[command], "--json"))


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_two_are_compared_with_the_same_request_and_two_of_a_study_each_with_its_own(
    callbench: Run, secure: str, tmp_path: Path
) -> None:
    (tmp_path / "shops.toml").write_text(STUDY)
    # So few calls of the slow one have no p99.
    quick = ("--seconds", "2", "--rounds", "8", "--p99-threshold", "none", "--json")
    for words in (
        (secure, SLOW, *REQUEST, "--insecure"),
        ("--start", START, "--start", SLOW, *REQUEST),
        ("shop", "other", "--study", "shops.toml"),
    ):
        held = callbench("compare", *words, *quick)
        assert held.returncode == 1, held.stderr
        [cell] = [cell for cell in json.loads(held.stdout)["cells"] if cell["metric"] == "rate"]
        assert cell["errors"] == [0, 0]
        assert min(cell["calls"]) > 0
        assert (cell["verdict"], cell["values"][1] <= 10) == ("worse", True)


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_options_are_laid_over_what_a_study_says_of_its_server(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "shops.toml").write_text(STUDY)
    words = ("--study", "shops.toml", "--clients", "1", "--calls", "3")
    wrong = callbench("load", "shop", *words, "--path", "/elsewhere")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "POST /elsewhere was answered with the status 400" in wrong.stderr
    right = callbench("load", "other", *words, "--path", "/orders", "--expect-status", "405", "--json", check=True)
    assert json.loads(right.stdout)["url"].endswith("/orders")


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("command", SHORT)
def test_an_unexpected_status_is_reported_with_method_and_path(callbench: Run, command: str) -> None:
    asked = callbench(command, START, "--path", "/orders", *SHORT[command])
    assert asked.returncode == (1 if command == "verify" else 2)
    said = asked.stdout + asked.stderr
    assert "GET /orders was answered with the status 405 (the server does not allow this method there)" in said


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_body_without_a_method_is_posted_in_a_study_too(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "shops.toml").write_text(STUDY)
    words = ("--quick", "--select", "*:servers/shop", "--no-baselines", "--out", "r")
    callbench("run", "shops.toml", *words, check=True)
    rows = json.loads(callbench("query", "r", "SELECT sum(calls) AS calls FROM trials", "--json", check=True).stdout)
    assert rows[0]["calls"] > 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("load", "native/json+tcp", "--body", "x"), "--body: these options are for a server of your own"),
        (("torture", "native/json+tcp", "--insecure"), "--insecure: these options are for a server of your own"),
        (("compare", "native/json+tcp", "native/bin+tcp", "--method", "PUT"), "--method: these options"),
        (("soak", "http://127.0.0.1:1/a", "--path", "/b"), "--path /b is for a command that is started or a URL"),
        (("soak", "http://127.0.0.1:1", "--http2", "--grpc"), "--http2 and --grpc exclude each other"),
        (("verify", "http://127.0.0.1:1", "--body", "a", "--body-hex", "00"), "exclude each other"),
        (("overload", START, "--pid", "1"), "--pid is for a URL"),
        (("peer", START, "--select", "x"), "is no study: leave out --select"),
        (("compare",), "compare two"),
        (("torture",), "name one server"),
        (("load", "--start", "python3 server.py"), "has no {port}"),
    ],
)
def test_options_that_mean_nothing_are_refused_in_a_sentence(callbench: Run, words: tuple[str, ...], says: str) -> None:
    refused = callbench(*words)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert says in refused.stderr
