"""A server with a client before it: a stack's, a study's, one that a command starts, or one behind a URL."""

import ipaddress
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import urlsplit

from callbench.adapter import equivalent, oracle
from callbench.adapter.external import processes
from callbench.adapter.network import made
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog import external, reach
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.links import profile
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study import given
from callbench.catalog.study.given import Given
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError
from callbench.model.process_tree import is_alive
from callbench.model.request import STANDS_FOR, connected_with, only_call

_KEEPER_S = 2.0
_TIMEOUT_S = 10.0
# Failures of the driver itself: what the server says wrongly is told as the server's.
_OF_THE_DRIVER = ("garbage", "silent", "died", "internal")


@dataclass(frozen=True)
class Aim:
    """What was asked for.

    Attributes:
        name: a stack, a study's server, a URL or a command, as it was typed.
        call: of the service; empty: the one that the server's request stands for, else `Hello`.
        arguments: its arguments.
        timeout_s: a call without an answer for so long has failed.
        server: how a server of one's own is called.
        any_host: whether a URL may be one of another machine.
        link: what lies between client and server: a name of `callbench list links`.
        options: of the client.
        first_clients: how many are connected when it is opened, before the first call.
    """

    name: str
    call: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = _TIMEOUT_S
    server: Given = field(default_factory=Given)
    any_host: bool = True
    link: str = LOOPBACK
    options: Mapping[str, Any] = field(default_factory=dict)
    first_clients: int = 1


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
        aim: what was asked for, with the call that is made.
        stack: the server and its client, as a stack.
        client: the one that calls.
        started_s: how long the last start took, until the first right answer.
        connections: how many were open when it was opened.
        hosts: where each side of a stack runs: this machine, unless `reached` has made others.
    """

    client: Adapter

    def __init__(self, aim: Aim, known: Catalogue, placement: Placement) -> None:
        """Finds what is meant; starts nothing.

        Raises:
            BadInput: there is no such server, it cannot run here or not over that link, or it may not be called.
        """
        known, [name] = given.named(known, [aim.name], aim.server)
        self.stack = known.stack(name)
        self.aim = replace(aim, call=_call(aim, self.stack))
        if self.stack.why_not:
            raise BadInput(f"{aim.name} cannot run here: {self.stack.why_not}")
        why_not = reach.why_not_over(self.stack, aim.link)
        if why_not:
            raise BadInput(f"{aim.name} cannot be reached {why_not}")
        host = urlsplit(self._table.get("url") or "").hostname
        if host and not (aim.any_host or is_loopback(host)):
            raise BadInput(
                f"{host} is not this machine: put only servers under stress that are yours, and say --any-host"
            )
        self._programs = known.programs(self.stack)
        self.started_s = 0.0
        self.connections = 0
        self.hosts = LOOPBACK_HOSTS
        self._placement = placement
        self._sides: Sides | None = None
        self._endpoint = ""
        self._open = False
        self._first: tuple[int, ...] = ()

    @property
    def _table(self) -> Mapping[str, Any]:
        """How a server of one's own is started or where it runs."""
        return self.stack.card.get(external.KEY) or {}

    @property
    def ours(self) -> bool:
        """Whether we start the server, and can start it again."""
        return not external.is_elsewhere(self.stack)

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

    @property
    def url(self) -> str:
        """What is called: the endpoint, with the path of the request."""
        request = self._programs.request
        return connected_with(request, self._endpoint, {})[0]

    def open(self) -> None:
        """Starts what is ours, connects one client and makes one call.

        Raises:
            BadInput: a server of one's own cannot be started, or does not answer as it must.
            AdapterFailure: a side cannot be started, or the call fails.
            CallbenchError: the answer is wrong.
        """
        began = time.monotonic()
        aim = self.aim
        try:
            self._sides = Sides(self._programs, self.where, in_process=self.stack.in_process, hosts=self.hosts)
            self.client = self._sides.client
            unavailable = self._sides.unavailable(self.stack)
            if unavailable:
                raise AdapterFailure("unsupported", unavailable)  # noqa: TRY301 - whatever it is, all is closed
            self._endpoint = self._served(self._sides)
            self.connections = self.connect(aim.first_clients)
            wrong = oracle.wrong(aim.call, aim.arguments, self.client.call(aim.call, aim.arguments))
        except AdapterFailure as failure:
            self.close(at_once=True)
            if not self._table or failure.kind in _OF_THE_DRIVER:
                raise
            raise BadInput(f"{aim.name}: {failure} ({failure.kind})") from failure
        except BaseException:
            self.close(at_once=True)
            raise
        if wrong:
            self.close(at_once=True)
            kind = BadInput if self._table else CallbenchError
            raise kind(f"{aim.name} answered wrongly before anything was begun: {wrong}")
        self.started_s = time.monotonic() - began
        first = self.pids().get("server", ())
        # Of a server of somebody else's a worker may be replaced by another, which is no loss.
        self._first = first if self.ours else processes.tops(first)
        self._open = True

    def _served(self, sides: Sides) -> str:
        try:
            return sides.serve(self.stack)
        except AdapterFailure as failure:
            if not self._table:
                raise
            # A URL is named in the sentence.
            raise BadInput(f"{self.aim.name}: {failure}" if self.ours else str(failure)) from failure

    @property
    def where(self) -> Placement:
        """Who calls a server that is not on this machine, or is not to be found on it, may use every processor."""
        if self.ours or self._placement.shared or processes.of_table(self._table).pids():
            return self._placement
        every = tuple(sorted({*self._placement.client, *self._placement.server}))
        return Placement(every, every)

    def another(self, part: str) -> Adapter:
        """Starts one more client, in a process of its own. Stop it.

        Raises:
            AdapterFailure: it cannot be started.
        """
        programs, entered = self._programs, self.hosts.client.entered()
        return Adapter(programs.client, part, self.where.client, entered, programs.request).greeted()

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
        timeout_ms = max(1, round(self.aim.timeout_s * 1e3))
        return client.connect(
            self.stack.client, endpoint or self._endpoint, clients, timeout_ms=timeout_ms, options=self.aim.options
        )

    def pids(self) -> dict[str, tuple[int, ...]]:
        """The processes of each side that are there; a server that is not ours and cannot be seen has none."""
        found = {} if self._sides is None else side_processes.of(self._sides).by_side()
        # One that is gone stays a side that has nothing; one that could never be seen is none.
        return found | ({"server": ()} if self._first and not {"server", "both"} & found.keys() else {})

    def unseen(self) -> str:
        """What of the server's processes cannot be seen, in a sentence; nothing where all can."""
        return "" if self._sides is None or self._sides.elsewhere is None else self._sides.elsewhere.unseen()

    def lost(self) -> Loss | None:
        """How the server ended, if it did."""
        gone = [pid for pid in self._first if not is_alive(pid)]
        if self._sides is not None and self.ours:
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
    wires = {} if aim.link == LOOPBACK else {aim.link: profile.find(aim.link).wire}
    with made.made(aim.link, wires) as target.hosts, target:
        yield target


def _call(aim: Aim, stack: Stack) -> str:
    """The call that is made.

    Raises:
        BadInput: the server cannot carry the one that was asked for, or needs to be told of how many items.
    """
    only = only_call(stack)
    if only is None:
        return aim.call or STANDS_FOR
    if aim.call and aim.call != only:
        raise BadInput(f"--call {aim.call}: {aim.name} has one request, which stands for {only}: leave --call out")
    if only == equivalent.CALL and "n" not in aim.arguments:
        raise BadInput(f"{aim.name} answers {only}, and how many items has to be said: --call {only}:n=10")
    return only


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
