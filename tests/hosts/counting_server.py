"""An HTTP server that counts its requests by the address of the client; `/counts` answers with them."""

import http.server
import json
import sys
import threading
from collections import Counter

COUNTS: Counter[str] = Counter()
LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    """Counts, and answers."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a word, or with the counts so far."""
        with LOCK:
            if self.path != "/counts":
                COUNTS[self.client_address[0]] += 1
            body = json.dumps(COUNTS).encode() if self.path == "/counts" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """Serves until it is killed."""

    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    server = Server((sys.argv[1], 0), Handler)
    print(f"serves at {server.server_port}", flush=True)  # noqa: T201
    server.serve_forever()
