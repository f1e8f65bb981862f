"""The client's half of the adapter that keeps the contract: clients, the loop that drives them, its histogram."""

import json
import os
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serving import No, Service, burn

ERRORS_IN_A_ROW = 100


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
        self.buckets[bucket_of(ns)] += 1
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


def bucket_of(ns: int) -> int:
    """Give the bucket of a time."""
    top = ns.bit_length() - 1
    return ns if ns < 128 else 128 * (top - 6) + (ns >> (top - 7)) - 128


def alike(count: int, ns: int) -> dict[str, Any]:
    """Give the histogram of calls that all took the same time."""
    buckets = [[bucket_of(ns), count]]
    return {"count": count, "sum_ns": str(count * ns), "min_ns": ns, "max_ns": ns, "buckets": buckets}


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


class Flight:
    """A moment that calls went beyond: how many were in flight then, and the parts of their time before it."""

    def __init__(self, end_ns: float) -> None:
        """Take the moment, since the start."""
        self.end_ns = end_ns
        self.after = self.flying = 0
        self.part = 0.0

    def take(self, began_ns: int, ended_ns: int, *, right: bool) -> None:
        """Take in a call."""
        if ended_ns > self.end_ns:
            self.after += right
            if began_ns < self.end_ns:
                self.flying += 1
                self.part += right * (self.end_ns - began_ns) / (ended_ns - began_ns)


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
        self.length_ns = min(asked["seconds"], asked["limit_seconds"]) * 1e9
        self.within, self.limited = Flight(self.length_ns), Flight(asked["limit_seconds"] * 1e9)
        self.due_later = False

    def run(self, say: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Drive, saying intervals, and give `done`."""
        start_cpu, self.start = cpu(), time.monotonic_ns()
        threads = [
            threading.Thread(target=self.loop, args=(client, place), daemon=True)
            for place, client in enumerate(self.clients)
        ]
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
            **self.window(max(1, end - self.start)),
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

    def window(self, elapsed_ns: int) -> dict[str, Any]:
        """Give what lay within the window: to the end of the time, or to the last end where calls were due after it."""
        bound = self.due_later or self.errors.total() >= ERRORS_IN_A_ROW * len(self.clients)
        ns = min(elapsed_ns, self.limited.end_ns) if bound else self.length_ns
        flight = self.limited if bound else self.within
        return {
            "window_ns": max(1, round(ns)),
            "answered": self.calls - flight.after,
            "in_flight": flight.flying,
            "in_flight_part": flight.part,
        }

    def interval(self) -> dict[str, Any]:
        """Give the counts so far."""
        at = time.monotonic_ns() - self.start
        return {"is": "interval", "at_ns": at, "calls": self.calls, "errors": self.errors.total()}

    def loop(self, client: "Client", place: int) -> None:
        """Call until enough is done, or nothing works any more."""
        in_a_row = turn = 0
        idle = self.start
        if self.think_ns:
            # In the middle of a thought when the drive began, each at another place of it.
            idle = self.think(idle, self.think_ns * (2 * place + 1) // (2 * len(self.clients)))
        while in_a_row < ERRORS_IN_A_ROW:
            intended = self.next()
            if intended is None:
                break
            began = time.monotonic_ns()
            request, right = self.payload(turn)
            try:
                answer = client.call(request)
                kind = self.wrong(answer, right, turn)
            except No as no:
                kind = no.kind
            burn(self.asked.get("burn_ns", 0))
            ended, turn = time.monotonic_ns(), turn + 1
            in_a_row = in_a_row + 1 if kind else 0
            with self.lock:
                self.in_call, self.gap = self.in_call + ended - began, self.gap + began - idle
                self.late(intended or idle, began, ended, right=not kind)
                if kind:
                    self.errors[kind] += 1
                else:
                    self.calls += 1
                    self.latency.add(ended - (intended or began))
                    self.service.add(ended - began)
                    self.lateness.add(began - max(intended, idle))
            # What follows is the loop's own, until the next call begins.
            idle = self.think(ended, self.think_ns) if self.think_ns else ended
        self.left.append(idle)

    def late(self, due: int, began: int, ended: int, *, right: bool) -> None:
        """Take in what of a call lay beyond the end."""
        since = [at - self.start for at in (due, began, ended)]
        if since[0] >= self.length_ns:
            self.due_later = True
        else:
            self.within.take(since[1], since[2], right=right)
        self.limited.take(since[1], since[2], right=right)

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

    def think(self, since: int, think_ns: int) -> int:
        """Wait as long as a client thinks; give when it was over."""
        while (left := since + think_ns - time.monotonic_ns()) > 0:
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

    def payload(self, turn: int) -> tuple[bytes, Any]:  # noqa: ARG002 - those that rotate take it
        """Give the request of a client's so manieth call, and what must come of it."""
        return self.request, None

    def wrong(self, answer: dict[str, Any], right: Any, turn: int) -> str | None:  # noqa: ANN401, ARG002 - as above
        """Check an answer against the first one, which the core has verified."""
        if "fault" in answer:
            return "fault"
        self.first = self.first or answer
        return None if answer == self.first else "wrong-answer"


def line_of(call: str, arguments: dict[str, Any]) -> bytes:
    """Encode a request."""
    return json.dumps({"call": call, "arguments": arguments}).encode() + b"\n"
