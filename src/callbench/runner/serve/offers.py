"""What is served: all stacks of an adapter in one process, or one stack in a process of its own."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from callbench.adapter.session import Adapter
from callbench.catalog.manifest import Manifest
from callbench.model.cell import Stack
from callbench.model.errors import AdapterFailure
from callbench.model.request import KEY, connected_with

Endpoints = dict[str, str]
# How many items an endpoint that answers FindItems is shown with.
_ITEMS = "10"


class Offer(Protocol):
    """Something that can be served, and switched on and off by its words.

    Attributes:
        name: how sentences name it.
        words: what a person may switch.
        endpoints: of what is on, by stack.
    """

    name: str
    words: Sequence[str]
    endpoints: Endpoints

    def start(self) -> None:
        """Starts its processes without waiting for them.

        Raises:
            AdapterFailure: one cannot be started.
        """

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """Serves it at a port; 0: any free one. Returns what of it could not be switched on.

        Raises:
            AdapterFailure: nothing of it can be served.
        """

    def next_port(self, port: int) -> int:
        """The port for the next one, where `port` was for this one; 0 where any will do."""

    def switch(self, word: str, *, on: bool) -> None:
        """Switches what is called so.

        Raises:
            AdapterFailure: the adapter says no.
        """

    def ended(self) -> str | None:
        """How it died, if it has."""

    def close(self) -> None:
        """Ends it: nothing of it is then left."""


class Everything:
    """All stacks of an adapter in one process: the contract's `serve-all`."""

    def __init__(self, manifest: Manifest, known: Sequence[str], wanted: Sequence[str]) -> None:
        """Takes its own channels (`known`), and those of them to be switched on at first."""
        self.name = manifest.name
        self.words = known
        self.endpoints: Endpoints = {}
        self._manifest = manifest
        self._wanted = wanted
        self._adapter: Adapter | None = None

    def start(self) -> None:
        """As `Offer.start`."""
        self._adapter = Adapter(self._manifest, "serving all")

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """As `Offer.serve`. Channel by channel: one that cannot be had does not take the rest along."""
        running = _begun(self._adapter).greeted()
        self.endpoints = running.serve_all(host, port, [])
        refused = []
        for channel in self._wanted:
            try:
                self.switch(channel, on=True)
            except AdapterFailure as failure:
                refused.append(failure)
        return refused

    def next_port(self, port: int) -> int:
        """As `Offer.next_port`: this one takes as many as its channels need, so that others had better take any."""
        del port
        return 0

    def switch(self, word: str, *, on: bool) -> None:
        """As `Offer.switch`."""
        self.endpoints = _begun(self._adapter).switch(word, on=on)

    def ended(self) -> str | None:
        """As `Offer.ended`."""
        return _death(self._adapter)

    def close(self) -> None:
        """As `Offer.close`."""
        if self._adapter is not None:
            self._adapter.stop()


class One:
    """One stack's server, and the backend behind it where its card names one."""

    def __init__(
        self, stack: Stack, manifest: Manifest, backend: tuple[Manifest, str] | None, options: Mapping[str, object]
    ) -> None:
        """Takes the stack, what plays its server, what stands behind it, and options of `serve`."""
        self.name = stack.id
        self.words: Sequence[str] = (stack.id,)
        self.endpoints: Endpoints = {}
        self._stack = stack
        self._manifest = manifest
        self._behind = backend
        self._options = dict(options)
        self._adapters: list[Adapter] = []
        self._place = ("127.0.0.1", 0)

    def start(self) -> None:
        """As `Offer.start`."""
        if self._behind is not None:
            self._adapters.append(Adapter(self._behind[0], "the backend"))
        self._adapters.append(Adapter(self._manifest, "the server"))

    def serve(self, host: str, port: int) -> list[AdapterFailure]:
        """As `Offer.serve`."""
        self._place = (host, port)
        for adapter in self._adapters:
            adapter.greeted()
        why_not = self._adapters[-1].unavailable(self._stack.id)
        if why_not:
            raise AdapterFailure("unsupported", why_not)
        if self._behind is not None:
            self._options["backend"] = self._adapters[0].serve(self._behind[1], host)
        self.switch(self.name, on=True)
        return []

    def next_port(self, port: int) -> int:
        """As `Offer.next_port`: the one behind."""
        return port + 1 if port else 0

    def switch(self, word: str, *, on: bool) -> None:
        """As `Offer.switch`."""
        server = self._adapters[-1]
        if on and not self.endpoints:
            host, port = self._place
            if port > _LAST_PORT:
                raise AdapterFailure("bad-request", f"no port is left for {self.name}: give a lower --port")
            self.endpoints = {word: _reached(self._stack, server.serve(word, host, self._options, port=port))}
        elif not on and self.endpoints:
            server.stop_serving()
            self.endpoints = {}

    def ended(self) -> str | None:
        """As `Offer.ended`."""
        return next((how for how in map(_death, self._adapters) if how), None)

    def close(self) -> None:
        """As `Offer.close`."""
        for adapter in reversed(self._adapters):
            adapter.stop()


_LAST_PORT = 65_535


def _reached(stack: Stack, endpoint: str) -> str:
    """Where a client of one's own finds it: with the path of its card's request, where it is called by one alone."""
    table = stack.card.get(KEY)
    if not stack.half or table is None or "external" in stack.card:
        return endpoint
    whole = connected_with(table, endpoint, {})[0].replace("{n}", _ITEMS)
    method = table.get("method", "GET")
    return whole if method == "GET" or urlsplit(whole).scheme == "" else f"{whole} ({method})"


def _begun(adapter: Adapter | None) -> Adapter:
    if adapter is None:
        raise AdapterFailure("died", "it was not started")
    return adapter


def _death(adapter: Adapter | None) -> str | None:
    if adapter is None or adapter.process.closed:
        return None
    died = adapter.process.died()
    return str(died) if died else None
