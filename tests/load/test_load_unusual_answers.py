"""`callbench load` takes every answer that RFC 9112 lets a server give, and is held up by none that never ends."""

import gzip
import os
import shlex
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from certificates import HERE, self_signed

from conftest import command
from sealed import sealed

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[[socket.socket], None]
_GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def _serving(serve: Serve, address: str = "127.0.0.1") -> Iterator[int]:
    """Serve every connection on a thread of its own; yield the port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, 0), family=family, backlog=128)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=each, args=(connection,), daemon=True).start()

    def each(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            serve(connection)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _head(connection: socket.socket) -> bytes:
    """The head of a request; empty if the client has closed the connection."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return b""
        head += byte
    return head


def _answering(*pieces: bytes) -> Serve:
    """Answer each request with these pieces, each in a packet of its own."""

    def serve(connection: socket.socket) -> None:
        while _head(connection):
            for piece in pieces:
                connection.sendall(piece)

    return serve


def _result(finished: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert finished.stdout, finished.stderr
    result = sealed("load", finished.stdout)
    assert finished.returncode == (1 if result["errors"] else 0), finished.stderr
    return result


def _load(callbench: Run, url: str, *words: object) -> dict[str, Any]:
    return _result(callbench("load", url, "--clients", 2, "--json", *words))


def _whole(headers: bytes, body: bytes = b"ok", status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s" % (status, len(body), headers, body)


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n%s\r\n%s"
_TAKEN = {
    "head in two": (b"HTTP/1.1 200 OK\r\n", b"Content-Length: 200000\r\n\r\n" + b"x" * 200_000),
    "single bytes": tuple(bytes([byte]) for byte in _GOOD),
    "interim answer": (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", _GOOD),
    "two interim answers": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + _GOOD,),
    "400 headers": (_whole(b"".join(b"X-%d: v\r\n" % number for number in range(400))),),
    "long header": (_whole(b"X-Long: " + b"v" * 60_000 + b"\r\n"),),
    "folded header": (_whole(b"X-Folded: one\r\n  two\r\n"),),
    "odd names": (b"HTTP/1.1 200 OK\r\ncOnTeNT-LenGTH:2\r\nx!#$%&'*+-.^_`|~1:\r\n\r\nok",),
    "white space around values": (b"HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\nX-Tab: a\tb\r\n\r\nok",),
    "octets beyond ASCII": (_whole(b"X-Latin: \xe9\xff\r\n", status=b"200 Tr\xe8s bien"),),
    "no reason": (b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok",),
    "no space behind the status": (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",),
    "lines that end with LF": (_GOOD.replace(b"\r\n", b"\n"),),
    "empty lines before": (b"\r\n\r\n" + _GOOD,),
    "one length twice": (_whole(b"Content-Length: 2\r\n"),),
    "leading zeros": (b"HTTP/1.1 200 OK\r\nContent-Length: 0002\r\n\r\nok",),
    "coding and length": (_CHUNKED % (b"Content-Length: 99\r\n", b"2\r\nok\r\n0\r\n\r\n"),),
    "chunk extensions": (_CHUNKED % (b"", b'2;note=x ; q="a;b\\""\r\nok\r\n0;last\r\n\r\n'),),
    "trailers": (_CHUNKED % (b"Trailer: X-T\r\n", b"2\r\nok\r\n0\r\nX-T: 1\r\nx-u:2\r\n\r\n"),),
    "a chunk a byte": (_CHUNKED % (b"", b"1\r\no\r\n"), b"1\r\nk\r\n", b"000\r\n", b"\r\n"),
    "compressed": (_whole(b"Content-Encoding: gzip\r\n", gzip.compress(b"ok")),),
    "compressed and chunked": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",),
    "one length, listed": (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",),
    "folded length": (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nok",),
    "folded coding": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n\tChunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",),
    "codings on two lines": (
        _CHUNKED.replace(b"chunked", b"gzip\r\nTransfer-Encoding: , chunked,") % (b"", b"2\r\nok\r\n0\r\n\r\n"),
    ),
    "chunked by HTTP/1.0": (
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
    "chunk sizes with zeros and white space": (_CHUNKED % (b"", b"0" * 30 + b"2 ; a\r\nok\r\n0 \r\n\r\n"),),
    "chunks that end with LF": (_CHUNKED % (b"", b"2\nok\n0\n\n"),),
    "a long chunk extension": (_CHUNKED % (b"", b"2;" + b"x" * 100_000 + b"\r\nok\r\n0\r\n\r\n"),),
    "trailers that look like framing": (_CHUNKED % (b"", b"2\r\nok\r\n0\r\nContent-Length: 77\r\n\r\n"),),
    "white space before a colon": (b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",),
    "204 with a coding": (b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",),
    "kept in a list": (b"HTTP/1.0 200 OK\r\nConnection: foo, keep-alive\r\nContent-Length: 2\r\n\r\nok",),
    "nothing to say": (b"HTTP/1.1 204 No Content\r\n\r\n",),
    "reset content": (b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",),
    "kept by HTTP/1.0": (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok",),
}


_CLOSED = {
    "close, with a length": _whole(b"Connection: close\r\n"),
    "close, without": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok",
    "neither length nor close": b"HTTP/1.1 200 OK\r\n\r\nok",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.0 without a length": b"HTTP/1.0 200 OK\r\n\r\nok",
    "a coding that is not chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 9\r\n\r\nok",
    "chunked and close": _CHUNKED % (b"Connection: x, Close\r\n", b"2\r\nok\r\n0\r\n\r\n"),
}


@pytest.mark.parametrize(
    ("answers", "closes"),
    [(_TAKEN, False), ({name: (answer,) for name, answer in _CLOSED.items()}, True)],
    ids=["kept", "closed"],
)
def test_every_form_of_an_answer_is_taken(
    callbench: Run, tmp_path: Path, answers: dict[str, tuple[bytes, ...]], *, closes: bool
) -> None:
    """Each form at a path of its own, one after the other in any order on the same connections where these last."""
    every = list(answers.values())

    def serve(connection: socket.socket) -> None:
        while head := _head(connection):
            for piece in every[int(head.split()[1].removeprefix(b"/"))]:
                connection.sendall(piece)
            if closes:
                return

    requests = (f'[[request]]\nname = "{name}"\npath = "/{number}"\n' for number, name in enumerate(answers))
    (tmp_path / "forms.toml").write_text("".join(requests))
    with _serving(serve) as port:
        words = ("--requests", "forms.toml", "--calls", 20 * len(answers))
        result = _load(callbench, f"http://127.0.0.1:{port}/", *words)
    assert result["errors"] == {}
    assert {one["name"]: one["calls"] > 0 for one in result["endpoints"]} == dict.fromkeys(answers, True)


def test_a_request_that_says_close_is_the_last_of_its_connection(callbench: Run) -> None:
    """A server then closes the connection, and need not say so again."""
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        asked.append(_head(connection))
        connection.sendall(_GOOD)

    with _serving(serve) as port:
        words = ("-H", "Connection: Upgrade, Close", "--calls", 60, "--warm-up", 0)
        result = _load(callbench, f"http://127.0.0.1:{port}/", *words)
    assert (result["calls"], result["errors"]) == (60, {})
    assert len([head for head in asked if head]) >= 60


_BODILESS = {
    "HEAD": (["--method", "HEAD"], b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"),
    "HEAD, chunked": (["--method", "HEAD"], b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    "304": (["--expect-status", "304"], b'HTTP/1.1 304 Not Modified\r\nContent-Length: 2000\r\nETag: "a"\r\n\r\n'),
    "204 with a length": (["--expect-status", "204"], b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n"),
    "redirect": (["--expect-status", "302"], b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
}


@pytest.mark.parametrize(("words", "answer"), _BODILESS.values(), ids=_BODILESS)
def test_an_answer_without_a_body_ends_with_its_head(callbench: Run, words: list[str], answer: bytes) -> None:
    with _serving(_answering(answer)) as port:
        result = _load(callbench, f"http://127.0.0.1:{port}/", "--calls", 20, *words)
    assert (result["calls"], result["errors"]) == (20, {})


_REFUSED = {
    "lengths that differ": (_whole(b"Content-Length: 3\r\n"), "two Content-Lengths that differ"),
    "a length that is none": (
        b"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
        "Content-Length that is not a number",
    ),
    "lengths in a list that differ": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok",
        "two Content-Lengths that differ",
    ),
    "chunked twice": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "chunked twice",
    ),
    "chunked with parameters": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;q=1\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "with parameters",
    ),
    "a chunk size in C": (_CHUNKED % (b"", b"0x2\r\nok\r\n0\r\n\r\n"), "begins without a size"),
    "a chunk size beyond 64 bits": (_CHUNKED % (b"", b"f" * 17 + b"\r\nok\r\n0\r\n\r\n"), "begins without a size"),
    "a bare CR in a header": (
        b"HTTP/1.1 200 OK\r\nX: a\rContent-Length: 5\r\nContent-Length: 2\r\n\r\nok",
        "invalid header value",
    ),
    "a header without a colon": (b"HTTP/1.1 200 OK\r\ngarbage\r\nContent-Length: 2\r\n\r\nok", "invalid header name"),
    "a status of four digits": (b"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", "invalid response status"),
    "another protocol": (b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + _GOOD, "follow the end of the answer"),
    "a head of 8 MB": (_whole(b"X: %s\r\n" % (b"v" * 8_000_000)), "--max-head-bytes"),
    "a chunk line of 9 MB": (_CHUNKED % (b"", b"2;" + b"x" * 9_000_000), "--max-head-bytes"),
    "more than its length": (_GOOD + b"HTTP/1.1 200 OK\r\n", "follow the end of the answer"),
    "a chunk beyond its size": (_CHUNKED % (b"", b"1\r\nok\r\n0\r\n\r\n"), "longer than its size"),
    "a chunk without a size": (_CHUNKED % (b"", b"ok\r\n"), "begins without a size"),
    "a redirect": (b"HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", "/b"),
    "no HTTP": (b"220 mail.example ESMTP\r\n", "not HTTP"),
}


@pytest.mark.parametrize(("answer", "why"), _REFUSED.values(), ids=_REFUSED)
def test_what_no_client_should_take_is_refused_with_its_reason(callbench: Run, answer: bytes, why: str) -> None:
    with _serving(_answering(answer)) as port:
        refused = callbench("load", f"http://127.0.0.1:{port}/", "--clients", 1, "--calls", 2)
    assert refused.returncode == 2
    assert why in " ".join(refused.stderr.split())


_SENT = {
    "?x=1#here": b"/?x=1",
    "/a%20b%2Fc?q=%26&r=": b"/a%20b%2Fc?q=%26&r=",
    "//a/../b;c=1": b"//a/../b;c=1",
    "/caf\u00e9?q=\u20ac": b"/caf%C3%A9?q=%E2%82%AC",
    "/a+b?c=d+e&f=[1]|{2}": b"/a+b?c=d+e&f=[1]|{2}",
    "/?": b"/?",
}


@pytest.mark.parametrize(("behind", "target"), _SENT.items(), ids=_SENT)
@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_request_is_sent_to_what_the_url_says(callbench: Run, behind: str, target: bytes, address: str) -> None:
    seen: list[bytes] = []
    host = f"[{address}]" if ":" in address else address

    def serve(connection: socket.socket) -> None:
        while head := _head(connection):
            seen.append(head)
            connection.sendall(_GOOD)

    with _serving(serve, address) as port:
        _load(callbench, f"HTTP://{host}:{port}{behind}", "--calls", 2)
        assert {head.split(b"\r\n")[0] for head in seen} == {b"GET %s HTTP/1.1" % target}
        named = {line for head in seen for line in head.lower().split(b"\r\n") if line.startswith(b"host:")}
        assert named == {f"host: {host}:{port}".encode()}


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "TLS"])
def test_an_answer_before_the_body_was_read_is_not_lost(callbench: Run, tmp_path: Path, *, secure: bool) -> None:
    (tmp_path / "large").write_bytes(b"x" * 12_000_000)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if secure:
        context.load_cert_chain(self_signed(tmp_path, "own", "-addext", HERE), tmp_path / "own.key")

    def serve(connection: socket.socket) -> None:
        stream = context.wrap_socket(connection, server_side=True) if secure else connection
        if _head(stream):
            stream.sendall(_whole(b"Connection: close\r\n", b"too large", b"413 Too Large"))
            stream.close()  # With what was not read, so that the kernel resets the connection.

    words = ["--body-file", tmp_path / "large", "--expect-status", 413, "--insecure", "--calls", 20]
    with _serving(serve) as port:
        result = _load(callbench, f"{'https' if secure else 'http'}://127.0.0.1:{port}/", *words)
    assert (result["calls"], result["errors"]) == (20, {})


@pytest.mark.parametrize(
    ("more", "timeout_s", "pause_s", "kind"),
    [
        # However long a busy machine takes for the one answer that is right, which has the same time-out.
        (b"5\r\nhello\r\n", 5, 0.05, "timeout"),
        # And however long for as many as are too many.
        (b"0\r\n" + b"X-More: 1\r\n" * 20_000, 60, 0, "too-large"),
    ],
    ids=["chunks", "trailers"],
)
def test_an_answer_that_never_ends_loses_no_result(
    callbench: Run, more: bytes, timeout_s: float, pause_s: float, kind: str
) -> None:
    first = threading.Lock()

    def serve(connection: socket.socket) -> None:
        while _head(connection) and first.acquire(blocking=False):
            connection.sendall(_GOOD)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + more)
        while True:
            connection.sendall(more.removeprefix(b"0\r\n"))
            time.sleep(pause_s)

    with _serving(serve) as port:
        words = ["--seconds", 0.5, "--timeout", timeout_s, "--max-body-bytes", 1 << 50]
        result = _load(callbench, f"http://127.0.0.1:{port}/", *words)
    assert result["calls"] == 0
    assert result["errors"].keys() == {kind}


@pytest.mark.parametrize("option", ["--max-head-bytes", "--max-body-bytes"])
def test_a_limit_names_the_option_that_raises_it(callbench: Run, option: str) -> None:
    answer = _whole(b"X-Long: %s\r\n" % (b"x" * 2_000_000)) if "head" in option else _whole(b"", b"x" * 2_000)
    lowered = [] if "head" in option else [option, 1_000]
    with _serving(_answering(answer)) as port:
        url = f"http://127.0.0.1:{port}/"
        refused = callbench("load", url, "--clients", 1, "--calls", 2, *lowered)
        assert refused.returncode == 2
        assert option in refused.stderr
        assert _load(callbench, url, "--calls", 2, option, 3_000_000)["errors"] == {}


def test_a_reset_without_an_answer_is_still_a_reset(callbench: Run) -> None:
    first = threading.Lock()

    def serve(connection: socket.socket) -> None:
        while _head(connection) and first.acquire(blocking=False):
            connection.sendall(_GOOD)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with _serving(serve) as port:
        result = _result(callbench("load", f"http://127.0.0.1:{port}/", "--clients", 1, "--calls", 5, "--json"))
    assert result["calls"] == 0
    assert result["errors"].keys() == {"reset"}


def test_a_name_whose_first_address_refuses_is_reached_at_its_next(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("::1 two.test\n127.0.0.1 two.test localhost\n")
    with _serving(_answering(_GOOD)) as port:
        words = shlex.join(command("load", f"http://two.test:{port}/", "--clients", 2, "--calls", 10, "--json"))
        script = f"mount --bind {hosts} /etc/hosts || exit 77; cd {tmp_path} && exec {words}"
        argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
        finished = subprocess.run(argv, capture_output=True, text=True, timeout=200, check=False)
    if finished.returncode == 77 or "unshare" in finished.stderr:
        pytest.skip("no mounts can be made here")
    result = _result(finished)
    assert (result["calls"], result["errors"]) == (10, {})


def test_as_many_processors_as_threads_are_used_and_recorded(callbench: Run) -> None:
    with _serving(_answering(_GOOD)) as port:
        result = _load(callbench, f"http://127.0.0.1:{port}/", "--calls", 40, "--threads", 2)
    assert result["threads"] == 2
    assert len(result["driver_processors"]) >= min(2, len(os.sched_getaffinity(0)))
