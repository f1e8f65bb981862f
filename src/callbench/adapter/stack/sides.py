"""The two sides of a stack: a server and a client, each a process; or one process that plays both.

A server whose card names a `backend` has a third process behind it. What lies between the hosts then lies between those
two: the server plays beside its client, and the backend where the server would.
"""

import time
from typing import Any, Self

from callbench.adapter.contract import Counts, Options
from callbench.adapter.external import processes
from callbench.adapter.network.host import LOOPBACK_HOSTS, Host, Hosts, misplaced
from callbench.adapter.placement import Placement
from callbench.adapter.session import Adapter
from callbench.catalog import external
from callbench.catalog.manifest import Programs
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure

_ENDS_SECONDS = 0.1


class Sides:
    """Both sides of a stack, started. Close them: nothing of them is then left.

    Attributes:
        hosts: that they run on.
        started: when they were, in seconds on the monotonic clock.
        server: serves.
        client: connects, calls, drives. The same one where the stack is in-process.
        backend: what the server asks, or None.
        backend_counts: what that said when last asked what it answered.
        compiles: whether a side's manifest says that its runtime compiles while it runs.
        warm_up_limit_s: after how many seconds a warm-up is to end in any case; None: as is usual.
        warmed_s: how long these processes were driven before, in seconds by operation: what was compiled stays.
        steady: the operations whose warm-up was steady once: a further cell of them needs less.
        elsewhere: a server that runs by itself, whose processes can be looked for; None of one started here.
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
        """Starts what is needed, each side on its host.

        Args:
            programs: what to start.
            placement: on which processors.
            in_process: whether one process plays both sides.
            hosts: of the link between them.
            greet: hears their hellos; else `greeted` is to be called before anything is asked of them.

        Raises:
            AdapterFailure: a side cannot be started.
        """
        self.started = time.monotonic()
        self.hosts = hosts
        self.elsewhere: processes.Running | None = None
        part = "both sides" if in_process else "the client"
        self._counts = programs.counts
        self.compiles = programs.compiles
        self.warm_up_limit_s = programs.warm_up_limit_s
        self.warmed_s: dict[str, float] = {}
        self.steady: set[str] = set()
        self.client = Adapter(programs.client, part, placement.client, hosts.client.entered(), programs.request)
        self.server = self.client
        self.backend: Adapter | None = None
        self.backend_counts: Counts | None = None
        self._backend_stack = self._behind = ""
        self._server_host = hosts.server
        try:
            if programs.backend is not None:
                manifest, self._backend_stack = programs.backend
                self._server_host = hosts.client
                self.backend = Adapter(manifest, "the backend", placement.server, hosts.server.entered())
            if not in_process:
                entered = self._server_host.entered()
                self.server = Adapter(programs.server, "the server", placement.server, entered)
        except BaseException:
            self.close(at_once=True)
            raise
        if greet:
            self.greeted()

    def greeted(self) -> Self:
        """Hears the hellos of processes that were started without. Returns itself, ready to serve.

        Raises:
            AdapterFailure: a hello is late, wrong or missing: all are ended then.
        """
        try:
            for side in dict.fromkeys((*((self.backend,) if self.backend else ()), self.server, self.client)):
                side.greeted()
        except BaseException:
            self.close(at_once=True)
            raise
        return self

    def serve(self, stack: Stack, options: Options | None = None) -> str:
        """Serves a stack on the server's host, with options of the server. Returns its endpoint.

        Raises:
            AdapterFailure: the server cannot, or serves somewhere else.
        """
        wanted = dict(options or {})
        if external.is_elsewhere(stack):
            # It runs where it runs, on any processor.
            endpoint = self.server.serve(stack.server, self._server_host.address, wanted)
            self.elsewhere = processes.of_table(stack.card[external.KEY])
            return endpoint
        if self.backend is not None:
            # Served once: it stays as it is, whatever the server is told.
            self._behind = self._behind or _served(self.backend, self._backend_stack, self.hosts.server, {})
            wanted["backend"] = self._behind
        return _served(self.server, stack.server, self._server_host, wanted)

    def unavailable(self, stack: Stack) -> str | None:
        """Why one of them says itself that it cannot play its side here."""
        return self.client.unavailable(stack.client) or self.server.unavailable(stack.server)

    def counted(self) -> Counts | None:
        """What the server answered since last asked; None of one whose card says that it cannot count.

        Raises:
            AdapterFailure: as `Adapter.counted`.
        """
        if self.backend is not None:
            # Nobody else speaks with it: that it is gone shows here.
            self.backend_counts = self.backend.counted()
        try:
            return self.server.counted()
        except AdapterFailure as failure:
            if failure.kind != "unsupported":
                raise
            if not self._counts:
                return None
            who = self.server.process.who
            raise AdapterFailure(
                "protocol", f"{who} cannot count: {failure}; its card must say counts = false"
            ) from None

    @property
    def hello(self) -> dict[str, Any]:
        """What the client said of itself, for the record; where the server is another program, its libraries too."""
        mine, other = self.client.hello, self.server.hello
        said: dict[str, Any] = {key: value for key, value in mine.items() if key not in ("is", "stacks", "unavailable")}
        if mine["adapter"] != other["adapter"]:
            said["libraries"] = {**other["libraries"], **mine["libraries"]}
            said["runtime"] = f"{mine['runtime']}; the server: {other['runtime']}"
        return said

    @property
    def features(self) -> frozenset[str]:
        """What both can."""
        return frozenset(self.client.hello["features"]) & frozenset(self.server.hello["features"])

    @property
    def broken(self) -> bool:
        """Whether a side died or left the contract."""
        return self.client.broken or self.server.broken or (self.backend is not None and self.backend.broken)

    def blamed(self, failure: AdapterFailure) -> AdapterFailure:
        """What to tell of a client's call that failed: the server's own word where it has one, else the client's.

        A server that ran out of memory in the call says so when it is asked next; one that died cannot be asked. The
        client sees a time-out or a closed connection of both.
        """
        of_the_caller = ("died", "silent", "garbage", "bad-request", "cannot-carry", "fault")
        if self.server is self.client or failure.kind in of_the_caller:
            return failure
        if not self._counts:
            # Somebody else's server closes its connections a moment before it has ended, and what started it with it.
            time.sleep(_ENDS_SECONDS)
        try:
            self.server.counted()
        except AdapterFailure as its:
            return failure if its.kind == "unsupported" else its
        return failure

    def close(self, *, at_once: bool = False) -> None:
        """Ends both: politely, and by force after 5 s.

        Args:
            at_once: by force without waiting.
        """
        for side in dict.fromkeys((self.client, self.server, *((self.backend,) if self.backend else ()))):
            if at_once:
                side.process.close(grace=0)
            else:
                side.stop()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Closes them: at once where something went wrong."""
        self.close(at_once=kind is not None)


def _served(adapter: Adapter, stack: str, host: Host, options: Options) -> str:
    endpoint = adapter.serve(stack, host.address, options)
    wrong = misplaced(endpoint, host)
    if wrong:
        raise AdapterFailure("protocol", f"{adapter.process.who} {wrong}")
    return endpoint
