"""The two sides of a stack: server and client in two processes, or one process for both.

A server whose card names a `backend` has a third process. The link then lies between server and backend: the server
runs on the client's host, and the backend on the server's. If the backend has a host of its own, the
server stays on its own host.
"""

import time
from typing import Self, cast

from callbench.adapter.contract import Counts, Options
from callbench.adapter.external import processes
from callbench.adapter.joint_drive.client import Generators
from callbench.adapter.network.host import LOOPBACK_HOSTS, Host, Hosts, why_unreachable
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.catalog import external
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack
from callbench.model.errors import OF_THE_ADAPTER, AdapterFailure
from callbench.store.lines.starts import HelloRecord

_ENDS_SECONDS = 0.1


class Sides:
    """Both started sides of a stack. Close them, and nothing of them is left.

    Attributes:
        hosts: their hosts.
        started: when they were started, in seconds on the monotonic clock.
        server: the serving adapter.
        client: the calling adapter; the same as `server` if the stack is in-process.
        backend: the adapter that the server asks, or None.
        backend_counts: the backend's last counts.
        counts: whether the server can count, by its card.
        compiles: whether a side's manifest says that its runtime compiles while it runs.
        warm_up_limit_s: seconds after which a warm-up ends in any case; None: the usual limits.
        warmed_s: seconds that these processes were driven before, by operation.
        steady: operations with a steady warm-up; their further cells need less.
        external: a server that runs by itself; None if it was started here.
    """

    def __init__(
        self,
        programs: Programs,
        placement: Placement,
        *,
        in_process: bool,
        hosts: Hosts = LOOPBACK_HOSTS,
        greet: bool = True,
    ) -> None:
        """Start each side on its host.

        Args:
            programs: what to start.
            placement: the processors.
            in_process: whether one process is both sides.
            hosts: of the link.
            greet: whether to read the hello messages; otherwise `read_hello` must be called before any request.

        Raises:
            AdapterFailure: a side cannot be started.
        """
        self.started = time.monotonic()
        self.hosts = hosts
        self.external: processes.RunningServer | None = None
        part = "both sides" if in_process else "the client"
        self.counts = programs.counts
        self.compiles = programs.compiles
        self.warm_up_limit_s = programs.warm_up_limit_s
        self.warmed_s: dict[str, float] = {}
        self.steady: set[str] = set()
        self.client: Adapter = (
            Generators(programs.client, hosts.generators, placement.client, programs.request)
            if hosts.generators
            else Adapter(programs.client, part, placement.client, hosts.client, programs.request)
        )
        self.server = self.client
        self.backend: Adapter | None = None
        self.backend_counts: Counts | None = None
        self._backend_stack = self._behind = ""
        self._server_host, self._backend_host = hosts.server, hosts.backend or hosts.server
        try:
            if programs.backend is not None:
                manifest, self._backend_stack = programs.backend
                self._server_host = hosts.client if hosts.backend is None else hosts.server
                self.backend = Adapter(manifest, "the backend", placement.server, self._backend_host)
            if not in_process:
                self.server = Adapter(programs.server, "the server", placement.server, self._server_host)
        except BaseException:
            self.close(at_once=True)
            raise
        if greet:
            self.read_hello()

    def read_hello(self) -> Self:
        """Read the hello messages of processes that were started without. Return the sides.

        Raises:
            AdapterFailure: a message is late, wrong or missing. All processes are ended then.
        """
        try:
            for side in dict.fromkeys((*((self.backend,) if self.backend else ()), self.server, self.client)):
                side.read_hello()
        except BaseException:
            self.close(at_once=True)
            raise
        return self

    def serve(self, stack: Stack, options: Options | None = None) -> str:
        """Serve a stack on the server's host, with options of the server. Return its endpoint.

        Raises:
            AdapterFailure: the server cannot serve, or serves at another address.
        """
        wanted = dict(options or {})
        if external.runs_by_itself(stack):
            # The server runs on processors of its own choice.
            endpoint = self.server.serve(stack.server, self._server_host.address, wanted)
            self.external = processes.running_server(stack.card[external.KEY])
            return endpoint
        if self.backend is not None:
            # It is served once and keeps its options.
            self._behind = self._behind or _served(self.backend, self._backend_stack, self._backend_host, {})
            wanted["backend"] = self._behind
        return _served(self.server, stack.server, self._server_host, wanted)

    def unavailable(self, stack: Stack) -> str | None:
        """Return why one of the sides cannot run the stack here; None if both can."""
        return self.client.unavailable(stack.client) or self.server.unavailable(stack.server)

    def counted(self) -> Counts | None:
        """Return what the server answered since the last request; None if its card says that it cannot count.

        Raises:
            AdapterFailure: as in `Adapter.counted`.
        """
        if self.backend is not None:
            # Only this request would notice that the backend is gone.
            self.backend_counts = self.backend.counted()
        try:
            return self.server.counted()
        except AdapterFailure as failure:
            if failure.kind != "unsupported":
                raise
            if not self.counts:
                return None
            who = self.server.process.who
            raise AdapterFailure(
                "protocol", f"{who} cannot count: {failure}; its card must say counts = false"
            ) from None

    @property
    def hello(self) -> HelloRecord:
        """Return the client's hello message, with the server's libraries if the server is another program."""
        mine, other = self.client.hello, self.server.hello
        kept = {key: value for key, value in mine.items() if key not in ("is", "stacks", "unavailable")}
        hello = cast("HelloRecord", kept)
        if mine["adapter"] != other["adapter"]:
            hello["libraries"] = {**other["libraries"], **mine["libraries"]}
            hello["runtime"] = f"{mine['runtime']}; the server: {other['runtime']}"
        if hosts := self._adapters_elsewhere():
            hello["hosts"] = hosts
        return hello

    def _adapters_elsewhere(self) -> dict[str, list[str]]:
        """Return which adapters run on hosts with agents, by host: their versions need not be alike."""
        found: dict[str, list[str]] = {}
        for adapter in dict.fromkeys((*self.client.every, self.server, *((self.backend,) if self.backend else ()))):
            if adapter.host.elsewhere:
                said = adapter.hello
                found.setdefault(adapter.host.name, []).append(
                    f"{said['adapter']} {said['version']} ({said['runtime']})"
                )
        return found

    @property
    def features(self) -> frozenset[str]:
        """The features of both sides."""
        return frozenset(self.client.hello["features"]) & frozenset(self.server.hello["features"])

    @property
    def broken(self) -> bool:
        """Whether a side died or broke the contract."""
        return self.client.broken or self.server.broken or (self.backend is not None and self.backend.broken)

    def attribute_failure(self, failure: AdapterFailure) -> AdapterFailure:
        """Return the error to report for a failed client call: the server's own error if it has one, else the client's.

        A server that ran out of memory reports it at the next request; a dead one cannot be asked. The client only sees
        a time-out or a closed connection.
        """
        of_the_caller = {*OF_THE_ADAPTER, "bad-request", "cannot-carry", "fault"}
        if self.server is self.client or failure.kind in of_the_caller:
            return failure
        if not self.counts:
            # An external server closes its connections a moment before it and its adapter have ended.
            time.sleep(_ENDS_SECONDS)
        try:
            self.server.counted()
        except AdapterFailure as its:
            return failure if its.kind == "unsupported" else its
        return failure

    def close(self, *, at_once: bool = False) -> None:
        """End both sides: politely, and by force after 5 s.

        Args:
            at_once: whether to use force without waiting.
        """
        for side in dict.fromkeys((self.client, self.server, *((self.backend,) if self.backend else ()))):
            if at_once:
                side.kill()
            else:
                side.stop()

    def __enter__(self) -> Self:
        """Return the sides."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Close them; at once if something failed."""
        self.close(at_once=kind is not None)


def _served(adapter: Adapter, stack: str, host: Host, options: Options) -> str:
    endpoint = adapter.serve(stack, host.address, options)
    wrong = why_unreachable(endpoint, host)
    if wrong:
        raise AdapterFailure("protocol", f"{adapter.process.who} {wrong}")
    return endpoint
