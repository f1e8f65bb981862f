"""Servers whose answers are arithmetic: `server.py PORT KIND [SLOWER]`, SLOWER times as slow (default 1).

The kinds: `pool` of 4 workers of 5 ms (800 calls/s); `lock` of 10 ms (100/s); `bucket` of 100 tokens/s, which waits;
`connections`, of which it serves 16 with calls of 10 ms; `bimodal`, 2 ms, and 20 ms for one call of ten; `stall`, 2 ms,
and stands still 100 ms of each second; `refuse`, 2 ms, and 429 above 100/s; `errors`, 2 ms, and status 500 for one call
of fifty; `leak`, 2 ms, and keeps 100 KB of each call. Times are kept by a schedule: a late timer takes nothing of the
next call's time.
"""

import heapq
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PLACES = {"pool": (4, 0.005), "lock": (1, 0.010), "bucket": (1, 0.010)}
CONNECTIONS, ALLOWED_PER_S, BURST = 16, 100, 10
STALL_S, FAILING, LONG, KEPT_BYTES = 0.1, 0.02, 0.1, 100_000


class Truth:
    """What a server does with a call, and what it remembers."""

    def __init__(self, kind: str, slower: float) -> None:
        """Begin without calls."""
        self.kind, self.slower = kind, slower
        places, self.seconds = PLACES.get(kind, (0, 0.010 if kind == "connections" else 0.002))
        self.seconds *= slower
        self.free = [0.0] * places
        self.allowed_from = 0.0
        self.open = 0
        self.kept: list[bytes] = []
        self.lock = threading.Lock()

    def end_s(self) -> float:
        """When the call that begins now ends."""
        now = time.monotonic()
        if self.free:
            with self.lock:
                end = max(now, heapq.heappop(self.free)) + self.seconds
                heapq.heappush(self.free, end)
            return end
        if self.kind == "stall":
            now = max(now, now // 1 + STALL_S * self.slower)
        if self.kind == "bimodal" and random.random() < LONG:  # noqa: S311 - a share, no secret
            return now + 10 * self.seconds
        return now + self.seconds

    def status(self) -> int:
        """The status of a call that ends now."""
        if self.kind == "errors" and random.random() < FAILING:  # noqa: S311 - a share, no secret
            return 500
        if self.kind == "refuse":
            with self.lock:
                now, each = time.monotonic(), self.slower / ALLOWED_PER_S
                due = max(self.allowed_from, now - BURST * each)
                if due > now:
                    return 429
                self.allowed_from = due + each
        if self.kind == "leak":
            self.kept.append(b"x" * round(KEPT_BYTES * self.slower))
        return 200


def main() -> None:
    """Serve until ended."""
    truth = Truth(sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 1.0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def handle(self) -> None:
            with truth.lock:
                truth.open += 1
                full = truth.kind == "connections" and truth.open > CONNECTIONS
            try:
                if not full:
                    super().handle()
            except ConnectionError:
                pass
            finally:
                with truth.lock:
                    truth.open -= 1

        def do_GET(self) -> None:
            time.sleep(max(0.0, truth.end_s() - time.monotonic()))
            self.send_response(truth.status())
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            """Write no log: it would take the processor."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 512

    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
