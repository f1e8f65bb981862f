"""An MCP server that is started, and speaks over its standard input and output: one line a message."""

import json
import shlex
import time
from pathlib import Path
from typing import Self

from callbench.adapter.process import AdapterProcess
from callbench.model.errors import AdapterFailure, BadInput

FIRST_SECONDS = 60.0
"""A starter such as npx downloads the server before the first answer."""
SECONDS = 30.0
_GRACE_SECONDS = 2.0
_METHOD_NOT_FOUND = -32601


class CommandServer:
    """A server as a child of this program. It runs in the current folder, and ends with the `with` block."""

    def __init__(self, command: str) -> None:
        """Start it.

        Raises:
            BadInput: it cannot be started.
        """
        self.name = command
        self.received = 0
        self.version = ""
        self._asked = 0
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"--command {command!r} is no command ({error}): close its quotes") from None
        if not words:
            raise BadInput("--command is empty: name a program and its arguments")
        try:
            self._process = AdapterProcess(f"`{command}`", words, Path.cwd(), (), speaks="MCP (JSON-RPC)")
        except AdapterFailure as failure:
            raise _bad(failure) from None

    def __enter__(self) -> Self:
        """Use it until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the server and everything that it started."""
        self._process.close(grace=_GRACE_SECONDS)

    def ask(self, method: str, params: dict[str, object]) -> dict[str, object]:
        """See `ServerChannel`. What the server asks or announces meanwhile is refused or skipped."""
        self._asked += 1
        seconds = SECONDS if self._asked > 1 else FIRST_SECONDS
        deadline = time.monotonic() + seconds
        try:
            self._send({"id": self._asked, "method": method, "params": params}, seconds)
            while True:
                message = self._process.receive(deadline, f"its answer to {method}")
                self.received += len(json.dumps(message))
                if "method" not in message and message.get("id") == self._asked:
                    return message
                if "method" in message and "id" in message:
                    self._refuse(message, seconds)
        except AdapterFailure as failure:
            raise _bad(failure) from None

    def notify(self, method: str) -> None:
        """See `ServerChannel`."""
        try:
            self._send({"method": method}, SECONDS)
        except AdapterFailure as failure:
            raise _bad(failure) from None

    def _refuse(self, message: dict[str, object], seconds: float) -> None:
        """Answer what a server asks its client: only `ping` can be answered."""
        answer: dict[str, object] = {"result": {}}
        if message["method"] != "ping":
            answer = {"error": {"code": _METHOD_NOT_FOUND, "message": "this client only lists tools"}}
        self._send({"id": message["id"], **answer}, seconds)

    def _send(self, message: dict[str, object], seconds: float) -> None:
        self._process.send({"jsonrpc": "2.0", **message}, seconds)


def _bad(failure: AdapterFailure) -> BadInput:
    return BadInput(f"--command: {failure}; try the command in a terminal")
