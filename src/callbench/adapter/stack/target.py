"""A server with a client: of a stack, of a study, of a command, or behind a URL."""

import ipaddress
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self
from urllib.parse import urlsplit

from callbench.adapter import equivalent, oracle
from callbench.adapter.external import processes
from callbench.adapter.network import creation
from callbench.adapter.network.host import LOOPBACK_HOSTS
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.adapter.stack import side_processes
from callbench.adapter.stack.sides import Sides
from callbench.catalog import external, reach
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.links import profile
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study import own_servers
from callbench.catalog.study.own_servers import ServerOverrides
from callbench.model.card import ExternalTable
from callbench.model.cell import Stack
from callbench.model.errors import OF_THE_ADAPTER, AdapterFailure, BadInput, CallbenchError
from callbench.model.process_tree import is_alive
from callbench.model.request import STANDS_FOR, connected_with, only_call
from callbench.store.requested.target import RequestedTarget

_KEEPER_S = 2.0
# Errors of the driver itself; other errors are the server's.
_OF_THE_DRIVER = frozenset({*OF_THE_ADAPTER, "internal"})


@dataclass(frozen=True, kw_only=True)
class TargetSpec(RequestedTarget):
    """What to open, as a record keeps it."""

    server: ServerOverrides = field(default_factory=ServerOverrides)


@dataclass(frozen=True)
class ServerEnd:
    """The end of a server's process.

    Attributes:
        how: `out-of-memory`, `crash`, `killed`, `exit`; `gone` for a server that is not ours.
        why: in a sentence.
    """

    how: str
    why: str


class Target:
    """A server with a client. Close it; opening it again restarts the server.

    Attributes:
        spec: the specification, with the call.
        stack: server and client as a stack.
        client: the calling adapter.
        started_s: duration of the last start, until the first right answer.
        connections: open connections of its client.
        hosts: where the sides run: on this machine, unless `open_target` has created hosts.
    """

    client: Adapter

    def __init__(self, spec: TargetSpec, catalogue: Catalogue, placement: Placement) -> None:
        """Find the server; nothing is started.

        Raises:
            BadInput: the server does not exist, cannot run here or over the link, or may not be called.
        """
        catalogue, [name] = own_servers.with_named_servers(catalogue, [spec.name], spec.server)
        self.stack = catalogue.stack(name)
        self.spec = replace(spec, call=_call(spec, self.stack))
        if self.stack.why_not:
            raise BadInput(f"{spec.name} cannot run here: {self.stack.why_not}")
        why_not = reach.why_not_by_hosts(self.stack) if spec.hosts else reach.why_not_over(self.stack, spec.link)
        if why_not:
            raise BadInput(f"{spec.name} cannot be reached {why_not}")
        host = urlsplit(self._table.get("url") or "").hostname
        if host and spec.hosts and is_loopback(host):
            raise BadInput(
                f"{host} of {spec.name} is each host itself to the clients of --hosts: give the address at which the"
                " hosts reach the server"
            )
        if host and not (spec.any_host or is_loopback(host)):
            raise BadInput(f"{host} is not this machine: stress only your own servers, and add --any-host")
        self._programs = catalogue.programs(self.stack)
        self.started_s = 0.0
        self.connections = 0
        self.hosts = LOOPBACK_HOSTS
        self._placement = placement
        self._sides: Sides | None = None
        self._endpoint = ""
        self._open = False
        self._first: tuple[int, ...] = ()

    @property
    def _table(self) -> ExternalTable:
        """The table `external` of an external server."""
        return self.stack.card.get(external.KEY, {})

    @property
    def ours(self) -> bool:
        """Whether this program starts the server, and can restart it."""
        return not external.runs_by_itself(self.stack)

    @property
    def is_open(self) -> bool:
        """Whether a client is connected."""
        return self._open

    @property
    def answered(self) -> int:
        """The client's successful calls since the last start, including the first one."""
        return self.client.answered

    def require(self, feature: str, what: str) -> None:
        """Refuse a client without a feature.

        Raises:
            BadInput: it lacks the feature; `what` begins the sentence and says what needs it.
        """
        if feature not in self.client.hello["features"]:
            raise BadInput(f"{what}, and the adapter {self.client.hello['adapter']} has none: take another stack")

    @property
    def endpoint(self) -> str:
        """The server's address, as given to clients."""
        return self._endpoint

    @property
    def url(self) -> str:
        """The called URL: the endpoint with the path of the request."""
        request = self._programs.request
        return connected_with(request, self._endpoint, {})[0]

    def open(self) -> None:
        """Start what is ours, connect one client and make one call.

        Raises:
            BadInput: an external server cannot be started, or does not answer as expected.
            AdapterFailure: a side cannot be started, or the call fails.
            CallbenchError: the answer is wrong.
        """
        began = time.monotonic()
        spec = self.spec
        try:
            self._sides = Sides(self._programs, self.where, in_process=self.stack.in_process, hosts=self.hosts)
            self.client = self._sides.client
            unavailable = self._sides.unavailable(self.stack)
            if unavailable:
                raise AdapterFailure("unsupported", unavailable)  # noqa: TRY301 - whatever it is, all is closed
            self._endpoint = self._served(self._sides)
            self.connect(spec.first_clients)
            answer = self.client.call(spec.call, spec.arguments)
            wrong = oracle.error_in(spec.call, spec.arguments, answer, self.client.service)
        except AdapterFailure as failure:
            self.close(at_once=True)
            if not self._table or failure.kind in _OF_THE_DRIVER:
                raise
            raise BadInput(f"{spec.name}: {failure} ({failure.kind})") from failure
        except BaseException:
            self.close(at_once=True)
            raise
        if wrong:
            self.close(at_once=True)
            kind = BadInput if self._table else CallbenchError
            raise kind(f"{spec.name} answered wrongly at its first call: {wrong}")
        self.started_s = time.monotonic() - began
        first = self.pids().get("server", ())
        # A worker of an external server may be replaced, which does not mean that the server ended.
        self._first = first if self.ours else processes.root_processes(first)
        self._open = True

    def _served(self, sides: Sides) -> str:
        try:
            return sides.serve(self.stack)
        except AdapterFailure as failure:
            if not self._table:
                raise
            # The sentence names a URL.
            raise BadInput(f"{self.spec.name}: {failure}" if self.ours else str(failure)) from failure

    @cached_property
    def where(self) -> Placement:
        """The processors of both sides. If the server is not on this machine or not visible, the client may use all."""
        if self.spec.hosts:
            # No client is here, so what is started here may use all.
            every = tuple(sorted({*self._placement.client, *self._placement.server}))
            return Placement(every, every)
        if self.ours or self._placement.shared or processes.running_server(self._table).pids():
            return self._placement
        every = tuple(sorted({*self._placement.client, *self._placement.server}))
        return Placement(every, every)

    def start_observer(self) -> Adapter:
        """Start a client beside the load, in a process of its own. Stop it.

        Raises:
            AdapterFailure: it cannot be started.
        """
        programs = self._programs
        return Adapter(
            programs.client, "the observer", self.where.client, self.hosts.client, programs.request
        ).read_hello()

    def connect(self, clients: int) -> int:
        """Connect so many clients; return the number of open connections.

        Raises:
            AdapterFailure: the server refuses them.
        """
        self.connections = self.connected(self.client, clients)
        return self.connections

    def connected(self, client: Adapter, clients: int, endpoint: str | None = None) -> int:
        """Connect clients of another process, or to another address.

        Raises:
            AdapterFailure: the server refuses them.
        """
        timeout_ms = max(1, round(self.spec.timeout_s * 1e3))
        return client.connect(
            self.stack.client, endpoint or self._endpoint, clients, timeout_ms=timeout_ms, options=self.spec.options
        )

    def pids(self) -> dict[str, tuple[int, ...]]:
        """Return the current processes of each side; none for a server that is not visible."""
        found = {} if self._sides is None else side_processes.processes_of(self._sides).by_side()
        # A side that has ended has no processes; a side that was never visible is missing.
        return found | ({"server": ()} if self._first and not {"server", "both"} & found.keys() else {})

    def unseen(self) -> str:
        """Return which processes of the server are not visible, in a sentence; "" if all are."""
        return "" if self._sides is None or self._sides.external is None else self._sides.external.unseen()

    def lost(self) -> ServerEnd | None:
        """Return how the server ended; None if it has not."""
        gone = [pid for pid in self._first if not is_alive(pid)]
        if self._sides is not None and self.ours:
            # Its supervisor ends a moment later.
            failure = self._sides.server.process.died(_KEEPER_S if gone else 0.0)
            if failure is not None:
                return ServerEnd(failure.ending or "exit", str(failure))
        return ServerEnd("gone", f"{_processes(gone)} of the server's ended") if gone else None

    def disconnect_clients(self) -> None:
        """Disconnect the clients, so that the server is alone. A client that cannot is left as it is."""
        if not self.client.broken:
            try:
                self.client.disconnect()
            except AdapterFailure:
                return

    def close(self, *, at_once: bool = False) -> None:
        """End what is ours."""
        self._open = False
        sides, self._sides = self._sides, None
        if sides is not None:
            sides.close(at_once=at_once)

    def __enter__(self) -> Self:
        """Open it and return it."""
        self.open()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Close it."""
        self.close(at_once=kind is not None)


@contextmanager
def open_target(spec: TargetSpec, catalogue: Catalogue, placement: Placement) -> Iterator[Target]:
    """Open a target over the requested link, and close both after the context.

    Raises:
        BadInput: as in `Target`; or the link does not exist, or lies where there are other hosts.
        AdapterFailure, CallbenchError: as in `Target.open`; or the link cannot be created here.
    """
    if spec.hosts and spec.link != LOOPBACK:
        raise BadInput("--hosts and --link: real hosts have a real link; omit one of them")
    target = Target(spec, catalogue, placement)
    if spec.hosts:
        target.hosts = creation.generator_hosts(spec.hosts)
        with target:
            yield target
        return
    wires = {} if spec.link == LOOPBACK else {spec.link: profile.find(spec.link).wire}
    with creation.link_hosts(spec.link, wires) as target.hosts, target:
        yield target


def _call(spec: TargetSpec, stack: Stack) -> str:
    """Return the call to make.

    Raises:
        BadInput: the server does not support the requested call, or needs a number of items.
    """
    only = only_call(stack)
    if only is None:
        return spec.call or STANDS_FOR
    if spec.call and spec.call != only:
        raise BadInput(f"--call {spec.call}: {spec.name} has one request, which answers {only}: omit --call")
    if only == equivalent.CALL and "n" not in spec.arguments:
        raise BadInput(f"{spec.name} answers {only}, and needs a number of items: --call {only}:n=10")
    return only


def is_loopback(host: str) -> bool:
    """Return whether a name or address belongs to this machine's loopback."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _processes(pids: Sequence[int]) -> str:
    return f"process {pids[0]}" if len(pids) == 1 else f"{len(pids)} processes"
