"""A small adapter that keeps the contract.

The ones beside it break it in one way each; the core's tests use it as their fast stand-in. It has two stacks:
`inproc`, a function call, and `tcp`, a line of JSON a call over one connection a client, a thread a connection. What
the service answers comes from the core's own reference: it shows nothing about a language and is no example to copy.
"""

import contextlib
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ.get("CALLBENCH_HOME", Path(__file__).resolve().parents[2])) / "src"))

from callbench.service import ServiceFault, digest_if_large, expected

KNOWN_OPTIONS = {"delay_us", "stall_us", "stall_every_us", "burn_us"}
ERRORS_IN_A_ROW = 100


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
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class TcpClient:
    """One connection, made again after a time-out."""

    connections = 1

    def __init__(self, endpoint: str, timeout_s: float) -> None:
        """Connect."""
        host, _, port = endpoint.rpartition(":")
        self.where, self.timeout_s = (host, int(port)), timeout_s
        self.socket: socket.socket | None = None
        self.open()

    def open(self) -> socket.socket:
        """Connect, if not connected."""
        if self.socket is None:
            try:
                self.socket = socket.create_connection(self.where, self.timeout_s)
            except OSError as failure:
                raise No("refused", f"cannot connect to {self.where[0]}:{self.where[1]}: {failure}") from failure
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.lines = self.socket.makefile("rb")
        return self.socket

    def call(self, request: bytes) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        try:
            self.open().sendall(request)
            line = self.lines.readline()
        except TimeoutError as failure:
            self.close()
            raise No("timeout", f"no answer within {self.timeout_s} s") from failure
        except OSError as failure:
            self.close()
            raise No("closed", str(failure)) from failure
        if not line:
            self.close()
            raise No("closed", "the server closed the connection")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Disconnect."""
        if self.socket is not None:
            self.lines.close()
            self.socket.close()
            self.socket = None


class InprocClient:
    """A function call."""

    connections = 0

    def __init__(self, service: Service) -> None:
        """Call `service`."""
        self.service = service

    def call(self, request: bytes) -> dict[str, Any]:
        """Call, message encoded and decoded all the same."""
        asked = json.loads(request)
        answer: dict[str, Any] = json.loads(json.dumps(self.service.answer(asked["call"], asked["arguments"])))
        return answer

    def close(self) -> None:
        """Nothing is open."""


Client = TcpClient | InprocClient


class Histogram:
    """The contract's buckets."""

    def __init__(self) -> None:
        """Begin empty."""
        self.buckets: Counter[int] = Counter()
        self.sum = self.max = 0
        self.min = 1 << 62

    def add(self, ns: int) -> None:
        """Count one time."""
        top = ns.bit_length() - 1
        self.buckets[ns if ns < 128 else 128 * (top - 6) + (ns >> (top - 7)) - 128] += 1
        self.sum, self.min, self.max = self.sum + ns, min(self.min, ns), max(self.max, ns)

    def shown(self) -> dict[str, Any] | None:
        """Give the contract's form; none where nothing was timed."""
        if not self.buckets:
            return None
        return {
            "count": self.buckets.total(),
            "sum_ns": str(self.sum),
            "min_ns": self.min,
            "max_ns": self.max,
            "buckets": sorted(self.buckets.items()),
        }


def cpu() -> dict[str, str]:
    """Give the processor time of this process so far."""
    times = os.times()
    return {"user_ns": str(int(times.user * 1e9)), "system_ns": str(int(times.system * 1e9))}


class Arrivals:
    """The gaps of a schedule file, replayed in a circle: one queue for all clients."""

    def __init__(self, path: str) -> None:
        """Read a file of little-endian 64-bit gaps in ns."""
        try:
            raw = Path(path).read_bytes()
        except OSError as failure:
            raise No("bad-request", f"the schedule {path} cannot be read: {failure.strerror}") from failure
        if not raw or len(raw) % 8:
            raise No("bad-request", f"the schedule {path} has {len(raw)} bytes: it must be gaps of 8 bytes")
        self.gaps = struct.unpack(f"<{len(raw) // 8}Q", raw)
        self.taken = self.due_ns = 0

    def take(self, calls: int, length_ns: float) -> int | None:
        """Give when the next one is due in ns since the start; none comes after `calls` of them and the length."""
        due = self.due_ns + self.gaps[self.taken % len(self.gaps)]
        if self.taken >= calls and due >= length_ns:
            return None
        self.taken, self.due_ns = self.taken + 1, due
        return due


class Drive:
    """Clients in a closed loop, or an open one where there is a schedule, each in a thread."""

    def __init__(self, clients: list["Client"], asked: dict[str, Any]) -> None:
        """Take the request."""
        self.asked = asked
        self.clients = clients[: asked.get("clients", len(clients))]
        self.request = line_of(asked["call"], asked["arguments"])
        self.lock = threading.Lock()
        self.calls = 0
        self.errors: Counter[str] = Counter()
        self.latency, self.service, self.lateness = Histogram(), Histogram(), Histogram()
        self.think_ns = asked["think_ns"]
        self.in_call = self.thought = self.gap = 0
        self.left: list[int] = []
        self.arrivals = Arrivals(asked["schedule"]) if asked["schedule"] else None
        if self.arrivals and self.think_ns:
            raise No("bad-request", "schedule and think_ns exclude each other: an open loop does not think")
        self.first: dict[str, Any] | None = None

    def run(self, say: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Drive, saying intervals, and give `done`."""
        start_cpu, self.start = cpu(), time.monotonic_ns()
        threads = [threading.Thread(target=self.loop, args=(client,), daemon=True) for client in self.clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                if thread.is_alive():
                    say(self.interval())
        end = max(self.left)
        return {
            "is": "done",
            "calls": self.calls,
            "errors": dict(self.errors),
            "elapsed_ns": max(1, end - self.start),
            "timed": "batch" if self.asked["timing"] == "batch" else "each",
            "batch": 1,
            "latency": None if self.asked["timing"] == "batch" else self.latency.shown(),
            "service": self.service.shown() if self.arrivals else None,
            "lateness": self.lateness.shown() if self.arrivals else None,
            "in_call_ns": str(self.in_call),
            "think_ns": str(self.thought),
            "gap_ns": None if self.arrivals else str(self.gap + sum(end - left for left in self.left)),
            "processor": {"start": start_cpu, "end": cpu()},
            "threads": len(threads),
        }

    def interval(self) -> dict[str, Any]:
        """Give the counts so far."""
        at = time.monotonic_ns() - self.start
        return {"is": "interval", "at_ns": at, "calls": self.calls, "errors": self.errors.total()}

    def loop(self, client: "Client") -> None:
        """Call until enough is done, or nothing works any more."""
        in_a_row = 0
        idle = self.start
        while in_a_row < ERRORS_IN_A_ROW:
            intended = self.next()
            if intended is None:
                break
            began = time.monotonic_ns()
            try:
                answer = client.call(self.request)
                kind = self.wrong(answer)
            except No as no:
                kind = no.kind
            burn(self.asked.get("burn_ns", 0))
            ended = time.monotonic_ns()
            in_a_row = in_a_row + 1 if kind else 0
            with self.lock:
                self.in_call, self.gap = self.in_call + ended - began, self.gap + began - idle
                if kind:
                    self.errors[kind] += 1
                else:
                    self.calls += 1
                    self.latency.add(ended - (intended or began))
                    self.service.add(ended - began)
                    self.lateness.add(began - max(intended, idle))
            # What follows is the loop's own, until the next call begins.
            idle = self.think(ended) if self.think_ns else ended
        self.left.append(idle)

    def next(self) -> int | None:
        """Wait for the next arrival and give when it was due, 0 in a closed loop; none where there is no more."""
        if self.arrivals is None:
            return 0 if self.goes_on() else None
        with self.lock:
            due = self.arrivals.take(self.asked["calls"], self.asked["seconds"] * 1e9)
        limit_ns = self.asked["limit_seconds"] * 1e9
        if due is None or max(due, time.monotonic_ns() - self.start) >= limit_ns:
            return None
        while (left := self.start + due - time.monotonic_ns()) > 0:
            time.sleep(left / 1e9)
        return self.start + due

    def think(self, since: int) -> int:
        """Wait as long as a client thinks; give when it was over."""
        while (left := since + self.think_ns - time.monotonic_ns()) > 0:
            time.sleep(left / 1e9)
        over = time.monotonic_ns()
        with self.lock:
            self.thought += over - since
        return over

    def goes_on(self) -> bool:
        """Whether there is more to do."""
        passed = (time.monotonic_ns() - self.start) / 1e9
        if passed >= self.asked["limit_seconds"]:
            return False
        return self.calls + self.errors.total() < self.asked["calls"] or passed < self.asked["seconds"]

    def wrong(self, answer: dict[str, Any]) -> str | None:
        """Check an answer against the first one, which the core has verified."""
        if "fault" in answer:
            return "fault"
        self.first = self.first or answer
        return None if answer == self.first else "wrong-answer"


def line_of(call: str, arguments: dict[str, Any]) -> bytes:
    """Encode a request."""
    return json.dumps({"call": call, "arguments": arguments}).encode() + b"\n"


class Adapter:
    """Speaks the contract. Each request is a method `on_...`; those that misbehave override one."""

    name = "honest"
    contract = 1
    features = ("closed", "think", "open", "burn", "codec")

    def __init__(self) -> None:
        """Keep the real standard output, and point descriptor 1 at stderr."""
        self.out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self.service: Service | None = None
        self.server: TcpServer | None = None
        self.clients: list[Client] = []

    def stacks(self) -> list[str]:
        """Name the stacks."""
        return [f"{self.name}/inproc", f"{self.name}/tcp"]

    def say(self, message: dict[str, Any]) -> None:
        """Write one line."""
        self.out.write(json.dumps(message).encode() + b"\n")

    def hello(self) -> None:
        """Say the first line."""
        self.say(
            {
                "is": "hello",
                "contract": self.contract,
                "adapter": self.name,
                "language": "python",
                "version": "1",
                "runtime": sys.version.split()[0],
                "libraries": {},
                "clock": {"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": 50.0},
                "features": list(self.features),
                "stacks": self.stacks(),
            }
        )

    def run(self) -> None:
        """Answer until told to stop."""
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        self.hello()
        for line in sys.stdin.buffer:
            if self.obey(line) == "stopped":
                break
        os._exit(0)

    def obey(self, line: bytes) -> str:
        """Answer one request; give what was answered."""
        request: dict[str, Any] = {}
        try:
            request = json.loads(line)
            answer = self.answer(request)
        except No as no:
            answer = {"is": "error", "kind": no.kind, "message": str(no)}
        except (KeyError, TypeError, ValueError) as failure:
            answer = {"is": "error", "kind": "bad-request", "message": f"a member is missing or wrong: {failure!r}"}
        self.reply(answer | {"id": request.get("id", 1)})
        return str(answer["is"])

    def reply(self, answer: dict[str, Any]) -> None:
        """Write an answer."""
        self.say(answer)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Find the method of a request."""
        method = getattr(self, "on_" + str(request["do"]).replace("-", "_"), None)
        if method is None:
            raise No("bad-request", f"there is no request {request['do']!r}")
        answer: dict[str, Any] = method(request)
        return answer

    def on_serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve a stack."""
        self.known(request["stack"])
        unknown = set(request["options"]) - KNOWN_OPTIONS
        if unknown:
            raise No("bad-request", f"there is no option {min(unknown)}: {', '.join(sorted(KNOWN_OPTIONS))} are")
        if self.service:
            raise No("bad-request", "one stack is served already: stop-serving ends that")
        self.service = Service(request["options"])
        if request["stack"].endswith("/inproc"):
            return {"is": "serving", "endpoint": "here"}
        self.server = TcpServer(self.service, request["host"])
        return {"is": "serving", "endpoint": self.server.endpoint}

    def known(self, stack: str) -> None:
        """Refuse a stack that is not ours."""
        if stack not in self.stacks():
            raise No("bad-request", f"stack {stack} is not one of mine: {', '.join(self.stacks())} are")

    def on_stop_serving(self, _: dict[str, Any]) -> dict[str, Any]:
        """End serving."""
        if self.server:
            self.server.close()
        self.server = self.service = None
        return {"is": "stopped-serving"}

    def on_connect(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make clients."""
        self.known(request["stack"])
        if request["clients"] < 1:
            raise No("bad-request", f"clients is {request['clients']}: it must be at least 1")
        self.on_disconnect(request)
        for _ in range(request["clients"]):
            self.clients.append(self.client(request))
        return {"is": "connected", "connections": sum(client.connections for client in self.clients)}

    def client(self, request: dict[str, Any]) -> "Client":
        """Make one client."""
        if not request["stack"].endswith("/inproc"):
            return TcpClient(request["endpoint"], request["timeout_ms"] / 1000)
        if not self.service:
            raise No("refused", "nothing is served here")
        return InprocClient(self.service)

    def on_disconnect(self, _: dict[str, Any]) -> dict[str, Any]:
        """Take the clients away."""
        for client in self.clients:
            client.close()
        self.clients = []
        return {"is": "disconnected"}

    def on_call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make one call."""
        if not self.clients:
            raise No("bad-request", "no client is connected: connect comes first")
        checked(request)
        return {"is": "returned", **self.clients[0].call(line_of(request["call"], request["arguments"]))}

    def on_drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Drive the clients."""
        if not self.clients:
            raise No("bad-request", "no client is connected: connect comes first")
        checked(request)
        return Drive(self.clients, request).run(lambda interval: self.say(interval | {"id": request["id"]}))

    def on_counted(self, _: dict[str, Any]) -> dict[str, Any]:
        """Say what was answered."""
        return {"is": "counts", "calls": self.service.counted() if self.service else {}, "processor": cpu()}

    def on_codec(self, request: dict[str, Any]) -> dict[str, Any]:
        """Time the message alone; a stand-in has one payload, not 64."""
        self.known(request["stack"])
        call, arguments = request["call"], request["arguments"]
        asked = line_of(call, arguments)
        given = json.dumps(Service({}).reckon(call, arguments)).encode()
        return {
            "is": "codec",
            "payloads": 64,
            "request": {"bytes": len(asked), **timed(asked, request["seconds"])},
            "answer": {"bytes": len(given), **timed(given, request["seconds"])},
        }

    def on_stop(self, _: dict[str, Any]) -> dict[str, Any]:
        """End."""
        return {"is": "stopped"}


NEEDS = {
    "Empty": (),
    "Send": ("type",),
    "Sum": ("a", "b"),
    "GetPersons": ("n",),
    "GetBinaryData": ("size", "fill"),
    "EchoStructure": ("n",),
    "EchoString": (),
    "Hello": (),
    "FindItems": ("n",),
}


def checked(request: dict[str, Any]) -> None:
    """Refuse a call that the service does not have, or without its arguments."""
    call, arguments = request["call"], request["arguments"]
    if call not in NEEDS:
        raise No("bad-request", f"there is no call {call!r}")
    for name in NEEDS[call]:
        if name not in arguments:
            raise No("bad-request", f"{call} needs {name}")


def timed(text: bytes, seconds: float) -> dict[str, float]:
    """Time encoding and decoding of a JSON text."""
    value = json.loads(text)
    times = {}
    for name, work in (("encode_ns", lambda: json.dumps(value)), ("decode_ns", lambda: json.loads(text))):
        began, turns = time.perf_counter_ns(), 0
        while turns == 0 or time.perf_counter_ns() - began < seconds * 1e9:
            work()
            turns += 1
        times[name] = (time.perf_counter_ns() - began) / turns
    return times


if __name__ == "__main__":
    Adapter().run()
