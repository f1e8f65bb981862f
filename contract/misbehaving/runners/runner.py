"""A small runner that keeps the runner protocol of contract/RUNNER.md, over one line of JSON a call and TCP.

The ones beside it break it in one way each. It shows the protocol; its loop is the stand-in's and no example to copy.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from answers import GENERATED, Answers, answered, held, right
from driving import Client, TcpClient, cpu
from driving import Drive as Loop
from serving import No, Service, TcpServer


class Runner:
    """Speaks the runner protocol. Each request is a method `on_...`; those that misbehave override one."""

    version = 1
    features = ("closed", "think", "open", "burn")
    stacks = ("tcp",)

    def __init__(self) -> None:
        """Keep the real standard output, and point descriptor 1 at stderr."""
        self.out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self.requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers = Answers(self.say)
        self.server: TcpServer | None = None
        self.clients: list[Client] = []
        self.payloads: list[tuple[bytes, Any]] = []
        self.operation = ""

    def say(self, message: dict[str, Any]) -> None:
        """Write one line."""
        self.out.write(json.dumps(message).encode() + b"\n")

    def ready(self) -> None:
        """Say the first line."""
        self.say(
            {
                "is": "ready",
                "runner": self.version,
                "language": "python",
                "version": "1",
                "runtime": sys.version.split()[0],
                "libraries": {},
                "clock": {"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": 50.0},
                "features": list(self.features),
                "stacks": list(self.stacks),
                "unavailable": {},
            }
        )

    def run(self) -> None:
        """Answer until told to stop."""
        signal.signal(signal.SIGTERM, lambda *_: self.leave())
        threading.Thread(target=self.work, daemon=True).start()
        self.ready()
        for line in sys.stdin.buffer:
            # What the server asked for is answered at any time; everything else in turn.
            if not self.answers.takes(line):
                self.requests.put(line)
        self.leave()

    def leave(self) -> None:
        """End, with every thread."""
        os._exit(0)

    def work(self) -> None:
        """Answer one request after the other."""
        while line := self.requests.get():
            request = json.loads(line)
            try:
                said = getattr(self, "on_" + request["do"].replace("-", "_"))(request)
            except No as no:
                said = {"is": "error", "kind": no.kind, "message": str(no)}
            self.reply(said | {"id": request["id"]})
            if said["is"] == "stopped":
                self.leave()

    def reply(self, said: dict[str, Any]) -> None:
        """Write an answer."""
        self.say(said)

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve."""
        self.service = Served(request["delays"], self.answers)
        self.server = TcpServer(self.service, request["host"])
        return {"is": "serving", "endpoint": self.server.endpoint}

    def on_stop_serving(self, _: dict[str, Any]) -> dict[str, Any]:
        """End serving."""
        if self.server:
            self.server.close()
        self.server = None
        return {"is": "stopped-serving"}

    def on_counted(self, _: dict[str, Any]) -> dict[str, Any]:
        """Say what was answered."""
        return {"is": "counts", "calls": self.service.counted(), "processor": cpu()}

    def on_connect(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make clients."""
        self.on_disconnect(request)
        for _ in range(request["clients"]):
            self.clients.append(TcpClient(request["endpoint"], request["timeout_ms"] / 1000))
        return {"is": "connected", "connections": len(self.clients)}

    def on_disconnect(self, _: dict[str, Any]) -> dict[str, Any]:
        """Take the clients away."""
        for client in self.clients:
            client.close()
        self.clients = []
        return {"is": "disconnected"}

    def on_prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make requests and right answers ready."""
        self.operation = request["call"]
        self.payloads = [
            (line_of(self.operation, payload["arguments"]), held(self.operation, payload.get("answer")))
            for payload in request["payloads"]
        ]
        return {"is": "prepared"}

    def on_call(self, _: dict[str, Any]) -> dict[str, Any]:
        """Make one call."""
        return {"is": "returned", **self.clients[0].call(self.payloads[0][0])}

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive the clients."""
        drive = Drive(self, request)
        return drive.told(drive.run(lambda interval: self.say(interval | {"id": request["id"]})))

    def right(self, expected: Any, found: Any, turn: int) -> bool:  # noqa: ANN401 - JSON
        """Check the answer of a client's call number `turn`."""
        return right(expected, found, turn)

    def on_stop(self, _: dict[str, Any]) -> dict[str, Any]:
        """End."""
        return {"is": "stopped"}


class Served(Service):
    """Answers what it can, and asks for the rest once."""

    def __init__(self, delays: dict[str, Any], answers: Answers) -> None:
        """Take the delays of `serve`."""
        super().__init__(delays)
        self.answers = answers

    def answer(self, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Give `value` or `fault`."""
        self.wait()
        with self.lock:
            self.counts[call] += 1
        return self.answers.of(call, arguments) if call in GENERATED else {"value": answered(call, arguments)}


class Drive(Loop):
    """The stand-in's loop over what was prepared."""

    def __init__(self, runner: Runner, request: dict[str, Any]) -> None:
        """Take the request as the stand-in has it."""
        self.runner, self.began = runner, time.monotonic()
        super().__init__(
            runner.clients,
            {
                "call": runner.operation,
                "arguments": {},
                "clients": request["clients"],
                "calls": request["calls"],
                "seconds": request["length_ns"] / 1e9,
                "limit_seconds": request["limit_ns"] / 1e9,
                "timing": "each",
                "think_ns": request["think_ns"],
                "schedule": request["gaps"],
                "burn_ns": request["burn_ns"],
            },
        )

    def payload(self, turn: int) -> tuple[bytes, Any]:
        """Take the payloads in rotation."""
        return self.runner.payloads[turn % len(self.runner.payloads)]

    def wrong(self, answer: dict[str, Any], expected: Any, turn: int) -> str | None:  # noqa: ANN401 - JSON
        """Check an answer."""
        if "fault" in answer:
            return "fault"
        found = held(self.runner.operation, answer["value"])
        return None if self.runner.right(expected, found, turn) else "wrong-answer"

    def told(self, done: dict[str, Any]) -> dict[str, Any]:
        """Give `done` as the runner protocol has it: the host works the window out."""
        for name in ("window_ns", "answered", "in_flight", "in_flight_part", "timed"):
            del done[name]
        late = {
            name: {"after": it.after, "flying": it.flying, "part": it.part}
            for name, it in (("time", self.within), ("limit", self.limited))
        }
        empty = {"count": 0, "sum_ns": "0", "min_ns": 0, "max_ns": 0, "buckets": []}
        done["latency"] = done["latency"] or empty
        if self.arrivals:
            done |= {name: done[name] or empty for name in ("service", "lateness")}
        gave_up = sum(self.errors.values()) >= 100 * len(self.clients)
        return done | {"late": {"due_later": self.due_later, **late}, "error_messages": {}, "gave_up": gave_up}


def line_of(operation: str, arguments: dict[str, Any]) -> bytes:
    """Encode a request."""
    return json.dumps({"call": operation, "arguments": arguments}).encode() + b"\n"


if __name__ == "__main__":
    Runner().run()
