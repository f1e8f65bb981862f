"""`callbench serve`: run servers for people who bring their own client."""

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from callbench.catalog.catalogue import Catalogue
from callbench.model.errors import AdapterFailure, BadInput, CallbenchError
from callbench.runner.serve import selection
from callbench.runner.serve.input_lines import InputLines
from callbench.runner.serve.offers import Endpoints, OfferedServer
from callbench.runner.serve.status import StatusFile

# Error kinds of an adapter that cannot have a port or an address.
_OF_THE_PLACE = ("out-of-resources", "bad-request", "refused")


@dataclass(frozen=True)
class ServeRequest:
    """The options of `callbench serve`.

    Attributes:
        stacks: names or globs; if empty, `every` selects all stacks of the adapters that serve all in one process.
        every: whether to serve all of those.
        host: the address to listen on.
        port: the first port; 0: any free ports.
        channels: for `every`: the channels to switch on; empty: all.
        options: options of the contract's `serve`, for each stack.
        status: a file for what is on, where, and how often it was called; None: none.
    """

    stacks: Sequence[str] = ()
    every: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    channels: Sequence[str] = ()
    options: dict[str, object] = field(default_factory=dict)
    status: Path | None = None


@dataclass(frozen=True)
class Output:
    """Callbacks for output.

    Attributes:
        message: shows a line of text.
        endpoints: receives the endpoints of all active stacks, whenever they may have changed.
    """

    message: Callable[[str], None]
    endpoints: Callable[[Mapping[str, str]], None]


def check_host(host: str, *, exposed: bool) -> str:
    """Return the address to listen on.

    Args:
        host: an IP address, or `localhost`.
        exposed: whether addresses that other machines can reach are allowed.

    Raises:
        BadInput: it is not an address, or one that other machines can reach.
    """
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError as failure:
        raise BadInput(f"--host {host} is not an IP address: give for instance 127.0.0.1") from failure
    if not address.is_loopback and not exposed:
        raise BadInput(
            f"--host {host} can be reached from other machines, and there is no authentication:"
            " add --i-know-what-i-expose to allow that"
        )
    return str(address)


def serve(catalogue: Catalogue, request: ServeRequest, output: Output) -> None:
    """Serve until Ctrl-C, SIGTERM, or the end of a standard input that has a writer.

    Args:
        catalogue: all stacks.
        request: what to serve, and where.
        output: shows what happens.

    Raises:
        BadInput: a name is unknown, or the port is in use.
        CallbenchError: nothing could be served, or all servers have ended.
        KeyboardInterrupt: the user pressed Ctrl-C; `Sigterm` likewise.
    """
    with ExitStack() as open_:
        status = None if request.status is None else open_.enter_context(closing(StatusFile(request.status)))
        servers = selection.of(
            catalogue, request.stacks, request.channels, every=request.every, options=request.options
        )
        serving, failure = _start_all(servers, request, open_, output.message)
        if not any(server.endpoints for server in serving):
            raise _why_nothing_served(request, failure)
        output.endpoints(_endpoints(serving))
        output.message("Serving. Lines `on NAME` and `off NAME` switch a channel or a stack; Ctrl-C ends it.")
        _run_commands(serving, output, status)


def _start_all(
    servers: Sequence[OfferedServer], request: ServeRequest, open_: ExitStack, show: Callable[[str], None]
) -> tuple[list[OfferedServer], AdapterFailure | None]:
    """Start all servers, then serve them one after the other. A refused one is reported, and the rest continues.

    Returns:
        The servers that serve something, and the last failure.
    """
    failure: AdapterFailure | None = None
    started = []
    port = request.port
    for server in servers:
        open_.callback(server.close)
        try:
            server.start()
        except AdapterFailure as no:
            failure = no
            show(f"left out: {no}")
        else:
            started.append(server)
    serving = []
    for server in started:
        try:
            refused = server.serve(request.host, port)
        except AdapterFailure as no:
            refused = [no]
            show(f"left out: {server.name}: {no}")
        else:
            for refusal in refused:
                show(f"left out: {refusal}")
        port = server.next_port(port)
        failure = refused[-1] if refused else failure
        if not server.ended():
            serving.append(server)
    return serving, failure


def _why_nothing_served(request: ServeRequest, failure: AdapterFailure | None) -> CallbenchError:
    if failure is None:
        return CallbenchError("nothing here can be served: `callbench doctor` says what is missing")
    if failure.kind in _OF_THE_PLACE:
        return BadInput(f"cannot serve on {request.host} port {request.port}: {failure}")
    refused = CallbenchError(f"nothing is served: {failure}")
    refused.exit_code = failure.exit_code
    return refused


def _run_commands(serving: list[OfferedServer], output: Output, status: StatusFile | None) -> None:
    """Run the commands of standard input, and check regularly whether all servers live."""
    input_ = InputLines()
    while not input_.over:
        if status is not None:
            status.offer(serving)
        for line in input_.lines():
            _run_command(serving, line, output)
        for server in [server for server in serving if server.ended()]:
            serving.remove(server)
            output.message(f"no longer served: {server.ended()}")
            if not serving:
                raise CallbenchError("nothing is served any more")


def _run_command(serving: Sequence[OfferedServer], line: str, output: Output) -> None:
    words = sorted({word for server in serving for word in server.words})
    match line.split():
        case []:
            output.message("")
        case [("on" | "off") as word, name] if name in words:
            for server in serving:
                if name in server.words:
                    try:
                        server.switch(name, on=word == "on")
                    except AdapterFailure as failure:
                        output.message(f"{name} stays as it was: {failure}")
            output.endpoints(_endpoints(serving))
        case [("on" | "off"), name]:
            output.message(f"there is no channel or stack {name} here: {', '.join(words)} are")
        case _:
            output.message(f"say `on NAME` or `off NAME`, not {line.strip()!r}; names are {', '.join(words)}")


def _endpoints(serving: Sequence[OfferedServer]) -> Endpoints:
    found: Endpoints = {}
    for server in serving:
        found |= server.endpoints
    return found


def lines(endpoints: Mapping[str, str]) -> str:
    """Return the endpoints as text, one line per stack."""
    width = max((len(stack) for stack in endpoints), default=0)
    return (
        "\n".join(f"{stack:{width}}  {endpoint}" for stack, endpoint in sorted(endpoints.items()))
        or "nothing is served"
    )
