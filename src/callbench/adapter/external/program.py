"""The adapter that plays the server of external stacks: it starts commands, or points at what runs.

It imports little and does nothing while calls are made: it is alive beside the server, on the server's processors.
"""

import collections
import contextlib
import ctypes
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from callbench.model.version import CONTRACT, VERSION

# As the kernel cuts it to 15 bytes: it is by this name that the core tells it from the server's own processes.
NAME = b"callbench-external"[:15]
_PR_SET_NAME = 15
_SLOWER = ("delay_us", "stall_us", "stall_every_us", "burn_us")
_LOOK_SECONDS = 0.02
_GRACE_SECONDS = 3.0
_LAST_LINES = 3
_LINE_SHOWN = 160
_URL_SECONDS = 5.0


class No(Exception):  # noqa: N818 - what is answered
    """An answer of kind `error`."""

    def __init__(self, kind: str, message: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(message)
        self.kind = kind


class Started:
    """A server as a child process. End it."""

    def __init__(self, table: Mapping[str, Any], host: str, port: int) -> None:
        """Starts the command, and waits until it listens.

        Raises:
            No: it cannot be started, ends, or does not listen in time.
        """
        self.port = port or _free_port(host)
        if port:
            _must_be_free(host, port)

        def filled(text: str) -> str:
            return text.replace("{port}", str(self.port)).replace("{host}", host)

        self._argv = [filled(word) for word in table["start"]]
        self._shown = " ".join(self._argv)
        self._ending = False
        self._last: collections.deque[str] = collections.deque(maxlen=_LAST_LINES)
        extra = {name: filled(value) for name, value in (table.get("environment") or {}).items()}
        try:
            self._child = subprocess.Popen(
                self._argv,
                cwd=table["folder"],
                env={**os.environ, **extra},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # A group of its own: a command is often a shell, whose children must end with it.
                process_group=0,
            )
        except OSError as failure:
            raise No("internal", f"`{self._shown}` cannot be started: {failure.strerror}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._await(host, float(table["ready_seconds"]))
        except BaseException:
            self.end()
            raise
        threading.Thread(target=self._die_with_it, daemon=True).start()

    def _read(self) -> None:
        assert self._child.stdout is not None  # noqa: S101 - the pipe was asked for
        while line := self._child.stdout.readline(1 << 16):
            text = line.decode(errors="replace").strip()
            if text:
                self._last.append(text[:_LINE_SHOWN])
                # Our own log is the server's: the core shows its end where something fails.
                print(text, file=sys.stderr, flush=True)  # noqa: T201

    def _await(self, host: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not _listens(host, self.port):
            code = self._child.poll()
            if code is not None:
                self._reader.join(1)
                how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
                raise No("internal", f"`{self._shown}` {how} before it listened on port {self.port}{self._words()}")
            if time.monotonic() > deadline:
                where = f"{host}, port {self.port}"
                raise No("internal", f"`{self._shown}` did not listen on {where}, within {seconds:g} s{self._words()}")
            time.sleep(_LOOK_SECONDS)

    def _words(self) -> str:
        return f"; it said last: {' | '.join(self._last)}" if self._last else "; it said nothing"

    def _die_with_it(self) -> None:
        """Where the server ends by itself this adapter ends as it did: the core starts both again, or gives up."""
        code = self._child.wait()
        if not self._ending:
            self._reader.join(1)
            os._exit(128 - code if code < 0 else code)

    def must_live(self) -> None:
        """Where the server has ended, this program is about to end too: it answers nothing more."""
        if self._child.poll() is not None:
            time.sleep(_GRACE_SECONDS)

    def end(self) -> None:
        """Ends the server and what it started: asked first, then by force."""
        self._ending = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_GRACE_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()


def _free_port(host: str) -> int:
    with socket.create_server((host, 0)) as one:
        return int(one.getsockname()[1])


def _must_be_free(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as failure:
        raise No("out-of-resources", f"port {port} of {host} is taken: {failure.strerror}") from None


def _listens(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


class Program:
    """The contract's server half."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        """Takes the tables, and keeps the real standard output to itself."""
        self._said = said
        self._server: Started | None = None
        self._serves = False
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def run(self) -> NoReturn:
        """Answers until it is told to stop."""
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        self._hello()
        for line in sys.stdin.buffer:
            answer = self._obeyed(line)
            self._say(answer)
            if answer["is"] == "stopped":
                break
        self._end()

    def _end(self) -> NoReturn:
        if self._server is not None:
            self._server.end()
        os._exit(0)

    def _hello(self) -> None:
        clock = {"name": "CLOCK_MONOTONIC", "resolution_ns": time.get_clock_info("monotonic").resolution * 1e9}
        self._say(
            {
                "is": "hello",
                "contract": CONTRACT,
                "adapter": self._said["adapter"],
                "language": self._said["language"],
                "version": VERSION,
                "runtime": f"the server's own, started by Python {platform.python_version()}",
                "libraries": {},
                "clock": {**clock, "reading_ns": _reading_ns()},
                "features": [],
                "stacks": list(self._said["stacks"]),
            }
        )

    def _obeyed(self, line: bytes) -> dict[str, Any]:
        request: dict[str, Any] = {}
        try:
            request = json.loads(line)
            answer = self._answered(request)
        except No as no:
            answer = {"is": "error", "kind": no.kind, "message": str(no)}
        except (KeyError, TypeError, ValueError, AttributeError) as failure:
            answer = {"is": "error", "kind": "bad-request", "message": f"a member is missing or wrong: {failure!r}"}
        return {**answer, "id": request.get("id", 1) if isinstance(request, dict) else 1}

    def _answered(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "serve":
                return {"is": "serving", "endpoint": self._serve(request)}
            case "stop-serving":
                self._stop_serving()
                return {"is": "stopped-serving"}
            case "counted":
                if self._server is not None:
                    self._server.must_live()
                raise No("unsupported", "nobody can ask a server that was not written for it what it counted")
            case "stop":
                self._stop_serving()
                return {"is": "stopped"}
            case other:
                raise No("bad-request", f"an external server knows no request {other!r}")

    def _serve(self, request: Mapping[str, Any]) -> str:
        stacks = self._said["stacks"]
        table = stacks.get(request["stack"])
        if table is None:
            raise No("bad-request", f"stack {request['stack']} is not one of mine: {', '.join(stacks)} are")
        for name in request["options"]:
            if name in _SLOWER:
                raise No("unsupported", f"{name}: a server that was not written for it cannot be slowed down")
            raise No("bad-request", f"there is no option {name}: an external server has none")
        if self._serves:
            raise No("bad-request", "one stack is served already: stop-serving ends that")
        if "url" in table:
            _must_answer(table["url"], table["ready_seconds"])
            endpoint = str(table["url"])
        else:
            self._server = Started(table, request["host"], int(request["port"]))
            endpoint = f"http://{request['host']}:{self._server.port}{table.get('path') or '/'}"
        self._serves = True
        return endpoint

    def _stop_serving(self) -> None:
        server, self._server, self._serves = self._server, None, False
        if server is not None:
            server.end()

    def _say(self, message: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(message).encode() + b"\n")


def _must_answer(url: str, seconds: float) -> None:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname, port), timeout=min(seconds, _URL_SECONDS)):
            pass
    except socket.gaierror as failure:
        raise No("unresolved", f"{url}: the name {parts.hostname} does not resolve: {failure.strerror}") from None
    except TimeoutError:
        raise No("timeout", f"{url}: nobody listens there, or what lies between does not let us") from None
    except OSError as failure:
        raise No("refused", f"{url}: nobody listens there ({failure.strerror}): start the server first") from None


def _reading_ns() -> float:
    began, times = time.monotonic_ns(), 1000
    for _ in range(times):
        time.monotonic_ns()
    return (time.monotonic_ns() - began) / times


def main() -> NoReturn:
    """Plays the servers whose tables are the one argument, as JSON."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_NAME, NAME, 0, 0, 0)
    Program(json.loads(sys.argv[1])).run()
