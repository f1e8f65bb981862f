"""`callbench load` over HTTP/2 and gRPC, against servers and proxies that others wrote: nghttpd, nghttpx, nginx."""

import http.server
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from certificates import HERE, self_signed
from other_servers import nginx, running

from ports import free_ports

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]

LOCATIONS = """
    location / {{ default_type text/plain; return 200 "Hello World"; }}
    location /large {{ root {folder}; }}
"""
# A gRPC message: not compressed, two bytes.
MESSAGE = b"\0\0\0\0\x02ab"


@pytest.fixture(scope="module")
def greeting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nghttpd: a greeting, and what looks like an answer of gRPC, with its trailer."""
    folder = tmp_path_factory.mktemp("greeting")
    (folder / "index.html").write_text("Hello World")
    (folder / "Hello.grpc").write_bytes(MESSAGE)
    (folder / "mime.types").write_text("application/grpc grpc\n")
    port, types = free_ports(), folder / "mime.types"
    words = ("--no-tls", "-d", folder, "--trailer", "grpc-status: 0", "--mime-types-file", types)
    with running(port, "nghttpd", "-a", "127.0.0.1", *words, port):
        yield port


class _Echo(http.server.BaseHTTPRequestHandler):
    """Answers with what came."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said = f"{self.path} {self.headers['X-Kind']} {len(body)}\n".encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = _answer  # noqa: N815 - as http.server calls them

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def old() -> Iterator[int]:
    """The port of a server that speaks HTTP/1.1 only."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate, with its key beside it."""
    words = ("-addext", HERE, "-addext", "basicConstraints=critical,CA:FALSE")
    return self_signed(tmp_path_factory.mktemp("secure"), "usual", *words)


def _said(finished: Finished) -> dict[str, Any]:
    assert finished.returncode == 0, finished.stderr
    said = json.loads(finished.stdout)
    assert isinstance(said, dict)
    return said


def test_clients_share_connections(callbench: Run, greeting: int) -> None:
    url = f"http://127.0.0.1:{greeting}/"
    words = ("--http2", "--clients", "21", "--streams", "5", "--calls", "400", "--expect-body", "Hello World", "--json")
    said = _said(callbench("load", url, *words, "--out", "shared"))
    assert (said["calls"], said["connections"], said["errors"], said["protocol"]) == (400, 5, {}, "h2")
    each = ("--http2", "--clients", "2", "--no-keep-alive", "--calls", "20", "--json")
    said = _said(callbench("load", url, *each, "--out", "each"))
    assert (said["calls"], said["errors"]) == (20, {})
    paced = ("--http2", "--clients", "8", "--streams", "4", "--rate", "200", "--calls", "50", "--json")
    said = _said(callbench("load", url, *paced, "--out", "paced"))
    assert (said["calls"], said["errors"]) == (50, {})
    assert said["lateness_us"]["min"] >= 0


def test_calls_of_grpc_are_judged_by_message_and_status(callbench: Run, greeting: int) -> None:
    url = f"http://127.0.0.1:{greeting}/Hello.grpc"
    words = ("--grpc", "--clients", "6", "--streams", "3", "--calls", "200", "--body-hex", "08 01")
    said = _said(callbench("load", url, *words, "--expect-body-hex", "6162", "--json", "--out", "right"))
    assert (said["calls"], said["connections"], said["errors"], said["protocol"]) == (200, 2, {}, "grpc")
    wrong = callbench("load", url, *words, "--expect-body", "aB", "--out", "wrong")
    assert "differs from the expected one at byte 1, counted from 0: `ab`, not `aB` (wrong-answer)" in wrong.stderr
    page = callbench("load", f"http://127.0.0.1:{greeting}/", *words, "--out", "page")
    assert "the answer is not gRPC" in page.stderr
    assert (wrong.returncode, page.returncode) == (2, 2)


def test_requests_arrive_as_they_were_meant(callbench: Run, old: int, tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"x" * 300_000)  # larger than the default window
    with ExitStack() as stack:
        port = free_ports()
        words = (f"-f127.0.0.1,{port};no-tls", f"-b127.0.0.1,{old}", "--workers=1", "--conf=/dev/null")
        stack.enter_context(running(port, "nghttpx", *words))
        url = f"http://127.0.0.1:{port}/at/{{number}}?of={{client}}"
        asked = ("--http2", "-H", "X-Kind: {number}", "--body", "{number}!", "--clients", "1", "--calls", "1")
        expected = "/at/0?of=0 0 2\n0!"
        first = callbench("load", url, *asked, "--expect-body", expected, "--out", "first")
        # The one before anything is driven was as expected; the one of the drive has another number.
        assert "1 failed as wrong-answer: the body differs from the expected one at byte" in first.stdout
        large = ("--http2", "--body-file", "body", "--no-variables", "-H", "X-Kind: large", "--clients", "4")
        answer = tmp_path / "answer"
        answer.write_bytes(b"/ large 300000\n" + b"x" * 300_000)
        rest = ("--streams", "2", "--calls", "30", "--expect-body-file", answer, "--json", "--out", "large")
        said = _said(callbench("load", f"http://127.0.0.1:{port}/", *large, *rest))
        assert (said["calls"], said["errors"]) == (30, {})


def test_a_server_that_takes_its_leave_loses_no_call(callbench: Run, certificate: Path) -> None:
    folder = certificate.parent
    (folder / "large").write_bytes(b"y" * 2_000_000)
    protocol, settings = "http2", "keepalive_requests 7;"
    with nginx(folder, certificate, LOCATIONS.format(folder=folder), protocol=protocol, settings=settings) as port:
        url = f"https://127.0.0.1:{port}/"
        words = ("--http2", "--certificates", certificate, "--clients", "6", "--streams", "3", "--calls", "200")
        rest = ("--expect-body", "Hello World", "--json", "--out", "leaves")
        said = _said(callbench("load", url, *words, *rest))
        assert (said["calls"], said["errors"]) == (200, {})
        stranger = callbench("load", url, "--http2", "--calls", "3", "--out", "stranger")
        assert "it is not signed by a trusted authority" in stranger.stderr
        assert "give it or its signer with --certificates" in stranger.stderr
        large = ("--http2", "--insecure", "--clients", "4", "--streams", "4", "--calls", "20")
        rest = ("--expect-body-file", str(folder / "large"), "--json", "--out", "large")
        said = _said(callbench("load", f"{url}large", *large, *rest))
        assert (said["calls"], said["errors"]) == (20, {})


def test_who_speaks_another_version_is_reported_in_one_sentence(
    callbench: Run, greeting: int, old: int, certificate: Path
) -> None:
    new, only = f"http://127.0.0.1:{greeting}/", f"http://127.0.0.1:{old}/"
    secure_only = free_ports()
    key = certificate.with_suffix(".key")
    words = ("s_server", "-quiet", "-accept", f"127.0.0.1:{secure_only}", "-cert", certificate, "-key", key, "-WWW")
    with running(secure_only, "openssl", *words):
        for url, asked, why in (
            (new, (), "the server speaks HTTP/2 only: use --http2 (protocol)"),
            (only, ("--http2",), "it may speak HTTP/1.1 only; leave out --http2 and --grpc (protocol)"),
            (only, ("--grpc",), "it may speak HTTP/1.1 only; leave out --http2 and --grpc (protocol)"),
            (f"https://127.0.0.1:{secure_only}/", ("--http2", "--insecure"), "has not agreed on HTTP/2 (ALPN h2)"),
            (new, ("--http2", "--clients", "200", "--streams", "200"), "accepts 100 simultaneous calls"),
            (new, ("--http2", "--grpc"), "exclude each other"),
        ):
            refused = callbench("load", url, *asked, "--out", "refused")
            assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
            assert why in refused.stderr
