"""The client of HTTP over a Unix socket, seen by a server that others wrote: no packets are there to capture."""

import json
import socket
import socketserver
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from callbench.adapter.session import Adapter
from callbench.catalog import catalogue
from conftest import ROOT

pytestmark = pytest.mark.engine
GOLDEN = ROOT / "contract" / "golden" / "messages" / "json"
CALLS = 12


class Server(socketserver.ThreadingUnixStreamServer):
    """Python's server of HTTP at an abstract name. It notes what it reads."""

    daemon_threads = True

    def __init__(self, name: str) -> None:
        """Listen at a name."""
        self.connections = 0
        self.bodies: list[bytes] = []
        super().__init__(f"\0{name}", Answers)

    def get_request(self) -> tuple[socket.socket, str]:
        """Count connections. A Unix socket's client has no address, and the handler wants one."""
        self.connections += 1
        return super().get_request()[0], "client"


class Answers(BaseHTTPRequestHandler):
    """Answers Sum over JSON-RPC."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append(body)
        asked = json.loads(body)
        result = asked["params"]["a"] + asked["params"]["b"]
        answer = json.dumps({"jsonrpc": "2.0", "result": result, "id": asked["id"]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[tuple[Server, str]]:
    name = uuid.uuid4().hex
    with Server(name) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server, f"http+unix://{name}/json"
        finally:
            server.shutdown()
            thread.join()


def test_a_server_by_others_reads_every_call_on_one_connection() -> None:
    with serving() as (server, endpoint), Adapter(catalogue.load().adapter("native").manifest, "the client") as client:
        client.connect("native/json+http-unix", endpoint, 1)
        assert client.call("Sum", {"a": 2, "b": 3})["value"] == 5
        done = client.drive("Sum", {"a": 2, "b": 3}, calls=CALLS, seconds=0)
        client.disconnect()
        assert done["errors"] == {}
        assert server.connections == 1
        assert len(server.bodies) == done["calls"] + 1
        # The id of a request counts up, so its digits may be more than the golden file's one.
        golden = json.loads((GOLDEN / "sum.request").read_bytes())
        assert all(json.loads(body) | {"id": golden["id"]} == golden for body in server.bodies)
        assert len(server.bodies[0]) == (GOLDEN / "sum.request").stat().st_size
