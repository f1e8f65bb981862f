"""A server of HTTP that answers each POST with what a function makes of it, and a client."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@contextmanager
def answering(kind: str, answer: Callable[[bytes], bytes]) -> Iterator[str]:
    """The URL of a server, until the block ends.

    Args:
        kind: the content type of its answers.
        answer: may run in several threads at once.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def posted(url: str, kind: str, body: bytes) -> bytes:
    """What a server answers, by Python's own client of HTTP."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=30)
    try:
        connection.request("POST", place.path, body, {"Content-Type": kind})
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read()
    finally:
        connection.close()
