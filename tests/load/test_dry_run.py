"""`--dry-run` of the commands that test a server: one call, its request and its answer, and nothing else."""

import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from certificates import HERE, self_signed

Run = Callable[..., subprocess.CompletedProcess[str]]
COMMANDS = ("load", "capacity", "soak", "overload", "torture")
pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("nothing_left")]
HIDDEN = "Zebra-Quartz-77"
ANSWER = f'{{"ok":true,"access_token":"{HIDDEN}","note":"caf\u00e9"}}'.encode()
COLOURED = b"\x1b[1mred \xff"


class _Orders(BaseHTTPRequestHandler):
    """Takes an order, and notes what came."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, dict[str, str], bytes]]

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((f"{self.command} {self.path}", dict(self.headers), body))
        self.send_response(400 if self.path == "/broken" else 201)
        self.send_header("Set-Cookie", f"sid={HIDDEN[::-1]}; Path=/")
        answer = COLOURED if self.path == "/coloured" else ANSWER
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = _answer  # noqa: N815 - as http.server calls them

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def orders(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[tuple[str, dict[str, str], bytes]]]]:
    """A server with its port, and what it saw."""
    seen: list[tuple[str, dict[str, str], bytes]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Orders", (_Orders,), {"seen": seen}))
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, seen
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("what", COMMANDS)
def test_one_call_is_made_and_shown(callbench: Run, tmp_path: Path, what: str) -> None:
    request = ("--body", '{"password": "Walrus-Opal-88", "n": 1}', "-H", "X-Vault-Token: q1")
    with orders() as (port, seen):
        ended = callbench(what, f"http://localhost:{port}/orders?x=1", *request, "--dry-run", "--json", check=True)
    ((line, headers, body),) = seen
    assert line == "POST /orders?x=1"
    assert body == b'{"password": "Walrus-Opal-88", "n": 1}'
    assert headers["Host"] == f"localhost:{port}", "the server is called by its own name"
    said = json.loads(ended.stdout)
    assert said["server"] == f"http://localhost:{port}/orders?x=1"
    assert said["request"].startswith("POST /orders?x=1 HTTP/1.1\n")
    assert f"Host: localhost:{port}\n" in said["request"]
    assert '"n": 1' in said["request"]
    assert said["answer"].startswith("HTTP/1.1 201 Created\n")
    assert "caf\u00e9" in said["answer"]
    assert said["wrong"] is said["unseen"] is None
    for hidden in (HIDDEN, HIDDEN[::-1], "Walrus-Opal-88", ": q1"):
        assert hidden not in ended.stdout
    assert not list(tmp_path.iterdir()), "there is no record"


def test_how_long_it_takes_is_said(callbench: Run) -> None:
    longest = {
        ("load",): "about 10 s.",
        ("load", "--seconds=600"): "about 10 minutes.",
        ("load", "--calls=5000"): "until 5,000 calls are made, at most 60 minutes.",
        ("load", "--fail-if=p99 > 50 ms"): "about 10 s, at most 2 minutes.",
        ("capacity",): "at most 2 minutes.",
        ("soak", "--clients=1,2", "--seconds=50", "--rest=10"): "about 2 minutes.",
        ("overload", "--capacity=100"): "about 30 s, and at most 2 minutes more until it recovers.",
        ("overload",): "about 30 s, after a search for the capacity, and at most 2 minutes more until it recovers.",
        ("torture", "--test=flood,resets"): "about 20 s, and at most 60 s more until it recovers.",
    }
    with orders() as (port, seen):
        for (what, *options), takes in longest.items():
            ended = callbench(what, f"http://127.0.0.1:{port}/", *options, "--dry-run", check=True)
            assert f"The test takes {takes} Nothing was measured, and there is no record.\n" in ended.stdout
            assert "The answer is right.\n" in ended.stdout
    assert len(seen) == len(longest)


def test_a_wrong_answer_is_shown_and_fails(callbench: Run) -> None:
    with orders() as (port, seen):
        ended = callbench("load", f"http://127.0.0.1:{port}/broken", "--dry-run")
        assert ended.returncode == 2
        # The driver then asks whether the server speaks TLS: that is not the call.
        assert "  GET /broken HTTP/1.1\n" in ended.stdout
        assert "  HTTP/1.1 400 Bad Request\n" in ended.stdout
        assert "The answer is right" not in ended.stdout
        assert "GET /broken was answered with the status 400" in ended.stderr
        said = callbench("soak", f"http://127.0.0.1:{port}/", "--expect-json", "$.nothing", "--dry-run", "--json")
        assert "the body has nothing at $.nothing" in json.loads(said.stdout)["wrong"]
    assert len(seen) == 2


def test_no_sequence_of_an_answer_reaches_the_terminal(callbench: Run) -> None:
    with orders() as (port, _):
        said = callbench("load", f"http://127.0.0.1:{port}/coloured", "--dry-run", check=True).stdout
    assert "  \ufffd[1mred \\xff\n" in said


def test_a_server_that_is_started_ends_with_its_call(callbench: Run, tmp_path: Path) -> None:
    words = f"{sys.executable} -m http.server {{port}} --bind 127.0.0.1"
    (tmp_path / "greeting.txt").write_text("Hello World")
    ended = callbench("load", "--start", words, "--path", "/greeting.txt", "--dry-run", check=True)
    assert "\n  Hello World\n" in ended.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["greeting.txt"]


def test_what_is_sent_by_tls_is_seen_too(callbench: Run, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path, "own", "-addext", HERE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    with orders(context) as (port, seen):
        url = f"https://localhost:{port}/orders"
        for trust in (("--certificates", certificate), ("--insecure",)):
            said = json.loads(callbench("load", url, *trust, "--dry-run", "--json", check=True).stdout)
            assert said["request"].startswith("GET /orders HTTP/1.1\n")
            assert said["answer"].startswith("HTTP/1.1 201 Created\n")
        assert len(seen) == 2
        refused = callbench("load", url, "--dry-run")
        assert refused.returncode == 2
        assert "certificate" in refused.stderr
        assert not refused.stdout
    assert len(seen) == 2


def test_what_cannot_be_shown_is_said(callbench: Run, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text('[[request]]\npath = "/a"\n[[request]]\npath = "/b"\n')
    with orders() as (port, _):
        several = callbench("load", f"http://127.0.0.1:{port}", "--requests", "two.toml", "--dry-run", check=True)
    assert "there are several requests, of which none is shown" in several.stdout
    stack = json.loads(callbench("load", "native/json+http-keepalive", "--dry-run", "--json", check=True).stdout)
    assert stack["request"] is stack["answer"] is None
    assert "it is a stack" in stack["unseen"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("load", "http://127.0.0.1:1/", "--dry-run"), "127.0.0.1:1"),
        (("load", "http://127.0.0.1:1/", "--hosts", "ssh:me@127.0.0.1", "--dry-run"), "leave out --hosts"),
        (("soak", "http://127.0.0.1:1/", "--resume", "--out", "x", "--dry-run"), "leave out --resume"),
        (("capacity", "http://192.0.2.1/", "--dry-run"), "--any-host"),
    ],
)
def test_what_cannot_be_called_is_one_sentence(callbench: Run, words: tuple[str, ...], why: str) -> None:
    ended = callbench(*words)
    assert ended.returncode == 2
    assert why in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not ended.stdout
