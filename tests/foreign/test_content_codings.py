"""Content codings meet others' programs: curl, and a client and a server of Python with zlib and Zstandard."""

import gzip
import http.client
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
import zstandard
from test_channels_by_others import parted, running

from callbench.adapter.session import Adapter
from callbench.catalog.encoders import codings
from callbench.model.errors import AdapterFailure
from callbench.runner.advice.candidates import NATIVE_GZIP

pytestmark = pytest.mark.engine

PERSONS = json.dumps({"jsonrpc": "2.0", "method": "GetPersons", "params": [50], "id": 1})
# Longer than the least that is compressed.
ECHO = json.dumps({"jsonrpc": "2.0", "method": "EchoString", "params": ["callbench " * 40], "id": 1}).encode()
SUM = b'{"jsonrpc":"2.0","method":"Sum","params":[2,3],"id":1}'


def unzstd(body: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(body)


CODINGS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.compress, gzip.decompress),
    "zstd": (zstandard.ZstdCompressor().compress, unzstd),
}


@pytest.mark.parametrize(
    ("channel", "options"),
    [
        ("http-keepalive-gzip", []),
        ("http-keepalive-zstd", []),
        ("https-keepalive-gzip", ["--insecure", "--http1.1"]),
        ("http2-tls-gzip", ["--insecure", "--http2"]),
        ("http2-tls-zstd", ["--insecure", "--http2"]),
    ],
)
def test_curl_asks_for_a_compressed_answer_and_reads_it(channel: str, options: list[str]) -> None:
    with running() as server:
        url, _ = parted(server.serve(f"native/json+{channel}"))
        command = ["curl", "--silent", "--fail", "--max-time", "60", *options, "--compressed", "--data", PERSONS, url]
        answer = subprocess.run([*command, "--write-out", "\n%{size_download}"], capture_output=True, check=True).stdout
        body, _, received = answer.rpartition(b"\n")
        assert len(json.loads(body)["result"]) == 50
        plain = subprocess.run(
            [one for one in command if one != "--compressed"], capture_output=True, check=True
        ).stdout
        assert plain == body
        assert int(received) * 3 < len(plain)


def asked(url: str, body: bytes, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """What a server answers, as it came, by Python's own client of HTTP."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", place.path, body, {"Content-Type": "application/json", **named})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("coding", CODINGS)
def test_python_compresses_its_request_and_reads_the_answer(coding: str) -> None:
    pack, unpack = CODINGS[coding]
    with running() as server:
        url = server.serve(f"native/json+http-keepalive-{coding}")
        status, headers, body = asked(url, pack(ECHO), Content_Encoding=coding, Accept_Encoding=f"br, {coding}")
        assert (status, headers["content-encoding"]) == (200, coding)
        assert json.loads(unpack(body))["result"] == "callbench " * 40
        # Who takes no such answer gets a plain one, and so does who asks for little.
        for accepted in ("", f"{coding};q=0", "br"):
            status, headers, body = asked(url, pack(ECHO), Content_Encoding=coding, Accept_Encoding=accepted)
            assert (status, headers.get("content-encoding")) == (200, None)
            assert json.loads(body)["result"] == "callbench " * 40
        status, headers, body = asked(url, SUM, Accept_Encoding=coding)
        assert (status, headers.get("content-encoding"), json.loads(body)["result"]) == (200, None, 5)


@pytest.mark.parametrize("coding", CODINGS)
def test_what_cannot_be_decompressed_is_refused_and_the_next_call_is_answered(coding: str) -> None:
    pack, _ = CODINGS[coding]
    with running() as server:
        url = server.serve(f"native/json+http-keepalive-{coding}")
        status, headers, body = asked(url, ECHO, Content_Encoding="br")
        assert (status, headers["accept-encoding"]) == (415, coding)
        assert f"plain or in the coding {coding}, not in br" in body.decode()
        for broken in (b"no stream", pack(ECHO)[:-4], pack(ECHO) + b"more"):
            assert asked(url, broken, Content_Encoding=coding)[0] == 400
        assert json.loads(asked(url, SUM)[2])["result"] == 5


@contextmanager
def answering(coding: str, answer: Callable[[bytes], bytes], seen: list[dict[str, Any]]) -> Iterator[str]:
    """The URL of a server of Python that compresses its answers, and notes the heads of requests."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append({**{name.lower(): value for name, value in self.headers.items()}, "body": body})
            made = answer(body)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Encoding", coding)
            self.send_header("Content-Length", str(len(made)))
            self.end_headers()
            self.wfile.write(made)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/json"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("coding", CODINGS)
def test_a_server_of_python_reads_our_compressed_request(coding: str) -> None:
    pack, unpack = CODINGS[coding]
    seen: list[dict[str, Any]] = []
    text = "callbench " * 40

    def answer(_: bytes) -> bytes:
        return pack(json.dumps({"jsonrpc": "2.0", "result": text, "id": 1}).encode())

    with answering(coding, answer, seen) as url, running() as client:
        client.connect(f"native/json+http-keepalive-{coding}", url, 1)
        assert text in json.dumps(client.call("EchoString", {"value": text}))
    (request,) = seen
    assert (request["content-encoding"], request["accept-encoding"]) == (coding, coding)
    assert json.loads(unpack(request["body"]))["method"] == "EchoString"
    assert len(request["body"]) < len(text)


TEXTS = (
    "callbench " * 40,
    json.dumps(
        [{"sku": f"SKU-{number * 7919 % 100_000:05}", "count": number % 9, "price": number / 8} for number in range(60)]
    ),
    "".join(chr(33 + number * number * 31 % 89) for number in range(5000)),
)


@pytest.mark.parametrize("coding", CODINGS)
def test_the_table_of_bytes_compresses_like_our_client(coding: str) -> None:
    """Zstandard is the same library. zlib-rs and zlib differ by as much as an advice allows for."""
    _, unpack = CODINGS[coding]
    seen: list[dict[str, Any]] = []
    with answering(coding, lambda body: body, seen) as url, running() as client:
        client.connect(f"native/json+http-keepalive-{coding}", url, 1)
        for text in TEXTS:
            with pytest.raises(AdapterFailure):
                client.call("EchoString", {"value": text})
    assert len(seen) == len(TEXTS)
    for request in seen:
        counted = len(codings.CODINGS[coding](unpack(request["body"])))
        if coding == "zstd":
            assert len(request["body"]) == counted
        else:
            least, most = NATIVE_GZIP
            assert least * counted <= len(request["body"]) <= most * counted


def test_an_answer_in_another_coding_is_named() -> None:
    with answering("br", lambda _: b"?" * 200, []) as url, running() as client:
        client.connect("native/json+http-keepalive-gzip", url, 1)
        assert "the answer is in the coding br: gzip was asked for" in failure_of(client)


def failure_of(client: Adapter) -> str:
    """The sentence of a call that fails."""
    with pytest.raises(AdapterFailure) as failed:
        client.call("Hello", {})
    return str(failed.value)
