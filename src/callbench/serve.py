"""Serves every endpoint of every adapter that offers it, for people who bring their own client."""

import ipaddress
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TextIO

from callbench.adapter import Adapter
from callbench.catalogue import Catalogue
from callbench.errors import AdapterFailure, BadInput, CallbenchError

_LOOK_SECONDS = 0.5
Endpoints = dict[str, str]


def checked_host(host: str, *, exposed: bool) -> str:
    """The host to listen on.

    Args:
        host: an IP address, or `localhost`.
        exposed: whether addresses that others reach are allowed.

    Raises:
        BadInput: it is no address, or one that others reach.
    """
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError as failure:
        raise BadInput(f"--host {host} is not an IP address: give for instance 127.0.0.1") from failure
    if not address.is_loopback and not exposed:
        raise BadInput(
            f"--host {host} can be reached from other machines, and nothing here asks who calls:"
            " add --i-know-what-i-expose to do so all the same"
        )
    return str(address)


def serve_all(catalogue: Catalogue, host: str, port: int, channels: Sequence[str], tell: Callable[[str], None]) -> None:
    """Serves until stdin ends or Ctrl-C, obeying lines `on CHANNEL` and `off CHANNEL`.

    Args:
        catalogue: whose adapters serve.
        host: the address to listen on.
        port: of HTTP; 0: any free one.
        channels: those switched on; empty: every channel there is.
        tell: is given each line for people.

    Raises:
        BadInput: a channel is not known, or the port is taken.
        CallbenchError: there is nothing that can serve, or an adapter failed.
    """
    known = sorted({stack.channel for stack in catalogue.stacks if stack.card.get("roles") == "both"})
    for channel in channels:
        if channel not in known:
            raise BadInput(f"--channels {channel}: there is no such channel: {', '.join(known)} are")
    with ExitStack() as open_:
        serving = [running for running in _started(catalogue, open_, tell) if "serve-all" in running.hello["features"]]
        if not serving:
            raise CallbenchError(
                "no adapter here can serve all its stacks at once: `callbench doctor` says what is missing"
            )
        try:
            endpoints: Endpoints = {}
            for running in serving:
                endpoints |= running.serve_all(host, port, list(channels) or known)
            tell(shown(endpoints))
            tell("Serving. Lines `on CHANNEL` and `off CHANNEL` switch channels; Ctrl-C ends it.")
            for line in _lines(serving):
                tell(_obeyed(serving, line, known))
        except AdapterFailure as failure:
            if failure.kind in ("out-of-resources", "bad-request", "refused"):
                raise BadInput(f"cannot serve on {host} port {port}: {failure}") from failure
            raise


def _started(catalogue: Catalogue, open_: ExitStack, tell: Callable[[str], None]) -> Iterator[Adapter]:
    for each in catalogue.adapters:
        # An instrument serves nobody but the suite.
        if not each.why_not and not all(stack.instrument for stack in each.stacks):
            try:
                yield open_.enter_context(Adapter(each.manifest, "serving all"))
            except AdapterFailure as failure:
                tell(f"left out: {failure}")


def _lines(serving: Sequence[Adapter]) -> Iterator[str]:
    """Lines of stdin, looking now and then whether all adapters live. Where stdin has ended, until Ctrl-C."""
    source: list[TextIO] = [sys.stdin]
    while True:
        for running in serving:
            if running.process.wait(0) is not None:
                running.ask("counted", "counts", 1)  # says how it died
        if select.select(source, [], [], _LOOK_SECONDS)[0]:
            line = sys.stdin.readline()
            if line:
                yield line
            else:
                source = []


def _obeyed(serving: Sequence[Adapter], line: str, known: Sequence[str]) -> str:
    match line.split():
        case []:
            return ""
        case [("on" | "off") as word, channel] if channel in known:
            endpoints: Endpoints = {}
            for running in serving:
                endpoints |= running.switch(channel, on=word == "on")
            return shown(endpoints)
        case [("on" | "off"), channel]:
            return f"there is no channel {channel}: {', '.join(known)} are"
        case _:
            return f"say `on CHANNEL` or `off CHANNEL`, not {line.strip()!r}"


def shown(endpoints: Endpoints) -> str:
    """One line a stack."""
    width = max((len(stack) for stack in endpoints), default=0)
    return (
        "\n".join(f"{stack:{width}}  {endpoint}" for stack, endpoint in sorted(endpoints.items()))
        or "nothing is served"
    )
