"""`callbench load`: a user's own server under load."""

import http.server
import json
import os
import shlex
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sealed import sealed

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


class _Greeting(http.server.BaseHTTPRequestHandler):
    """Answers everything with a greeting, and notes what came."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str, bytes]]

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((self.command, self.path, body))
        missing = self.path == "/nothing" or (self.path == "/sometimes" and not len(self.seen) % 2)
        status = 404 if missing else 200
        self.send_response(status)
        self.send_header("Content-Length", "11")
        self.end_headers()
        self.wfile.write(b"Hello World")

    do_GET = do_POST = _answer  # noqa: N815 - as http.server calls them

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    @property
    def seen(self) -> list[tuple[str, str, bytes]]:
        """Method, path and body of every request."""
        handler: Any = self.RequestHandlerClass
        return list(handler.seen)


@pytest.fixture
def greeting() -> Iterator[_Server]:
    """A server on loopback that greets."""
    yield from _served(_Server(("127.0.0.1", 0), type("Greeting", (_Greeting,), {"seen": []})))


def _served(server: _Server) -> Iterator[_Server]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def _url(server: _Server, path: str = "/") -> str:
    return f"http://127.0.0.1:{server.server_port}{path}"


def _said(finished: Finished) -> dict[str, Any]:
    assert finished.returncode == 0, finished.stderr
    return sealed("load", finished.stdout)


def test_a_load_is_reported_for_programs_and_kept(callbench: Run, greeting: _Server, tmp_path: Path) -> None:
    out = tmp_path / "load"
    words = ["--clients", "4", "--calls", "60", "--pid", str(os.getpid()), "--expect-body", "Hello World"]
    said = _said(callbench("load", _url(greeting), *words, "--out", str(out), "--json"))
    assert (said["calls"], said["connections"], said["errors"]) == (60, 4, {})
    assert len(greeting.seen) == 61  # One before anything is driven.
    latency = said["latency_us"]
    assert isinstance(latency, dict)
    assert latency["min"] <= latency["p50"] <= latency["max"]
    assert (latency["p99"] is None) == ("p99" in latency.get("unknown", {}))
    assert said["rate_per_s"] == pytest.approx(60 / said["seconds"])
    assert isinstance(said["verdict"], dict)
    assert said["verdict"]["why"]
    assert isinstance(said["server"], dict)
    assert said["server"]["end"]["resident_bytes"] > 0
    stored = sealed("load", callbench("show", out, "--json").stdout)
    # The record has also where and when that was.
    assert {name: stored[name] for name in said} == said
    assert (stored["kind"], stored["state"]) == ("load", "finished")
    command = json.loads((out / "record.json").read_text())["command"]
    assert command == shlex.join(["callbench", "load", _url(greeting), *words, "--json"]), "to be measured again"


def test_an_open_loop_reports_three_kinds_of_time(callbench: Run, greeting: _Server, tmp_path: Path) -> None:
    words = ["--clients", "4", "--rate", "100", "--calls", "30", "--out", str(tmp_path / "open"), "--json"]
    said = _said(callbench("load", _url(greeting), *words))
    assert said["calls"] == 30
    assert all(isinstance(said[name], dict) for name in ("latency_us", "service_us", "lateness_us"))


def test_every_call_is_in_a_second_of_the_percentiles_or_of_the_errors(
    callbench: Run, greeting: _Server, tmp_path: Path
) -> None:
    words = ["--clients", "4", "--seconds", "3", "--fail-if", "p50 > 60 s", "--expect-errors", "--json"]
    said = _said(callbench("load", _url(greeting, "/sometimes"), *words, "--out", str(tmp_path / "load")))
    sums = said["errors_over_time"]["status"]
    assert len(sums) >= 2
    assert 0 < sums[0][1] < sums[-1][1] == said["errors"]["status"]
    stretches = said["latency_over_time"]["p50"]
    # The drive goes on for three seconds, so two at least are handed over, and what came last is the rest.
    assert len(stretches) >= 2
    assert [begin_s for begin_s, _, _ in stretches] == [0, *(end_s for _, end_s, _ in stretches[:-1])]
    values = [us for _, _, us in stretches]
    # The median of all lies between the medians of the parts; a bucket is 1/128 wide.
    assert min(values) * 0.99 <= said["latency_us"]["p50"] <= max(values) * 1.01
    picture = callbench("report", tmp_path / "load", check=True)
    page = Path(picture.stdout.strip()).read_text(encoding="utf-8")
    assert "latency, ms" in page
    assert "status errors/s" in page
    assert "fail if p50 &gt; 60 s" in page


def test_requests_are_filled_from_a_template(callbench: Run, greeting: _Server, tmp_path: Path) -> None:
    words = ["--clients", "1", "--calls", "3", "--body", '{"n":{number},"of":{client}}', "-H", "X-Kind: test"]
    said = _said(callbench("load", _url(greeting, "/at/{number}"), *words, "--out", str(tmp_path / "t"), "--json"))
    assert said["calls"] == 3
    seen = greeting.seen
    assert [method for method, _, _ in seen] == ["POST"] * 4
    assert [json.loads(body) for _, _, body in seen] == [{"n": number, "of": 0} for number in range(4)]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["http://127.0.0.1:1/"], "no server listens on this port (Connection refused)"),
        (["http://no-such-name.invalid/"], "does not resolve"),
        (["ftp://127.0.0.1/"], "is not an HTTP URL"),
        (["http://127.0.0.1:1/", "--rate", "5", "--think", "3"], "exclude each other"),
        (["http://127.0.0.1:1/", "--poisson"], "--rate"),
        (["http://127.0.0.1:1/", "-H", "nonsense"], "give a name and a value"),
        (["http://127.0.0.1:1/", "--pid", "4194304"], "no such process"),
        (["http://127.0.0.1:1/", "--clients", "1", "--threads", "2"], "only 1 clients"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(callbench: Run, tmp_path: Path, words: list[str], why: str) -> None:
    finished = callbench("load", *words, "--out", str(tmp_path / "no"))
    assert finished.returncode == 2
    assert why in finished.stderr
    assert finished.stderr.startswith("callbench: ")
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "no").exists()


def test_an_answer_that_is_not_as_expected_stops_before_anything_is_driven(
    callbench: Run, greeting: _Server, tmp_path: Path
) -> None:
    out = ("--out", str(tmp_path / "wrong"))
    for words, kind in (
        ((_url(greeting), "--expect-body", "Hello"), "wrong-answer"),
        ((_url(greeting, "/nothing"),), "status"),
        ((_url(greeting), "--expect-status", "201"), "status"),
    ):
        finished = callbench("load", *words, *out)
        assert finished.returncode == 2
        assert f"({kind})" in finished.stderr
    assert callbench("load", _url(greeting, "/nothing"), "--expect-status", "404", "--calls", "3", *out).returncode == 0


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[_Server, Path]]:
    """The same through TLS, with a self-signed certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    made = ["openssl", "req", "-x509", *words, *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    server = _Server(("127.0.0.1", 0), type("Greeting", (_Greeting,), {"seen": []}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    for running in _served(server):
        yield running, certificate


def test_tls_is_spoken_and_a_stranger_refused(callbench: Run, secure: tuple[_Server, Path], tmp_path: Path) -> None:
    server, certificate = secure
    url = _url(server).replace("http:", "https:")
    words = ("--clients", "2", "--calls", "10", "--expect-body", "Hello World")
    stranger = callbench("load", url, *words, "--out", str(tmp_path / "a"))
    assert stranger.returncode == 2
    assert "it is not signed by a trusted authority: give it or its signer with --certificates" in stranger.stderr
    for trust in (("--insecure",), ("--certificates", str(certificate))):
        said = _said(callbench("load", url, *words, *trust, "--out", str(tmp_path / f"{trust[0]}"), "--json"))
        assert (said["calls"], said["errors"]) == (10, {})
