"""`callbench serve` as tests drive it, and clients that know nothing of Callbench."""

import contextlib
import errno
import os
import pty
import re
import select
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from callbench.store.served_state import ServedState, read_state
from conftest import eventually
from loaded_program import shared

READY = "Serving."
# A call of JSON-RPC, as the guide has it.
SUM = b'{"jsonrpc":"2.0","id":1,"method":"Sum","params":{"a":1,"b":2}}'
PATIENCE_S = 60.0


class Served:
    """A server that a user has started, at a terminal or behind a pipe."""

    def __init__(self, folder: Path, *words: object, terminal: bool) -> None:
        """Starts `callbench serve` with these words."""
        self._master = -1
        line = ["serve", *map(str, words)]
        if terminal:
            self._master, inner = pty.openpty()
            self.process = shared().begin(line, folder, stdin=inner, stdout=inner, stderr=inner, session=True)
            os.close(inner)
            self._in = self._out = self._master
        else:
            self.process = shared().begin(line, folder, stdin=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert self.process.stdin
            assert self.process.stdout
            self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._rest = ""

    def line(self) -> str:
        """The next line that it prints."""
        due = time.monotonic() + PATIENCE_S
        while "\n" not in self._rest:
            assert select.select([self._out], [], [], max(0.0, due - time.monotonic()))[0], "it says nothing"
            piece = self._read()
            assert piece, f"it ended: {self._rest}"
            self._rest += piece
        line, _, self._rest = self._rest.partition("\n")
        return line.rstrip("\r")

    def _read(self) -> str:
        try:
            return os.read(self._out, 1 << 16).decode(errors="replace")
        except OSError as failure:
            if failure.errno != errno.EIO:
                raise
            return ""  # A terminal whose other side has gone.

    def until(self, begin: str) -> list[str]:
        """Lines until one begins so, that one too."""
        seen = [self.line()]
        while not seen[-1].startswith(begin):
            seen.append(self.line())
        return seen

    def types(self, line: str) -> None:
        os.write(self._in, line.encode())

    def says(self, line: str, begin: str) -> list[str]:
        """What it prints after a line has been typed, until a line begins so."""
        self.types(f"{line}\n")
        return self.until(begin)

    def hangs_up(self) -> None:
        """Ends its standard input: Ctrl-D at a terminal, else the pipe."""
        if self._master >= 0:
            self.types("\x04")
        else:
            assert self.process.stdin
            self.process.stdin.close()

    def ended(self) -> int:
        assert eventually(lambda: self.process.poll() is not None)
        return self.process.wait()

    def close(self) -> None:
        self.process.kill()
        with self.process:
            self.process.wait()
        if self._master >= 0:
            os.close(self._master)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers, and ends them."""
    with contextlib.ExitStack() as open_:

        def start(*words: object, terminal: bool = False) -> Served:
            served = Served(tmp_path, *words, terminal=terminal)
            open_.callback(served.close)
            return served

        yield start


def endpoints(lines: list[str]) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in lines if re.match(r"\S+/\S+ +\S", line))


def posted(url: str, body: bytes) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, data=body), timeout=PATIENCE_S) as answer:
        return bytes(answer.read())


def got(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return bytes(answer.read())


def state(file: Path, fits: Callable[[ServedState], object]) -> ServedState:
    """What the file says as soon as it fits."""
    found: list[ServedState] = []

    def looked() -> bool:
        read = read_state(file)
        found[:] = [read] if read is not None else []
        return bool(read is not None and fits(read))

    assert eventually(looked), found
    return found[0]


def shown(read: ServedState) -> dict[str, str]:
    """The endpoints that are on, as `endpoints` has them."""
    parts = [part for server in read.servers for part in server.parts]
    return {found.stack: found.endpoint for part in parts for found in part.endpoints}
