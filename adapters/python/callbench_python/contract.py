"""The server's half of contract/CONTRACT.md: requests on stdin, answers on descriptor 3, once stdout."""

import json
import os
import resource
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, BinaryIO

from callbench_python.refusal import Refusal, bad
from callbench_python.serving import Serving
from callbench_python.slowness import Slowness

OUT = 3
LONGEST_LINE = 16 << 20
STACK = "python/uvicorn"
LIBRARIES = ("uvicorn", "uvloop", "httptools")
_CLIENTS_ONLY = {"connect", "disconnect", "call", "drive", "codec", "heap", "serve-all", "channel"}
_HIGHEST_PORT = 65535


class Conversation:
    """One conversation with the core."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        """Say hello.

        Args:
            about: the members of `hello` that others know better.
        """
        self._serving: Serving | None = None
        self._last_id = 0
        libraries = {name: version(name) for name in LIBRARIES}
        self._say(
            {"is": "hello", "contract": 1, "adapter": "python", "language": "python", "libraries": libraries, **about}
            | {"features": ["burn"], "stacks": [STACK]}
        )

    def hold(self, requests: BinaryIO) -> None:
        """Answer until `stop` or the end of stdin."""
        while line := requests.readline(LONGEST_LINE + 1):
            whole = line.endswith(b"\n")
            while not whole and (rest := requests.readline(LONGEST_LINE)):
                whole = rest.endswith(b"\n")
                line = b""
            if whole and self._answered(line):
                break
        self.end()

    def end(self) -> None:
        """End what is served."""
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.close()

    def _answered(self, line: bytes) -> bool:
        """Answer one line, an empty one standing for one too long. Returns whether it was `stop`."""
        # Ids rise by one, so that a line without a readable id still has one.
        number, request = self._last_id + 1, {}
        try:
            request = _read(line)
            number = _id(request)
            said = self._act(request)
        except Refusal as no:
            said = {"is": "error", "kind": no.kind, "message": str(no)}
        except OSError as failure:
            said = {"is": "error", "kind": "internal", "message": f"it cannot be served: {failure}"}
        self._last_id = number
        self._say(said | {"id": number})
        return request.get("do") == "stop"

    def _act(self, request: Mapping[str, Any]) -> dict[str, Any]:
        what = request.get("do")
        match what:
            case "serve":
                self._serve(request)
                return {"is": "serving", "endpoint": self._served().endpoint}
            case "counted":
                counted = self._served().take_counted()
                return {"is": "counts", "calls": {"Hello": counted} if counted else {}, "processor": _processor()}
            case "stop-serving":
                self._served()
                self.end()
                return {"is": "stopped-serving"}
            case "stop":
                self.end()
                return {"is": "stopped"}
        if isinstance(what, str) and what in _CLIENTS_ONLY:
            raise Refusal("unsupported", f"it has servers only, so it cannot {what}: the load driver calls them")
        raise bad(f"the request to do {_shown(what)} is not known")

    def _serve(self, request: Mapping[str, Any]) -> None:
        stack, host, port = (request.get(name) for name in ("stack", "host", "port"))
        options = request.get("options", {})
        if stack != STACK:
            raise bad(f"stack {_shown(stack)} is not one of mine: hello lists them")
        if not (isinstance(host, str) and host):
            raise bad(f"host is {_shown(host)}: it must be an address")
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _HIGHEST_PORT:
            raise bad(f"port is {_shown(port)}: it must be from 0 to {_HIGHEST_PORT}")
        if not isinstance(options, dict):
            raise bad(f"options is {_shown(options)}: it must be an object")
        slowness = Slowness(options)
        if self._serving is not None:
            raise bad("something is served already: say stop-serving first")
        self._serving = Serving(host, port, slowness)

    def _served(self) -> Serving:
        if self._serving is None:
            raise bad("nothing is served: say serve first")
        return self._serving

    def _say(self, message: Mapping[str, Any]) -> None:
        octets = json.dumps(message).encode() + b"\n"
        while octets:
            octets = octets[os.write(OUT, octets) :]


def _read(line: bytes) -> dict[str, Any]:
    if not line:
        raise bad(f"the line is longer than {LONGEST_LINE} bytes")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as failure:
        raise bad(f"the line is no JSON: {failure}") from failure
    if not isinstance(request, dict):
        raise bad("the line is no JSON object")
    return request


def _id(request: Mapping[str, Any]) -> int:
    number = request.get("id")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 1 << 53:
        raise bad("the request has no id: it must be a whole number from 1 on")
    return number


def _processor() -> dict[str, str]:
    """What the process has used so far, all its threads together."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"user_ns": str(round(used.ru_utime * 1e9)), "system_ns": str(round(used.ru_stime * 1e9))}


def _shown(value: object) -> str:
    return json.dumps(value)[:64]
