"""A server of several processes with a listening socket each on one port: `prefork.py PORT [WORKERS] [HOST]`.

The master has no socket of it. A worker that ends is replaced, and `/end` ends the one that answers.
"""

import os
import signal
import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Greeting(BaseHTTPRequestHandler):
    """Greet, and end after that if requested."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers everything."""
        body = b"Hello World"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True
        if self.path == "/end":
            self.wfile.flush()
            os._exit(0)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Worker(HTTPServer):
    """A listening socket of its own."""

    request_queue_size = 64

    def server_bind(self) -> None:
        """Binds beside the others."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


def work(host: str, port: int) -> int:
    """Starts a worker; gives its number."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if ":" in host:
            Worker.address_family = socket.AF_INET6
        Worker((host, port), Greeting).serve_forever()
    return pid


def main() -> None:
    """Keep the workers running until it is asked to end."""
    port = int(sys.argv[1])
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    host = sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1"
    workers = {work(host, port) for _ in range(number)}

    def end(*_: object) -> None:
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        gone, _ = os.wait()
        workers.discard(gone)
        workers.add(work(host, port))


main()
