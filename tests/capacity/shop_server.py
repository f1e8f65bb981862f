"""A shop that counts its requests: `shop_server.py PORT COUNTS`. Requests without a login are refused."""

import http.server
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path

COUNTS: Counter[str] = Counter()
LOCK = threading.Lock()


class Shop(http.server.BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        """Counts, and answers what the path says."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind, _, rest = self.path.strip("/").partition("/")
        cookie, text, status = "", "{}", 200
        if kind == "slow":
            time.sleep(0.05)
        if kind == "login":
            user = json.loads(body)["user"]
            cookie, text = f"sid=s-{user}; Path=/; HttpOnly", json.dumps({"token": f"t-{user}"})
        elif kind == "orders":
            kind = f"orders {json.loads(body)['item']}"
        elif kind == "cart":
            status = 200 if self.headers.get("Cookie") == f"sid=s-{rest.removeprefix('t-')}" else 403
        with LOCK:
            COUNTS[kind] += 1
            part = Path(sys.argv[2]).with_suffix(".part")
            part.write_text(json.dumps(COUNTS))
            part.replace(sys.argv[2])
        self.send_response(status)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = answer  # noqa: N815 - as http.server calls them

    def log_message(self, *_: object) -> None:
        """Says nothing."""


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
