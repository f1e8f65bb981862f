"""The server's half of the adapter that keeps the contract: the service, as slow as asked, and TCP before it."""

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ.get("CALLBENCH_HOME", Path(__file__).resolve().parents[2])) / "src"))

from callbench.adapter.service import ServiceFault, digest_if_large, expected


class No(Exception):  # noqa: N818 - what the adapter answers
    """An answer of kind `error`."""

    def __init__(self, kind: str, message: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(message)
        self.kind = kind


class Service:
    """Answers calls, counts them, and is slow on request."""

    def __init__(self, options: dict[str, int]) -> None:
        """Take the options of `serve`."""
        self.options = options
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.next_stall = time.monotonic() + options.get("stall_every_us", 0) / 1e6
        self.known: dict[str, dict[str, Any]] = {}

    def answer(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Give `value` or `fault`."""
        self.wait()
        with self.lock:
            self.counts[call] += 1
        key = f"{call} {arguments}"
        if key not in self.known:
            self.known[key] = self.reckon(call, arguments)
        return self.known[key]

    def reckon(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Work an answer out for the first time."""
        try:
            return {"value": digest_if_large(expected(call, arguments))}
        except ServiceFault as fault:
            return {"fault": {"message": str(fault)}}

    def wait(self) -> None:
        """Be as slow as asked."""
        if self.options.get("delay_us"):
            time.sleep(self.options["delay_us"] / 1e6)
        if self.options.get("stall_us"):
            with self.lock:
                due = time.monotonic() >= self.next_stall
                if due:
                    self.next_stall = (
                        time.monotonic() + (self.options["stall_us"] + self.options["stall_every_us"]) / 1e6
                    )
            if due:
                time.sleep(self.options["stall_us"] / 1e6)
        burn(self.options.get("burn_us", 0) * 1000)

    def counted(self) -> dict[str, int]:
        """Give what was answered since last asked."""
        with self.lock:
            counts, self.counts = self.counts, Counter()
        return dict(counts)


def burn(ns: float) -> None:
    """Keep the processor busy."""
    end = time.monotonic_ns() + ns
    while ns and time.monotonic_ns() < end:
        pass


class TcpServer:
    """A thread a connection."""

    def __init__(self, service: Service, host: str) -> None:
        """Listen on a free port."""
        self.service = service
        self.listener = socket.create_server((host, 0))
        self.connections: set[socket.socket] = set()
        self.endpoint = "{}:{}".format(*self.listener.getsockname())
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Take connections until the listener is closed."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections.add(connection)
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        """Answer the requests of one connection until it ends."""
        with contextlib.suppress(OSError, ValueError), connection, connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                answer = self.service.answer(request["call"], request["arguments"])
                connection.sendall(json.dumps(answer).encode() + b"\n")
        self.connections.discard(connection)

    def close(self) -> None:
        """End the listener and every connection."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.close_connections()

    def close_connections(self) -> None:
        """End every connection."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
