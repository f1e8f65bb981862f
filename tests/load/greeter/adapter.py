"""An adapter that only serves: an HTTP server of the standard library, which greets, counts, and is slow on request."""

import http.server
import os
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ["CALLBENCH_HOME"]) / "contract" / "misbehaving"))

import honest  # type: ignore[import-not-found]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers everything with the greeting."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    service: honest.Service

    def greet(self) -> None:
        """Read what came and answer."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said = self.service.answer("Hello", {})["value"].encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = greet  # noqa: N815 - as http.server calls them

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server:
    """A thread a connection."""

    def __init__(self, service: honest.Service, host: str, port: int) -> None:
        """Listen."""
        handler = type("Greeting", (Handler,), {"service": service})
        self.server = http.server.ThreadingHTTPServer((host, port), handler)
        self.server.daemon_threads = True
        self.connections: list[Any] = []
        take = self.server.get_request

        def taken() -> Any:
            one = take()
            self.connections.append(one[0])
            return one

        self.server.get_request = taken  # type: ignore[method-assign]
        self.endpoint = f"http://{host}:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """End the listener and every connection."""
        self.server.shutdown()
        self.server.server_close()
        for one in self.connections:
            self.server.shutdown_request(one)


class Greeter(honest.Adapter):  # type: ignore[misc]
    """Serves only."""

    name = "greeter"
    features = ("burn",)

    def stacks(self) -> list[str]:
        """Name the stacks."""
        return [f"greeter/{name}" for name in ("http", "posted", "wrong")]

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve a stack."""
        self.known(request["stack"])
        unknown = set(request["options"]) - honest.KNOWN_OPTIONS
        if unknown:
            raise honest.No("bad-request", f"there is no option {min(unknown)}")
        self.service = honest.Service(request["options"])
        self.server = Server(self.service, request["host"], request["port"])
        return {"is": "serving", "endpoint": self.server.endpoint}


Greeter().run()
