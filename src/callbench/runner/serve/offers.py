"""Servers of `callbench serve`: all stacks of an adapter in one process, or one stack in its own process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from callbench.adapter.session import Adapter
from callbench.catalog.example_call import ITEMS, example_call
from callbench.catalog.manifest import Manifest
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure
from callbench.model.request import KEY, connected_with

Endpoints = dict[str, str]


class AnsweredCalls:
    """The calls of one server, which its adapter counts anew each time that it is asked.

    Attributes:
        calls: by name; None: it cannot count.
    """

    def __init__(self, stack: str | None = None, *, counts: bool = True) -> None:
        """Begin with none. `stack` is the only one that is served; None: the adapter tells them apart."""
        self.calls: Counter[str] | None = Counter() if counts else None
        self._stack = stack
        self._by_stack: dict[str, Counter[str]] | None = {}

    def add(self, adapter: Adapter) -> None:
        """Ask how many calls were answered since it was asked before, and add them."""
        if self.calls is None:
            return
        try:
            counts = adapter.counted()
        except AdapterFailure:
            # Of one that has died, `OfferedServer.ended` says so.
            self.calls = None
            return
        self.calls.update(counts["calls"])
        by_stack = {self._stack: counts["calls"]} if self._stack else counts.get("endpoints")
        if by_stack is None or self._by_stack is None:
            # An adapter need not tell them apart.
            self._by_stack = None
            return
        for stack, calls in by_stack.items():
            self._by_stack.setdefault(stack, Counter()).update(calls)

    def of(self, stack: str) -> Counter[str] | None:
        """Return those of one stack, by name; None: nobody counts them for themselves."""
        if self.calls is None or self._by_stack is None:
            return None
        return self._by_stack.get(stack, Counter())


class OfferedServer(Protocol):
    """Something that can be served, and switched on and off by name.

    Attributes:
        name: its name in sentences.
        words: the names that a user can switch.
        endpoints: the endpoints of what is on, by stack.
        answered: the calls that it has answered, as `count` saw them.
        examples: a command line for each that is on, which makes one call; None: no common program can.
    """

    name: str
    words: Sequence[str]
    endpoints: Endpoints
    answered: AnsweredCalls
    examples: Mapping[str, str | None]

    def start(self) -> None:
        """Start the processes without waiting for them.

        Raises:
            AdapterFailure: one cannot be started.
        """

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """Serve at a port; 0: any free one. Return the failures of parts that cannot be switched on.

        Raises:
            AdapterFailure: nothing can be served.
        """

    def next_port(self, port: int) -> int:
        """Return the port for the next server, if `port` was for this one; 0: any."""

    def switch(self, word: str, *, on: bool) -> None:
        """Switch a part on or off.

        Raises:
            AdapterFailure: the adapter refuses.
        """

    def count(self) -> None:
        """Ask how many calls were answered since it was asked before, and add them up."""

    def ended(self) -> str | None:
        """Return how it died; None if it lives."""

    def close(self) -> None:
        """End all of its processes."""


class AdapterServer:
    """All stacks of an adapter in one process: the contract's `serve-all`."""

    def __init__(self, manifest: Manifest, known: Sequence[str], wanted: Sequence[str]) -> None:
        """Store the adapter's channels (`known`), and those to switch on first."""
        self.name = manifest.name
        self.words = known
        self.endpoints: Endpoints = {}
        self.answered = AnsweredCalls()
        self.examples: Mapping[str, str | None] = {}
        self._manifest = manifest
        self._wanted = wanted
        self._adapter: Adapter | None = None

    def start(self) -> None:
        """As `OfferedServer.start`."""
        self._adapter = Adapter(self._manifest, "serving all")

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """As `OfferedServer.serve`, channel by channel: a channel that fails does not affect the others."""
        running = _start_adapter(self._adapter).read_hello()
        self.endpoints = running.serve_all(host, port, [])
        refused = []
        for channel in self._wanted:
            try:
                self.switch(channel, on=True)
            except AdapterFailure as failure:
                refused.append(failure)
        return refused

    def next_port(self, port: int) -> int:
        """As `OfferedServer.next_port`. This server uses several ports, so the others take any."""
        del port
        return 0

    def switch(self, word: str, *, on: bool) -> None:
        """As `OfferedServer.switch`."""
        self.endpoints = _start_adapter(self._adapter).switch(word, on=on)
        known = {stack.id: stack for stack in self._manifest.stacks}
        self.examples = {name: example_call(known[name], at) for name, at in self.endpoints.items() if name in known}

    def count(self) -> None:
        """As `OfferedServer.count`."""
        self.answered.add(_start_adapter(self._adapter))

    def ended(self) -> str | None:
        """As `OfferedServer.ended`."""
        return _why_ended(self._adapter)

    def close(self) -> None:
        """As `OfferedServer.close`."""
        if self._adapter is not None:
            self._adapter.stop()


class StackServer:
    """One stack's server, and its backend if the card names one."""

    def __init__(
        self, stack: Stack, manifest: Manifest, backend: tuple[Manifest, str] | None, options: Mapping[str, object]
    ) -> None:
        """Store the stack, its server's adapter, its backend, and options of `serve`."""
        self.name = stack.id
        self.words: Sequence[str] = (stack.id,)
        self.endpoints: Endpoints = {}
        self.answered = AnsweredCalls(stack.id, counts=stack.card.get("counts") is not False)
        self.examples: Mapping[str, str | None] = {}
        self._stack = stack
        self._manifest = manifest
        self._behind = backend
        self._options = dict(options)
        self._adapters: list[Adapter] = []
        self._place = ("127.0.0.1", 0)

    def start(self) -> None:
        """As `OfferedServer.start`."""
        if self._behind is not None:
            self._adapters.append(Adapter(self._behind[0], "the backend"))
        self._adapters.append(Adapter(self._manifest, "the server"))

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """As `OfferedServer.serve`."""
        self._place = (host, port)
        for adapter in self._adapters:
            adapter.read_hello()
        why_not = self._adapters[-1].unavailable(self._stack.id)
        if why_not:
            raise AdapterFailure("unsupported", why_not)
        if self._behind is not None:
            self._options["backend"] = self._adapters[0].serve(self._behind[1], host)
        self.switch(self.name, on=True)
        return []

    def next_port(self, port: int) -> int:
        """As `OfferedServer.next_port`: the following port."""
        return port + 1 if port else 0

    def switch(self, word: str, *, on: bool) -> None:
        """As `OfferedServer.switch`."""
        server = self._adapters[-1]
        if on and not self.endpoints:
            host, port = self._place
            if port > _LAST_PORT:
                raise AdapterFailure("bad-request", f"no port is left for {self.name}: give a lower --port")
            endpoint = server.serve(word, host, self._options, port=port)
            self.endpoints = {word: _reached(self._stack, endpoint)}
            self.examples = {word: example_call(self._stack, endpoint)}
        elif not on and self.endpoints:
            # What it has answered goes with it.
            self.count()
            server.stop_serving()
            self.endpoints, self.examples = {}, {}

    def count(self) -> None:
        """As `OfferedServer.count`."""
        if self.endpoints:
            self.answered.add(self._adapters[-1])

    def ended(self) -> str | None:
        """As `OfferedServer.ended`."""
        return next((how for how in map(_why_ended, self._adapters) if how), None)

    def close(self) -> None:
        """As `OfferedServer.close`."""
        for adapter in reversed(self._adapters):
            adapter.stop()


_LAST_PORT = 65_535


def _reached(stack: Stack, endpoint: str) -> str:
    """Return the address for a user's own client, with the path of the card's request if there is only one."""
    table = stack.card.get(KEY)
    if not stack.half or table is None or "external" in stack.card:
        return endpoint
    whole = connected_with(table, endpoint, {})[0].replace("{n}", ITEMS)
    method = table.get("method", "GET")
    return whole if method == "GET" or urlsplit(whole).scheme == "" else f"{whole} ({method})"


def _start_adapter(adapter: Adapter | None) -> Adapter:
    if adapter is None:
        raise AdapterFailure("died", "it was not started")
    return adapter


def _why_ended(adapter: Adapter | None) -> str | None:
    if adapter is None or adapter.process.closed:
        return None
    died = adapter.process.died()
    return str(died) if died else None
