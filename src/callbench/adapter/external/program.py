"""The adapter that represents external servers: it starts commands, or refers to servers that run.

It imports little and does nothing during calls, because it shares the server's processors.
"""

import collections
import contextlib
import ctypes
import ipaddress
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
from typing import NoReturn
from urllib.parse import urlsplit

from callbench.adapter.contract import ContractMessage
from callbench.model.card import ExternalTable
from callbench.model.version import CONTRACT, VERSION

# Cut to 15 bytes as in the kernel. The core recognizes this adapter by the name, and does not count it as part of the
# server.
NAME = b"callbench-external"[:15]
_PR_SET_NAME = 15
_SLOWER = ("delay_us", "stall_us", "stall_every_us", "burn_us")
_LOOK_SECONDS = 0.02
_GRACE_SECONDS = 3.0
_LAST_LINES = 3
_LINE_SHOWN = 160
_URL_SECONDS = 5.0
# Below are well-known services, and above the ports of our tests.
_FIRST_PORT, _END_PORT = 10_000, 21_000
_CLAIMS: list[socket.socket] = []


class Refusal(Exception):  # noqa: N818 - what is answered
    """An answer of kind `error`."""

    def __init__(self, kind: str, message: str) -> None:
        """Store the kind beside the message."""
        super().__init__(message)
        self.kind = kind


class StartedServer:
    """A server as a child process. End it."""

    def __init__(self, table: ExternalTable, host: str, port: int) -> None:
        """Start the command, and wait until it listens.

        Raises:
            No: it cannot be started, ends, or does not listen in time.
        """
        self.port = port or _free_port(host)
        if port:
            _require_free(host, port)

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
                # Start it in a process group of its own: a command is often a shell, whose children must end with it.
                process_group=0,
            )
        except OSError as failure:
            raise Refusal("internal", f"`{self._shown}` cannot be started: {failure.strerror}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._await(host, float(table["ready_seconds"]))
        except BaseException:
            self.end()
            raise
        threading.Thread(target=self._end_with_server, daemon=True).start()

    def _read(self) -> None:
        assert self._child.stdout is not None  # noqa: S101 - the pipe was asked for
        while line := self._child.stdout.readline(1 << 16):
            text = line.decode(errors="replace").strip()
            if text:
                self._last.append(text[:_LINE_SHOWN])
                # The server's log becomes the adapter's log. The core shows its end if something fails.
                print(text, file=sys.stderr, flush=True)  # noqa: T201

    def _await(self, host: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not _listens(host, self.port):
            code = self._child.poll()
            if code is not None:
                self._reader.join(1)
                how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
                raise Refusal(
                    "internal", f"`{self._shown}` {how} before it listened on port {self.port}{self._log_end()}"
                )
            if time.monotonic() > deadline:
                where = f"{host}, port {self.port}"
                raise Refusal(
                    "internal", f"`{self._shown}` did not listen on {where}, within {seconds:g} s{self._log_end()}"
                )
            time.sleep(_LOOK_SECONDS)

    def _log_end(self) -> str:
        return f"; its last output: {' | '.join(self._last)}" if self._last else "; it printed nothing"

    def _end_with_server(self) -> None:
        """If the server ends by itself, end this adapter in the same way. The core then restarts both, or gives up."""
        code = self._child.wait()
        if not self._ending:
            self._reader.join(1)
            os._exit(128 - code if code < 0 else code)

    def require_alive(self) -> None:
        """If the server has ended, this program is about to end too and answers nothing more."""
        if self._child.poll() is not None:
            time.sleep(_GRACE_SECONDS)

    def end(self) -> None:
        """End the server and everything that it started: first politely, then by force."""
        self._ending = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_GRACE_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()


def _require_address(host: str) -> None:
    """Refuse what is no address: it becomes words of the command, and a shell would read more out of it."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise Refusal("bad-request", f"{host!r} is no IP address") from None


def _free_port(host: str) -> int:
    """Return a port that is free until the server listens: the kernel gives none of these away by itself.

    A server may take seconds to listen, and the kernel gave its port to others meanwhile. Of programs like this one,
    each claims its port by a name that is its own until it ends.
    """
    size = min(_given_away_from(), _END_PORT) - _FIRST_PORT
    begin = int.from_bytes(os.urandom(4))
    for step in range(size):
        port = _FIRST_PORT + (begin + step) % size
        claim = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(OSError), socket.socket(_family(host)) as place:
            claim.bind(f"\0callbench-port-{port}")
            # As a server may do it: a port whose last connections linger cannot be had.
            place.bind((host, port))
            _CLAIMS.append(claim)
            return port
        claim.close()
    with socket.create_server((host, 0), family=_family(host)) as listener:
        return int(listener.getsockname()[1])


def _family(host: str) -> socket.AddressFamily:
    """Return which kind of address it is."""
    return socket.AF_INET6 if ipaddress.ip_address(host).version == 6 else socket.AF_INET


def _given_away_from() -> int:
    """Return the lowest port that the kernel gives to who asks for any."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:  # noqa: PTH123 - imports little
        return int(file.read().split()[0])


def _require_free(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port), family=_family(host)):
            pass
    except OSError as failure:
        raise Refusal("out-of-resources", f"port {port} of {host} is taken: {failure.strerror}") from None


def _listens(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


class Program:
    """The server side of the contract."""

    def __init__(self, output: ContractMessage) -> None:
        """Store the tables, and reserve the real standard output."""
        self._said = output
        self._server: StartedServer | None = None
        self._serves = False
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def run(self) -> NoReturn:
        """Answer requests until it is stopped."""
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        self._hello()
        for line in sys.stdin.buffer:
            answer = self._answer_line(line)
            self._say(answer)
            if answer["is"] == "stopped":
                break
        self._end()

    def _end(self) -> NoReturn:
        if self._server is not None:
            self._server.end()
        os._exit(0)

    def _hello(self) -> None:
        stacks: Mapping[str, ExternalTable] = self._said["stacks"]
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
                "stacks": list(stacks),
                "unavailable": {name: why for name, table in stacks.items() if (why := table.get("refused"))},
            }
        )

    def _answer_line(self, line: bytes) -> ContractMessage:
        request: ContractMessage = {}
        try:
            request = json.loads(line)
            answer = self._answer(request)
        except Refusal as no:
            answer = {"is": "error", "kind": no.kind, "message": str(no)}
        except (KeyError, TypeError, ValueError, AttributeError) as failure:
            answer = {"is": "error", "kind": "bad-request", "message": f"a member is missing or wrong: {failure!r}"}
        return {**answer, "id": request.get("id", 1) if isinstance(request, dict) else 1}

    def _answer(self, request: ContractMessage) -> ContractMessage:
        match request["do"]:
            case "serve":
                return {"is": "serving", "endpoint": self._serve(request)}
            case "stop-serving":
                self._stop_serving()
                return {"is": "stopped-serving"}
            case "counted":
                if self._server is not None:
                    self._server.require_alive()
                raise Refusal("unsupported", "an external server cannot report what it counted")
            case "stop":
                self._stop_serving()
                return {"is": "stopped"}
            case other:
                raise Refusal("bad-request", f"an external server knows no request {other!r}")

    def _serve(self, request: ContractMessage) -> str:
        stacks = self._said["stacks"]
        table = stacks.get(request["stack"])
        if table is None:
            raise Refusal("bad-request", f"stack {request['stack']} is not one of mine: {', '.join(stacks)} are")
        for name in request["options"]:
            if name in _SLOWER:
                raise Refusal("unsupported", f"{name}: an external server cannot be slowed down")
            raise Refusal("bad-request", f"there is no option {name}: an external server has none")
        if why := table.get("refused"):
            raise Refusal("unsupported", why)
        _require_address(request["host"])
        if self._serves:
            raise Refusal("bad-request", "one stack is served already: stop-serving ends that")
        if "url" in table:
            _require_answer(table["url"], table["ready_seconds"])
            endpoint = str(table["url"])
        else:
            self._server = StartedServer(table, request["host"], int(request["port"]))
            endpoint = f"http://{request['host']}:{self._server.port}{table.get('path') or '/'}"
        self._serves = True
        return endpoint

    def _stop_serving(self) -> None:
        server, self._server, self._serves = self._server, None, False
        if server is not None:
            server.end()

    def _say(self, message: Mapping[str, object]) -> None:
        self._out.write(json.dumps(message).encode() + b"\n")


def _require_answer(url: str, seconds: float) -> None:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname, port), timeout=min(seconds, _URL_SECONDS)):
            pass
    except socket.gaierror as failure:
        raise Refusal("unresolved", f"{url}: the name {parts.hostname} does not resolve: {failure.strerror}") from None
    except TimeoutError:
        raise Refusal(
            "timeout", f"{url}: no server listens on this port, or the network blocks the connection"
        ) from None
    except OSError as failure:
        raise Refusal(
            "refused", f"{url}: no server listens on this port ({failure.strerror}): start the server first"
        ) from None


def _reading_ns() -> float:
    began, times = time.monotonic_ns(), 1000
    for _ in range(times):
        time.monotonic_ns()
    return (time.monotonic_ns() - began) / times


def main() -> NoReturn:
    """Represent the servers whose tables are the single argument, as JSON."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_NAME, NAME, 0, 0, 0)
    Program(json.loads(sys.argv[1])).run()
