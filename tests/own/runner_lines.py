"""A host for the runner of a language: the lines of contract/RUNNER.md, and answers from the pairs of a service."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Self

from callbench.model.service.imported import Imported, Json, Pair

_NO_DELAYS = {"delay_us": 0, "stall_us": 0, "stall_every_us": 0, "burn_us": 0}
_DRIVE = {"length_ns": 0, "limit_ns": 60_000_000_000, "timing": "auto", "think_ns": 0, "ramp_up_ns": 0, "gaps": None}


class Refused(Exception):  # noqa: N818 - what a runner answers
    """The runner answered with an error; its kind is the first argument."""


class Runner:
    """One runner, which serves and calls itself."""

    def __init__(self, command: Sequence[str], service: Imported) -> None:
        """Start it."""
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._service, self._requests = service, 0
        self.asked: list[Mapping[str, Any]] = []
        """The questions of the server, in order."""
        self.stacks: list[str] = self._heard("ready")["stacks"]

    def __enter__(self) -> Self:
        """The runner itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and wait."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def serve_and_connect(self, stack: str, client: str | None = None, clients: int = 2) -> str:
        """Serve a stack, and connect clients of it, or of another one, to it. Returns the endpoint."""
        endpoint = self.serve(stack)
        self.connect(client or stack, endpoint, clients)
        return endpoint

    def serve(self, stack: str) -> str:
        """Serve a stack. Returns the endpoint."""
        serve = {"stack": stack, "host": "127.0.0.1", "port": 0, "delays": _NO_DELAYS, "options": {}}
        return str(self.does("serve", "serving", **serve)["endpoint"])

    def stop_serving(self) -> None:
        """Take the clients and the server away, so that another stack can be served."""
        self.does("disconnect", "disconnected")
        self.does("stop-serving", "stopped-serving")

    def connect(self, stack: str, endpoint: str, clients: int = 2) -> None:
        """Connect clients."""
        connect = {"stack": stack, "endpoint": endpoint, "clients": clients, "timeout_ms": 30_000}
        assert self.does("connect", "connected", **connect, options={})["connections"] == clients

    def prepare(self, call: str, *pairs: Pair) -> None:
        """Prepare a call with the requests of the pairs, whose answers are the right ones."""
        payloads = [{"arguments": {"request": pair.request}, "answer": pair.answer} for pair in pairs]
        self.does("prepare", "prepared", call=call, payloads=payloads)

    def call(self) -> Json:
        """What the first prepared request is answered."""
        value: Json = self.does("call", "returned")["value"]
        return value

    def drive(self, calls: int = 20) -> tuple[int, dict[str, int]]:
        """Drive two clients: right answers, and errors by kind."""
        done = self.does("drive", "done", clients=2, calls=calls, start_at_ns=0, burn_ns=0, **_DRIVE)
        return done["calls"], done["errors"]

    def does(self, what: str, answer: str, **members: object) -> dict[str, Any]:
        """Make a request of the protocol. Returns its answer.

        Raises:
            Refused: it is an error.
        """
        self._requests += 1
        self._tell({"do": what, "id": self._requests, **members})
        return self._heard(answer)

    def _tell(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _heard(self, what: str) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said: dict[str, Any] = json.loads(line)
            if said["is"] == "ask":
                self.asked.append(said)
                self._tell({"do": "answer", "ask": said["ask"], **self._answer(said["call"], said["arguments"])})
            elif said["is"] == "error":
                raise Refused(said["kind"], said["message"])
            elif said["is"] != "interval":
                assert said["is"] == what
                return said
        raise AssertionError("the runner has ended")

    def _answer(self, call: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        found = [pair.answer for pair in self._service.payloads[call] if pair.request == arguments["request"]]
        return {"value": found[0]} if found else {"fault": f"there is no pair of {call} with this request"}
