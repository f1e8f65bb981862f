"""The runner protocol of contract/RUNNER.md: requests of the host on stdin, answers on what was stdout."""

import asyncio
import json
import os
import platform
import queue
import threading
import traceback
from array import array
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO

from callbench_python import stacks, trace
from callbench_python.clock import Clock, LoopClock, reading_ns
from callbench_python.driving import driven, on_event_loop
from callbench_python.loop import Drive, LoopTask, Payload, Pool
from callbench_python.service import Service
from callbench_python.stacks.failures import Refusal, kind_of
from callbench_python.values import Values

_PLANNED = ("clients", "calls", "length_ns", "limit_ns", "timing", "think_ns", "ramp_up_ns", "burn_ns")


class Runner:
    """One conversation with the host."""

    def __init__(self, out: int) -> None:
        """Say that it is ready; `out` is the descriptor that answers go to."""
        self._out, self._writing = out, threading.Lock()
        self._asked: dict[int, Future[Mapping[str, Any]]] = {}
        self._requests: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._server: stacks.Server | None = None
        self._pool: Pool | None = None
        self._operation, self._payloads, self._values = "", list[Payload](), Values()
        self._reading_ns = reading_ns()
        self._say(
            {
                "is": "ready",
                "runner": 1,
                "language": "python",
                "version": "0.1.0",
                "runtime": f"{platform.python_implementation()} {platform.python_version()}",
                "libraries": stacks.libraries(),
                "clock": {"name": "CLOCK_MONOTONIC", "resolution_ns": 1, "reading_ns": self._reading_ns},
                "features": ["closed", "think", "ramp-up", "open", "burn", "trace"],
                "stacks": stacks.names(),
                "unavailable": {},
            }
        )

    def hold(self, lines: BinaryIO) -> None:
        """Answer requests until `stop`, or until the host has gone."""
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        request: Mapping[str, Any] = {}
        while request.get("do") != "stop":
            request = self._requests.get()
            try:
                said = self._act(request)
            except (Refusal, OSError) as failure:
                kind, sentence = kind_of(failure)
                said = {"is": "error", "kind": kind, "message": sentence}
            except Exception as failure:  # noqa: BLE001 - the kit's own
                traceback.print_exc()
                said = {"is": "error", "kind": "internal", "message": f"{type(failure).__name__}: {failure}"}
            self._say({**said, "id": request["id"]})

    def _listen(self, lines: BinaryIO) -> None:
        """Read lines while the main thread may be busy. Answers of the host are handled at any time."""
        code = 1
        try:
            for line in lines:
                message = json.loads(line)
                if message["do"] == "answer":
                    self._asked.pop(message["ask"]).set_result(message)
                else:
                    self._requests.put(message)
            code = 0
        except Exception:  # noqa: BLE001 - a host that does not keep the protocol
            traceback.print_exc()
        # In the middle of whatever is under way; workers of a server end with their own input.
        os._exit(code)

    def _act(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "serve" | "counted" | "stop-serving":
                return self._as_server(request)
            case "trace":
                return {"is": "traced", **trace.traced(**request["trace"])}
            case "stop":
                if self._server is not None:
                    self._server.close()
                self._disconnect()
                return {"is": "stopped"}
        return self._as_client(request)

    def _as_server(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request["do"] == "serve":
            self._server = stacks.server(request["stack"])(request, Service(self._ask, request["delays"]))
            return {"is": "serving", "endpoint": self._server.endpoint}
        if self._server is None:
            raise Refusal("bad-request", "nothing is served: say serve first")
        if request["do"] == "counted":
            return {"is": "counts", **self._server.counted()}
        self._server.close()
        self._server = None
        return {"is": "stopped-serving"}

    def _as_client(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "connect":
                return {"is": "connected", "connections": self._connect(request)}
            case "disconnect":
                self._disconnect()
                return {"is": "disconnected"}
            case "prepare":
                self._operation = request["call"]
                self._payloads = [self._payload(each) for each in request["payloads"]]
                return {"is": "prepared"}
            case "call" if self._pool is not None:
                return {"is": "returned", **self._called(self._pool)}
            case "drive" if self._pool is not None:
                return {"is": "done", **self._drive(request, self._pool)}
        raise Refusal("bad-request", f"to {request['do']} is not known, or there is no client")

    def _ask(self, call: str, arguments: Mapping[str, Any]) -> Future[Mapping[str, Any]]:
        """Ask the host for an answer of the service."""
        asked: Future[Mapping[str, Any]] = Future()
        self._asked[id(asked)] = asked
        self._say({"is": "ask", "ask": id(asked), "call": call, "arguments": arguments})
        return asked

    def _connect(self, request: Mapping[str, Any]) -> int:
        self._disconnect()
        client = stacks.client(request["stack"])
        self._values = getattr(client, "VALUES", Values())
        try:
            pool = client.connect(request["endpoint"], request["clients"], request["timeout_ms"] / 1000)
            self._pool = on_event_loop(pool) if asyncio.iscoroutine(pool) else pool
        except Exception as failure:
            raise Refusal(*client.kind_of(failure)) from failure
        return self._pool.connections

    def _disconnect(self) -> None:
        pool, self._pool = self._pool, None
        closing = None if pool is None else pool.close()
        if closing is not None:
            on_event_loop(closing)

    def _payload(self, plain: Mapping[str, Any]) -> Payload:
        # If the service refuses the call, no answer is correct.
        right = object() if "fault" in plain else self._values.answer(self._operation, plain["answer"])
        arguments = self._values.arguments(self._operation, plain["arguments"])
        return arguments, right, self._values.look(self._operation, right)

    def _called(self, pool: Pool) -> dict[str, Any]:
        try:
            answer = pool.caller(0, self._operation)(self._payloads[0][0])
            return {"value": self._values.plain(self._operation, on_event_loop(answer) if pool.awaits else answer)}
        except Exception as failure:
            kind, sentence = pool.kind_of(failure)
            if kind != "fault":
                raise Refusal(kind, sentence) from failure
            return {"fault": {"message": sentence}}

    def _drive(self, request: Mapping[str, Any], pool: Pool) -> dict[str, Any]:
        drive = Drive(
            **{name: request[name] for name in _PLANNED},
            gaps=None if request["gaps"] is None else array("Q", Path(request["gaps"]).read_bytes()),
            reading_ns=self._reading_ns,
            spin_ns=(LoopClock if pool.awaits else Clock).spin_ns,
        )
        tasks = [LoopTask(drive, place, pool, self._operation, self._payloads) for place in range(request["clients"])]

        def report(at: int, made: int, errors: int) -> None:
            calls = max(0, made - errors)
            self._say({"is": "interval", "id": request["id"], "at_ns": at, "calls": calls, "errors": errors})

        return driven(drive, tasks, request["start_at_ns"], report)

    def _say(self, message: Mapping[str, Any]) -> None:
        octets = json.dumps(message).encode() + b"\n"
        with self._writing:
            while octets:
                octets = octets[os.write(self._out, octets) :]
