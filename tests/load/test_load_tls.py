"""`callbench load` with and without TLS, with certificates as people make them: each failure has its remedy."""

import http.server
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from certificates import HERE, openssl, self_signed
from other_servers import nginx

Run = Callable[..., subprocess.CompletedProcess[str]]
AUTHORITY = """
[ca]
default_ca = one
[one]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = IP:127.0.0.1
"""


class _Greeting(http.server.BaseHTTPRequestHandler):
    """Greets."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers everything."""
        self.send_response(200)
        self.send_header("Content-Length", "11")
        self.end_headers()
        self.wfile.write(b"Hello World")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """Clients that break off are what is tested."""


@contextmanager
def _serving(context: ssl.SSLContext | None) -> Iterator[int]:
    server = _Server(("127.0.0.1", 0), _Greeting)
    if context is not None:
        # The handshake belongs to the thread of each connection: one that stalls must not hold up the next.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _dated(folder: Path, name: str, start: str, end: str) -> None:
    """A self-signed certificate with other dates, which `req` of OpenSSL 3.0 cannot set."""
    (folder / "index").write_text("")
    (folder / "serial").write_text("01\n")
    (folder / "ca.conf").write_text(AUTHORITY.format(folder=folder))
    key, request = folder / f"{name}.key", folder / f"{name}.csr"
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key)
    openssl("req", *curve, "-subj", "/CN=localhost", "-out", request)
    words = ("-selfsign", "-batch", "-notext", "-startdate", start, "-enddate", end, "-keyfile", key, "-in", request)
    openssl("ca", "-config", folder / "ca.conf", *words, "-out", folder / f"{name}.pem")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates with their keys."""
    folder = tmp_path_factory.mktemp("certificates")
    self_signed(folder, "usual", "-addext", HERE)
    self_signed(folder, "leaf", "-addext", HERE, "-addext", "basicConstraints=critical,CA:FALSE")
    self_signed(folder, "nameless")
    self_signed(folder, "other", "-addext", "subjectAltName=DNS:a.example,IP:127.0.0.2")
    _dated(folder, "expired", "20200101000000Z", "20200201000000Z")
    _dated(folder, "early", "20900101000000Z", "20910101000000Z")
    return folder


def _context(folder: Path, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context


def _wants_clients(context: ssl.SSLContext, folder: Path) -> None:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(folder / "usual.pem")


def _old_only(context: ssl.SSLContext, _: Path) -> None:
    context.set_ciphers("ALL:@SECLEVEL=0")
    # One that speaks 1.1 at most is what is tested; `minimum_version` alone would warn of it.
    context.options |= ssl.OP_NO_TLSv1_2 | ssl.OP_NO_TLSv1_3
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED


def _old_and_wants_clients(context: ssl.SSLContext, folder: Path) -> None:
    _wants_clients(context, folder)
    context.maximum_version = ssl.TLSVersion.TLSv1_2


def _load(callbench: Run, port: int, *words: object, scheme: str = "https") -> subprocess.CompletedProcess[str]:
    out = f"{time.monotonic_ns()}.json"
    url = f"{scheme}://127.0.0.1:{port}/"
    return callbench("load", url, "--clients", "2", "--calls", "10", "--timeout", "30", *map(str, words), "--out", out)


def _refused(finished: subprocess.CompletedProcess[str]) -> str:
    assert finished.returncode == 2, finished.stdout + finished.stderr
    assert finished.stderr.count("\n") == 1, finished.stderr
    return finished.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_certificate_that_was_given_is_trusted_itself(callbench: Run, folder: Path, host: str) -> None:
    with _serving(_context(folder, "usual")) as port:
        words = ("--calls", "10", "--certificates", str(folder / "usual.pem"), "--expect-body", "Hello World")
        finished = callbench("load", f"https://{host}:{port}/", *words, "--out", f"{host}")
    assert finished.returncode == 0, finished.stderr
    assert "10 calls" in finished.stdout


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("usual", None, "it is an authority's own (CA:TRUE, as `openssl req -x509` makes it): give that very one with"),
        ("usual", "other", "give that very one with --certificates"),
        ("nameless", "nameless", "it names no host, and its common name (CN) does not count: make it with subjectAlt"),
        ("other", "other", "it is for a.example, 127.0.0.2, not for 127.0.0.1: use that name in the URL"),
        ("leaf", "usual", "but by another one with the same name: give it or its signer with --certificates"),
        ("expired", "expired", "days ago: renew it"),
        ("early", "early", "days: correct the clock"),
    ],
)
def test_a_certificate_is_refused_with_the_remedy(
    callbench: Run, folder: Path, name: str, given: str | None, why: str
) -> None:
    trust = () if given is None else ("--certificates", folder / f"{given}.pem")
    with _serving(_context(folder, name)) as port:
        said = _refused(_load(callbench, port, *trust))
        assert why in said
        assert "(certificate)" in said
        assert _load(callbench, port, "--insecure").returncode == 0


@pytest.mark.filterwarnings("ignore:ssl.OP_NO_:DeprecationWarning")
@pytest.mark.parametrize(
    ("change", "words", "why"),
    [
        (_old_only, (), "no TLS version in common with the driver: it must allow TLS 1.2 or 1.3"),
        (_wants_clients, (), "requires client certificates"),
        (_old_and_wants_clients, (), "certificate of its clients"),
        (lambda *_: None, ("--http2",), "has not agreed on HTTP/2 (ALPN h2)"),
    ],
)
def test_a_handshake_that_fails_is_reported_with_the_remedy(
    callbench: Run,
    folder: Path,
    change: Callable[[ssl.SSLContext, Path], None],
    words: tuple[str, ...],
    why: str,
) -> None:
    context = _context(folder, "usual")
    change(context, folder)
    with _serving(context) as port:
        assert why in _refused(_load(callbench, port, "--certificates", folder / "usual.pem", *words))


@pytest.mark.parametrize("words", [(), ("--http2",)])
def test_a_url_with_the_wrong_scheme_is_reported(callbench: Run, folder: Path, words: tuple[str, ...]) -> None:
    with _serving(None) as port:
        assert "without TLS" in (said := _refused(_load(callbench, port, *words)))
        assert "http://..." in said
    with _serving(_context(folder, "usual")) as port:
        said = _refused(_load(callbench, port, *words, scheme="http"))
        assert "the server speaks TLS there: is its URL https://...?" in said


def test_nginx_with_a_certificate_ofopenssl(callbench: Run, folder: Path) -> None:
    location = 'location / { default_type text/plain; return 200 "Hello World"; }'
    with nginx(folder, folder / "usual.pem", location) as port:
        given = _load(callbench, port, "--certificates", folder / "usual.pem", "--expect-body", "Hello World")
        assert given.returncode == 0, given.stderr
        said = _refused(_load(callbench, port, scheme="http"))
        assert "the server speaks TLS there: is its URL https://...?" in said
        assert "The plain HTTP request was sent to HTTPS port" in said
