"""`callbench serve`: servers for people who bring their own client."""

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from callbench.catalog.catalogue import Catalogue
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError
from callbench.runner.serve import chosen
from callbench.runner.serve.offers import Endpoints, Offer
from callbench.runner.serve.typed import Typed
from callbench.runner.stopping import Sigterm, Terminated, stoppable

# What an adapter says where a port or an address cannot be had.
_OF_THE_PLACE = ("out-of-resources", "bad-request", "refused")


@dataclass(frozen=True)
class Request:
    """What was asked for.

    Attributes:
        stacks: names or globs; empty: with `every`, all stacks of the adapters that hold theirs in one process.
        every: whether those are served.
        host: the address to listen on.
        port: the first one; 0: any free ones.
        channels: of `every`, those switched on; empty: every channel there is.
        options: of the contract's `serve`, for each of the stacks.
    """

    stacks: Sequence[str] = ()
    every: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    channels: Sequence[str] = ()
    options: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """Where what happens is shown.

    Attributes:
        message: is given each line for people.
        endpoints: is given where each stack that is on can be reached, whenever that may have changed.
    """

    message: Callable[[str], None]
    endpoints: Callable[[Mapping[str, str]], None]


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


def serve(known: Catalogue, request: Request, shown: Shown) -> None:
    """Serves until Ctrl-C, SIGTERM, or the end of a standard input that somebody types or writes at.

    Args:
        known: what there is.
        request: what of it to serve, and where.
        shown: where what happens is shown.

    Raises:
        BadInput: a name is not known, or the port is taken.
        CallbenchError: nothing could be served, or nothing of it is left.
        KeyboardInterrupt: Ctrl-C.
    """
    with ExitStack() as open_, stoppable():
        try:
            offers = chosen.of(known, request.stacks, request.channels, every=request.every, options=request.options)
            serving, failure = _begun(offers, request, open_, shown.message)
            if not any(offer.endpoints for offer in serving):
                raise _nothing(request, failure)
            shown.endpoints(_endpoints(serving))
            shown.message("Serving. Lines `on NAME` and `off NAME` switch a channel or a stack; Ctrl-C ends it.")
            _obey(serving, shown)
        except Sigterm:
            raise Terminated("stopped") from None


def _begun(
    offers: Sequence[Offer], request: Request, open_: ExitStack, tell: Callable[[str], None]
) -> tuple[list[Offer], AdapterFailure | None]:
    """Starts them all, then serves them one after the other. What says no is told, and the rest goes on.

    Returns:
        Those that serve something, and the last failure.
    """
    failure: AdapterFailure | None = None
    begun = []
    port = request.port
    for offer in offers:
        open_.callback(offer.close)
        try:
            offer.start()
        except AdapterFailure as no:
            failure = no
            tell(f"left out: {no}")
        else:
            begun.append(offer)
    serving = []
    for offer in begun:
        try:
            refused = offer.serve(request.host, port)
        except AdapterFailure as no:
            refused = [no]
            tell(f"left out: {offer.name}: {no}")
        else:
            for one in refused:
                tell(f"left out: {one}")
        port = offer.next_port(port)
        failure = refused[-1] if refused else failure
        if not offer.ended():
            serving.append(offer)
    return serving, failure


def _nothing(request: Request, failure: AdapterFailure | None) -> CallbenchError:
    if failure is None:
        return CallbenchError("nothing here can be served: `callbench doctor` says what is missing")
    if failure.kind in _OF_THE_PLACE:
        return BadInput(f"cannot serve on {request.host} port {request.port}: {failure}")
    return CallbenchError(f"nothing is served: {failure}")


def _obey(serving: list[Offer], shown: Shown) -> None:
    """Does what is typed, and looks now and then whether everything lives."""
    typed = Typed()
    while not typed.over:
        for line in typed.lines():
            _obeyed(serving, line, shown)
        for offer in [offer for offer in serving if offer.ended()]:
            serving.remove(offer)
            shown.message(f"no longer served: {offer.ended()}")
            if not serving:
                raise CallbenchError("nothing is served any more")


def _obeyed(serving: Sequence[Offer], line: str, shown: Shown) -> None:
    words = sorted({word for offer in serving for word in offer.words})
    match line.split():
        case []:
            shown.message("")
        case [("on" | "off") as word, name] if name in words:
            for offer in serving:
                if name in offer.words:
                    try:
                        offer.switch(name, on=word == "on")
                    except AdapterFailure as failure:
                        shown.message(f"{name} stays as it was: {failure}")
            shown.endpoints(_endpoints(serving))
        case [("on" | "off"), name]:
            shown.message(f"there is no channel or stack {name} here: {', '.join(words)} are")
        case _:
            shown.message(f"say `on NAME` or `off NAME`, not {line.strip()!r}; names are {', '.join(words)}")


def _endpoints(serving: Sequence[Offer]) -> Endpoints:
    found: Endpoints = {}
    for offer in serving:
        found |= offer.endpoints
    return found


def lines(endpoints: Mapping[str, str]) -> str:
    """Write where each stack can be reached, a line a stack."""
    width = max((len(stack) for stack in endpoints), default=0)
    return (
        "\n".join(f"{stack:{width}}  {endpoint}" for stack, endpoint in sorted(endpoints.items()))
        or "nothing is served"
    )
