"""`callbench load` counts within its time: whatever clients think, and however long one answer takes."""

import http.server
import itertools
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
STALL_S = 3.0
# Which call waits: the first is the driver's look before the load, and any machine makes so many in a second.
_STALLS = 4


class _Stalling(http.server.BaseHTTPRequestHandler):
    """Lets one call wait."""

    protocol_version = "HTTP/1.1"
    numbers: Iterator[int]

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/stall" and next(self.numbers) == _STALLS:
            time.sleep(STALL_S)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


@pytest.fixture
def url() -> Iterator[str]:
    """A server that lets one call of `/stall` wait."""
    handler: Any = type("Stalling", (_Stalling,), {"numbers": itertools.count()})
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("seconds", [1, 1.5, 2.2])
def test_clients_that_think_make_as_many_calls_a_second_however_long_they_do(
    url: str, seconds: float, callbench: Run, tmp_path: Path
) -> None:
    """20 clients that think for half a second can reach 40 calls/s; 60, 53 and 45 were reported."""
    options = ("--clients", 20, "--think", 500, "--seconds", seconds, "--out", tmp_path / "a", "--json")
    seen = callbench("load", f"{url}/", *options)
    told = json.loads(seen.stdout)
    assert told["seconds"] == seconds
    # A busy machine makes fewer; more than they can, and half a call besides, would be a wrong count.
    assert told["rate_per_s"] <= 40 * 1.001 + 0.5 / seconds, told
    assert told["calls_in_window"] == pytest.approx(told["rate_per_s"] * seconds)


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_one_answer_that_takes_long_does_not_stretch_the_time(url: str, callbench: Run, tmp_path: Path) -> None:
    """The whole drive takes 3 s longer than its second: the reported rate was a quarter."""
    options = ("--clients", 4, "--seconds", 1, "--out", tmp_path / "a", "--json")
    seen = callbench("load", f"{url}/stall", *options)
    told = json.loads(seen.stdout)
    assert told["last_answer_after_s"] >= STALL_S * 0.99
    assert told["seconds"] == 1.0
    assert told["in_flight"] >= 1
    assert told["latency_us"]["max"] >= STALL_S * 1e6 * 0.99, "its latency counts"
    assert told["calls"] - 4 <= told["calls_in_window"] <= told["calls"]
    assert told["rate_per_s"] == pytest.approx(told["calls_in_window"])


class _OneAtATime(http.server.BaseHTTPRequestHandler):
    """Answers 50 calls a second at most: each takes 20 ms, one after the other."""

    protocol_version = "HTTP/1.1"
    turn = threading.Lock()

    def do_GET(self) -> None:
        """Answer."""
        with self.turn:
            time.sleep(0.02)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.engine
@pytest.mark.usefixtures("nothing_left")
def test_a_rate_that_a_server_does_not_answer_is_missed_however_many_clients_start_its_calls(
    callbench: Run, tmp_path: Path
) -> None:
    """Each call is begun in time, since there are clients enough: 100 of 100 were asked for, and 50 answered."""
    with _Server(("127.0.0.1", 0), _OneAtATime) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        options = ("--clients", 300, "--rate", 100, "--seconds", 3, "--out", tmp_path / "a")
        shown = callbench("load", url, *options).stdout
        server.shutdown()
    told = json.loads(callbench("show", tmp_path / "a", "--json").stdout)
    assert told["rate_missed"] is True
    assert told["rate_per_s"] <= 51
    assert told["backlog"]["end"] > told["backlog"]["middle"] > 0
    assert "The rate of 100 calls/s was missed" in shown
    assert "more clients may give a higher rate" not in shown
