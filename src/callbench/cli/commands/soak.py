"""`callbench soak`."""

from typing import Annotated

import typer

from callbench.cli.options.grouped import StabilityOptions, grouped
from callbench.cli.options.parameters import GeneratorHosts, Think
from callbench.cli.options.server import ServerArgument, ServerOptions


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: ServerArgument = "",
    clients: Annotated[
        str,
        typer.Option("--clients", metavar="N,N,...", help="Number of clients in each step, separated by commas."),
    ] = "1,10,50",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, max=1e7, help="Duration of each step in seconds.")
    ] = 60.0,
    rest: Annotated[
        float,
        typer.Option("--rest", min=0, max=1e6, metavar="SECONDS", help="Seconds without clients after each step."),
    ] = 10.0,
    every: Annotated[
        float | None,
        typer.Option(
            "--every",
            min=0.05,
            max=600,
            metavar="SECONDS",
            help="Length of a slice in seconds. Default: 1, or less in a short step.",
        ),
    ] = None,
    think: Think = 0.0,
    hosts: GeneratorHosts = None,
    restart: Annotated[bool, typer.Option("--restart", help="Start a server that died again, and continue.")] = False,
    *,
    shared: StabilityOptions,
) -> None:
    """Load a server for a long time and watch its health.

    Clients call step by step. Slices of a second record rate, latency, errors, memory, threads and open files.
    """
    from callbench.cli.recorded import stability
    from callbench.cli.recorded.soak import SoakCommand
    from callbench.runner.machine import real_hosts
    from callbench.runner.stability.soak import slice_s
    from callbench.store.requested.soak import SoakRequest

    request = SoakRequest(stability.steps(clients), seconds, rest, slice_s(seconds, every), restart, think)
    generators = real_hosts.read_generators(hosts, server.study, max(request.clients))
    SoakCommand(stability.spec(server, shared, what, hosts=generators), request, shared).go()
