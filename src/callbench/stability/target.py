"""What is put under stress: the server of a stack, which we start, or a URL, where somebody else has one."""

import ipaddress
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from callbench import judge, links, manifest
from callbench.adapter import Adapter
from callbench.catalogue import Catalogue, cannot_run
from callbench.errors import AdapterFailure, BadInput, CallbenchError
from callbench.external import processes
from callbench.home import home
from callbench.load.watched import must_run
from callbench.measure import side_processes
from callbench.placement import Placement
from callbench.process_tree import is_alive
from callbench.sides import Sides

if TYPE_CHECKING:
    from callbench.cell import Stack
    from callbench.manifest import Programs

DRIVER = "load/http1"
# What a URL answers stands for this call of the service.
HELLO = "Hello"
_KEEPER_S = 2.0


@dataclass(frozen=True)
class Aim:
    """What was asked for.

    Attributes:
        name: a stack or a URL.
        call: of the service.
        arguments: its arguments.
        timeout_s: a call without an answer for so long has failed.
        pid: of a URL: a process of the server's, where they cannot be found by its port.
        request: of a URL: options of the driver.
        any_host: whether a URL may be one of another machine.
        link: what lies between a stack's client and its server: a name of `callbench list links`.
    """

    name: str
    call: str = HELLO
    arguments: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 10.0
    pid: int | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    any_host: bool = False
    link: str = links.LOOPBACK

    @property
    def is_url(self) -> bool:
        """Whether somebody else runs the server."""
        return "://" in self.name


@dataclass(frozen=True)
class Loss:
    """A server whose process has ended.

    Attributes:
        how: `out-of-memory`, `crash`, `killed`, `exit`; `gone` where it was not ours to wait for.
        why: a sentence.
    """

    how: str
    why: str


class Target:
    """A server with a client before it. Close it; it can be opened again, which starts the server afresh.

    Attributes:
        aim: what was asked for.
        client: the one that calls.
        started_s: how long the last start took, until the first right answer.
        hosts: where each side of a stack runs: this machine, unless `reached` has made others.
    """

    client: Adapter

    def __init__(self, aim: Aim, known: Catalogue, placement: Placement) -> None:
        """Finds what is meant; starts nothing.

        Raises:
            BadInput: there is no such stack, it cannot run here or not over that link, or the URL is not one to put
                under stress.
        """
        self.aim = aim
        self.started_s = 0.0
        self.hosts = links.LOOPBACK_HOSTS
        self._placement = placement
        self._sides: Sides | None = None
        self._endpoint = aim.name
        self._open = False
        self._first: tuple[int, ...] = ()
        self._stack: Stack | None = None
        self._driver: manifest.Manifest | None = None
        self._programs: Programs | None = None
        self._running: processes.Running | None = None
        if aim.is_url:
            self._driver = _driver(aim)
            self._running = processes.Running(aim.name, aim.pid)
        else:
            if aim.pid is not None:
                raise BadInput(f"--pid is for a URL: {aim.name} is started by Callbench, which knows its processes")
            self._stack = known.stack(aim.name)
            if self._stack.why_not:
                raise BadInput(f"{aim.name} cannot run here: {self._stack.why_not}")
            why_not = links.why_not_over(self._stack, aim.link)
            if why_not:
                raise BadInput(f"{aim.name} cannot be reached {why_not}")
            self._programs = known.programs(self._stack)

    @property
    def ours(self) -> bool:
        """Whether we start the server, and can start it again."""
        return self._stack is not None

    @property
    def is_open(self) -> bool:
        """Whether there is a client before it."""
        return self._open

    @property
    def answered(self) -> int:
        """The calls that its client has seen answered rightly since the last start, its first one too."""
        return self.client.answered

    def must(self, feature: str, what: str) -> None:
        """Refuses a client that lacks a feature.

        Raises:
            BadInput: it has none; `what` begins the sentence, and says what needs it.
        """
        if feature not in self.client.hello["features"]:
            raise BadInput(f"{what}, and the adapter {self.client.hello['adapter']} has none: take another stack")

    @property
    def endpoint(self) -> str:
        """Where the server is, as its clients are told."""
        return self._endpoint

    def open(self) -> None:
        """Starts what is ours, connects one client and makes one call.

        Raises:
            AdapterFailure: a side cannot be started, or the call fails.
            CallbenchError: the answer is wrong.
        """
        began = time.monotonic()
        try:
            if self._stack is not None and self._programs is not None:
                self._sides = Sides(
                    self._programs, self._placement, in_process=self._stack.in_process, hosts=self.hosts
                )
                unavailable = self._sides.unavailable(self._stack)
                if unavailable:
                    raise AdapterFailure("unsupported", unavailable)  # noqa: TRY301 - whatever it is, all is closed
                self._endpoint = self._sides.serve(self._stack)
                self.client = self._sides.client
            else:
                self.client = self.another("the client")
            self.connect(1)
            wrong = judge.wrong(self.aim.call, self.aim.arguments, self.client.call(self.aim.call, self.aim.arguments))
        except AdapterFailure as failure:
            self.close(at_once=True)
            if self.ours or failure.kind in ("garbage", "silent", "died", "internal"):
                raise
            raise BadInput(f"{self.aim.name}: {failure} ({failure.kind})") from failure
        except BaseException:
            self.close(at_once=True)
            raise
        if wrong:
            self.close(at_once=True)
            raise CallbenchError(f"{self.aim.name} answered wrongly before anything was begun: {wrong}")
        self.started_s = time.monotonic() - began
        first = self.pids().get("server", ())
        # Of a server of somebody else's a worker may be replaced by another, which is no loss.
        self._first = first if self._running is None else processes.tops(first)
        self._open = True

    def another(self, part: str) -> Adapter:
        """Starts one more client, in a process of its own. Stop it.

        Raises:
            AdapterFailure: it cannot be started.
        """
        if self._programs is not None:
            made = self._programs.client
        else:
            assert self._driver is not None  # noqa: S101 - one of the two is there
            made = self._driver
        shared = self._driver is not None and (self.aim.pid is None or self._placement.shared)
        request = None if self._programs is None else self._programs.request
        processors = () if shared else self._placement.client
        return Adapter(made, part, processors, self.hosts.client.entered(), request).greeted()

    def connect(self, clients: int) -> int:
        """Connects so many clients; gives the connections open.

        Raises:
            AdapterFailure: the server does not let them in.
        """
        return self.connected(self.client, clients)

    def connected(self, client: Adapter, clients: int, endpoint: str | None = None) -> int:
        """Connects clients of another process, or to another place.

        Raises:
            AdapterFailure: the server does not let them in.
        """
        stack = DRIVER if self._stack is None else self._stack.client
        timeout_ms = max(1, round(self.aim.timeout_s * 1e3))
        return client.connect(
            stack, endpoint or self._endpoint, clients, timeout_ms=timeout_ms, options=self.aim.request
        )

    def pids(self) -> dict[str, tuple[int, ...]]:
        """The processes of each side that are there; a server that is not ours and cannot be seen has none."""
        if self._sides is not None:
            return side_processes.of(self._sides).by_side()
        found = {"client": side_processes.below(self.client.process.pid)}
        server = () if self._running is None else self._running.pids()
        # One that is gone stays a side that has nothing; one that could never be seen is none.
        return found | ({"server": server} if server or self._first else {})

    def lost(self) -> Loss | None:
        """How the server ended, if it did."""
        gone = [pid for pid in self._first if not is_alive(pid)]
        if self._sides is not None:
            # Its keeper ends a moment after it.
            failure = self._sides.server.process.died(_KEEPER_S if gone else 0.0)
            if failure is not None:
                return Loss(failure.ending or "exit", str(failure))
        return Loss("gone", f"{_processes(gone)} of the server's ended") if gone else None

    def alone(self) -> None:
        """Takes the clients away, so that the server is alone. A client that cannot is left."""
        if not self.client.broken:
            try:
                self.client.disconnect()
            except AdapterFailure:
                return

    def close(self, *, at_once: bool = False) -> None:
        """Ends what is ours."""
        self._open = False
        sides, self._sides = self._sides, None
        if sides is not None:
            sides.close(at_once=at_once)
        elif self._driver is not None and hasattr(self, "client"):
            self.client.stop()

    def __enter__(self) -> Self:
        """Itself, open."""
        self.open()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Closes it."""
        self.close(at_once=kind is not None)


@contextmanager
def reached(aim: Aim, known: Catalogue, placement: Placement) -> Iterator[Target]:
    """What is meant, open, over the link that was asked for; both are gone after the context.

    Raises:
        BadInput: as `Target`; or there is no such link.
        AdapterFailure, CallbenchError: as `Target.open`; or the link cannot be made here.
    """
    target = Target(aim, known, placement)
    wires = {} if aim.link == links.LOOPBACK else {aim.link: links.find(aim.link).wire}
    with links.made(aim.link, wires) as target.hosts, target:
        yield target


def _driver(aim: Aim) -> manifest.Manifest:
    """The load driver, for a URL that may be put under stress."""
    parts = urlsplit(aim.name)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{aim.name} is neither a stack nor a URL such as http://127.0.0.1:8080/path")
    if not (aim.any_host or is_loopback(parts.hostname)):
        raise BadInput(
            f"{parts.hostname} is not this machine: put only servers under stress that are yours, and say --any-host"
        )
    if aim.link != links.LOOPBACK:
        raise BadInput(f"--link {aim.link}: a URL's server runs where it runs; a stack's can be put behind a link")
    if aim.call != HELLO:
        raise BadInput(f"--call {aim.call}: a URL has one request, which stands for {HELLO}: leave --call out")
    if aim.pid is not None:
        must_run(aim.pid)
    read = manifest.read(home() / "engine" / "load" / "adapter.toml")
    why_not = cannot_run(read)
    if why_not:
        raise CallbenchError(why_not)
    return read


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own, which nobody else reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _processes(pids: Sequence[int]) -> str:
    return f"process {pids[0]}" if len(pids) == 1 else f"{len(pids)} processes"
