"""What was asked for on the command line of `callbench load`, checked."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callbench.cell import CLOSED, Load
from callbench.errors import BadInput

# A drive that is asked for a number of calls gives up after so long without being told a time.
LONGEST_S = 3600.0


@dataclass(frozen=True)
class Wish:
    """A load on one URL.

    Attributes:
        url: of the server; empty of one that `start` starts.
        clients: those who call; in an open loop, the most calls under way at once.
        seconds: how long; None: until `calls` are made.
        calls: how many at least; None: as many as fit into the time.
        rate: arrivals a second of an open loop; None: a closed one.
        poisson: whether arrivals are at random; else evenly spaced.
        think_ms: of a closed loop: how long a client waits before it calls again.
        warm_up_s: how long calls are made that do not count.
        timeout_s: a call without an answer for so long has failed.
        pid: a process whose processor time and memory are watched, with its descendants.
        start: the command that starts the server, with {port} in it; None: it runs.
        path: behind host and port of the server that is started.
        request: options of the driver: method, headers, body, what is expected ...
        protocol: `http1`, `h2` or `grpc`.
    """

    url: str
    clients: int = 50
    seconds: float | None = None
    calls: int | None = None
    rate: float | None = None
    poisson: bool = False
    think_ms: float = 0.0
    warm_up_s: float = 0.0
    timeout_s: float = 10.0
    threads: int = 1
    pid: int | None = None
    request: dict[str, Any] | None = None
    out: Path | None = None
    start: str | None = None
    path: str | None = None
    protocol: str = "http1"

    def __post_init__(self) -> None:
        """Refuses what makes no sense together.

        Raises:
            BadInput: in one sentence.
        """
        if bool(self.url) == (self.start is not None):
            raise BadInput("name the URL of a server that runs, or give the command that starts one with --start")
        if self.start is None and self.path is not None:
            raise BadInput(f"--path {self.path} goes with --start: a URL has its own")
        if self.start is not None and self.pid is not None:
            raise BadInput("--pid is for a server that runs: one that --start starts is watched anyway")
        if self.rate is not None and self.think_ms:
            raise BadInput("--rate and --think exclude each other: arrivals that come by themselves do not wait")
        if self.poisson and self.rate is None:
            raise BadInput("--poisson says how arrivals come: say how many a second with --rate")
        if self.threads > self.clients:
            raise BadInput(f"--threads {self.threads}: there are {self.clients} clients only")

    @property
    def load(self) -> Load:
        """As the rest of the program speaks of it: without a time or a number it is 10 s."""
        seconds = self.seconds if self.seconds is not None else 0.0 if self.calls else 10.0
        arrivals = CLOSED if self.rate is None else "poisson" if self.poisson else "constant"
        return Load(self.clients, self.calls or 1, seconds, arrivals, self.rate, round(self.think_ms * 1e6))

    @property
    def limit_s(self) -> float:
        """When it ends in any case."""
        return self.seconds * 2 + 60 if self.seconds is not None else LONGEST_S


def protocol(*, http2: bool, grpc: bool) -> str:
    """The stack of the driver that speaks as asked.

    Raises:
        BadInput: both are asked for.
    """
    if http2 and grpc:
        raise BadInput("--http2 and --grpc exclude each other: gRPC is spoken over HTTP/2 in any case")
    return "grpc" if grpc else "h2" if http2 else "http1"


def headers(given: Sequence[str]) -> list[tuple[str, str]]:
    """Read `Name: value` each.

    Raises:
        BadInput: one has no colon.
    """
    parts = [one.partition(":") for one in given]
    wrong = next((one for one, part in zip(given, parts, strict=True) if not part[1]), None)
    if wrong is not None:
        raise BadInput(f"--header {wrong!r}: give a name and a value, as 'Accept: text/plain'")
    return [(name.strip(), value.strip()) for name, _, value in parts]


def expected_json(given: Sequence[str]) -> dict[str, Any]:
    """Read `PATH=VALUE` and `PATH` each, as the driver's options `expect_json` and `expect_path`.

    The sign that ends a path stands outside of its brackets and quotes, where RFC 9535 compares. A value that is no
    JSON is a text.

    Raises:
        BadInput: a path is asked for twice with different values.
    """
    values: dict[str, Any] = {}
    paths: list[str] = []
    for one in given:
        end = _path_end(one)
        path = one[:end].strip()
        if end == len(one):
            paths.append(path)
            continue
        value = _json_or_text(one[end + 1 :].strip())
        if path in values and values[path] != value:
            raise BadInput(f"--expect-json {path}: it is asked for with two values")
        values[path] = value
    return {"expect_json": values or None, "expect_path": paths}


def _path_end(text: str) -> int:
    """Where the path at the beginning of a text ends: at the first = that no bracket or quote encloses."""
    depth, quote, escaped = 0, "", False
    for place, letter in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped, quote = letter == "\\", "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "[]":
            depth += 1 if letter == "[" else -1
        elif letter == "=" and depth == 0:
            return place
    return len(text)


def _json_or_text(text: str) -> object:
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value


def request(**asked: object) -> dict[str, Any]:
    """The driver's options: what was given, without what was not."""
    return {name: value for name, value in asked.items() if value is not None and value != []}
