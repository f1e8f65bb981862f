"""A choosy server: `python orders.py PORT [CERTIFICATE KEY]`. POST /orders is answered 201, every other /flaky 500.

With ORDERS_WAIT_S in its environment, each call waits so many seconds.
"""

import http.server
import itertools
import os
import ssl
import sys
import time

_turns = itertools.count()
_WAIT_S = float(os.environ.get("ORDERS_WAIT_S", "0"))


class Orders(http.server.BaseHTTPRequestHandler):
    """Takes orders."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Allow no GET of orders; fail every other time where it is flaky."""
        if self.path == "/orders":
            self._say(405, b"")
        elif self.path == "/flaky":
            # The first is right, since one call is made before a load begins.
            self._say(500 if next(_turns) % 2 else 200, b"so so")
        else:
            self._say(404, b"")

    def do_POST(self) -> None:
        """Take an order with the right header."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        right = self.path == "/orders" and body == b'{"n":1}' and self.headers.get("X-Shop") == "ours"
        self._say(201 if right else 400, b"taken" if right else b"no")

    def _say(self, status: int, said: bytes) -> None:
        time.sleep(_WAIT_S)
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """With room for many who connect at once."""

    request_queue_size = 128


server = Server(("127.0.0.1", int(sys.argv[1])), Orders)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
