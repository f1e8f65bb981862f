"""A small adapter that keeps the contract.

The ones beside it break it in one way each; the core's tests use it as their fast stand-in. It has two stacks:
`inproc`, a function call, and `tcp`, a line of JSON a call over one connection a client, a thread a connection. What
the service answers comes from the core's own reference: it shows nothing about a language and is no example to copy.
"""

import json
import os
import signal
import sys
import time
from typing import Any

from driving import Client, Drive, InprocClient, TcpClient, cpu, line_of
from serving import No, Service, TcpServer

KNOWN_OPTIONS = {"delay_us", "stall_us", "stall_every_us", "burn_us"}


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
        signal.signal(signal.SIGUSR1, self.close_idle)
        self.hello()
        for line in sys.stdin.buffer:
            if self.obey(line) == "stopped":
                break
        os._exit(0)

    def close_idle(self, *_: object) -> None:
        """Close what a server closes that nobody used for long, without the wait."""
        if self.server:
            self.server.close_connections()

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
        self.service = self.service_for(request)
        if request["stack"].endswith("/inproc"):
            return {"is": "serving", "endpoint": "here"}
        self.server = TcpServer(self.service, request["host"])
        return {"is": "serving", "endpoint": self.server.endpoint}

    def service_for(self, request: dict[str, Any]) -> Service:
        """Make what answers the calls."""
        return Service(request["options"])

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
