"""`callbench torture`."""

from typing import Annotated

import typer

from callbench.cli.options.grouped import StabilityOptions, grouped
from callbench.cli.options.server import ServerArgument, ServerOptions
from callbench.model.errors import BadInput

# So long without an answer is a verdict.
_TIMEOUT_S = 2.0


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: ServerArgument = "",
    test: Annotated[
        str, typer.Option("--test", metavar="NAME,NAME,...", help="Tests to make, separated by commas. Default: all.")
    ] = "",
    connections: Annotated[
        int, typer.Option("--connections", min=1, max=60_000, help="Number of bad connections at once.")
    ] = 1000,
    pace: Annotated[
        float,
        typer.Option("--connect-rate", min=0.1, max=1e6, help="Largest number of new bad connections per second."),
    ] = 2000.0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, max=3600, help="Duration of each test in seconds.")
    ] = 10.0,
    patience: Annotated[
        float,
        typer.Option(
            "--recovery-timeout",
            min=0,
            max=3600,
            metavar="SECONDS",
            help="Time limit in seconds for the server to recover.",
        ),
    ] = 30.0,
    within: Annotated[
        float,
        typer.Option(
            "--slow-factor",
            min=1.01,
            max=1e6,
            help="Degraded: the median latency is more than this many times what it was before.",
        ),
    ] = 3.0,
    hosts: Annotated[
        str | None,
        typer.Option(
            "--hosts", hidden=True, help="Refused: run it on the host that opens the connections. Default: none."
        ),
    ] = None,
    *,
    shared: StabilityOptions,
) -> None:
    """Open misbehaving connections, and watch what normal calls meet.

    Each test has a verdict: survived, degraded, refused, hung or died.
    """
    from callbench.cli.recorded import stability
    from callbench.cli.recorded.torture import TortureCommand
    from callbench.store.requested.torture import TortureRequest

    if hosts is not None:
        raise BadInput(
            f"--hosts {hosts}: torture opens its bad connections from one machine: run it on that host, with the URL of"
            " the server and --any-host"
        )
    names = tuple(name.strip() for name in test.split(",") if name.strip())
    request = TortureRequest(names, connections, pace, seconds, patience, within)
    TortureCommand(stability.spec(server, shared, what, _TIMEOUT_S), request, shared).go()
