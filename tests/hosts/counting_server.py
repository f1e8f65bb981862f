"""An HTTP server that counts its requests by the address of the client; `/counts` answers with them.

`counting_server.py ADDRESS [SECONDS]`: with seconds, a call takes so long, one after the other in the order of arrival.
"""

import http.server
import json
import sys
import threading
import time
from collections import Counter

COUNTS: Counter[str] = Counter()
LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    """Counts, and answers."""

    protocol_version = "HTTP/1.1"
    # An answer is one piece, so that nothing waits for an acknowledgement of its first one.
    wbufsize = -1

    def do_GET(self) -> None:
        """Answer with a word, or with the counts so far."""
        if self.path != "/counts":
            Server.work()
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
    request_queue_size = 1024
    seconds = 0.0
    _free_s = 0.0

    @classmethod
    def work(cls) -> None:
        """Wait until the calls before this one have had their time, and this one too."""
        with LOCK:
            cls._free_s = max(time.monotonic(), cls._free_s) + cls.seconds
            end_s = cls._free_s
        if cls.seconds:
            time.sleep(max(0.0, end_s - time.monotonic()))


if __name__ == "__main__":
    Server.seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    server = Server((sys.argv[1], 0), Handler)
    print(f"serves at {server.server_port}", flush=True)  # noqa: T201
    server.serve_forever()
