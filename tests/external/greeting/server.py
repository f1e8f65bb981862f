"""A server as a user has one: it knows nothing of Callbench. `python server.py PORT [HOST]`."""

import http.server
import os
import sys


class Greeting(http.server.BaseHTTPRequestHandler):
    """Greets at /hello, and ends at /crash."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/crash":
            os._exit(3)
        said = b'{"result":["Hello World!"]}' if self.path == "/hello" else b"nothing"
        self.send_response(200 if self.path == "/hello" else 404)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


place = (sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1", int(sys.argv[1]))
# Fifty clients connect at once; http.server keeps five waiting.
http.server.ThreadingHTTPServer.request_queue_size = 128
sys.stderr.write(f"greeting on {place}\n")
http.server.ThreadingHTTPServer(place, Greeting).serve_forever()
