"""`callbench overload`."""

from typing import Annotated

import typer

from callbench.cli.options.grouped import StabilityOptions, grouped
from callbench.cli.options.parameters import GeneratorHosts
from callbench.cli.options.server import ServerArgument, ServerOptions
from callbench.model import quantities
from callbench.model.errors import BadInput


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: ServerArgument = "",
    objective: Annotated[
        str,
        typer.Option(
            "--objective",
            metavar='"p99 under 50 ms"',
            help="Latency objective. The capacity is the highest rate that meets it.",
        ),
    ] = "p99 under 50 ms",
    times: Annotated[
        str,
        typer.Option(
            "--times", metavar="N,N,...", help="Loads to test, as multiples of the capacity, separated by commas."
        ),
    ] = "2,10",
    clients: Annotated[
        int, typer.Option("--clients", min=1, max=65_536, help="Largest number of calls in progress at once.")
    ] = 200,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.5, max=1e5, help="Duration of each overload in seconds.")
    ] = 10.0,
    patience: Annotated[
        float,
        typer.Option(
            "--recovery-timeout",
            min=0,
            max=1e5,
            metavar="SECONDS",
            help="Time limit in seconds for the server to recover.",
        ),
    ] = 60.0,
    within: Annotated[
        float,
        typer.Option(
            "--slow-factor",
            min=1.01,
            max=1e6,
            help="Recovered: the median latency is at most this many times what it was before.",
        ),
    ] = 2.0,
    rest: Annotated[
        float,
        typer.Option("--rest", min=0, max=1e6, metavar="SECONDS", help="Seconds without clients at the end."),
    ] = 10.0,
    rate: Annotated[
        float | None,
        typer.Option("--capacity", min=0.1, max=1e7, help="Capacity in calls/s. Default: it is searched for."),
    ] = None,
    hosts: GeneratorHosts = None,
    *,
    shared: StabilityOptions,
) -> None:
    """Send more calls than a server can answer, and watch it recover.

    First searches for the capacity of the server, then sends multiples of it.
    """
    from callbench.cli.recorded import stability
    from callbench.cli.recorded.overload import OverloadCommand
    from callbench.runner.machine import real_hosts
    from callbench.store.requested.overload import OverloadRequest

    factors = tuple(float(value) for value in quantities.numbers(times, "--times", 1, 1000))
    if len(set(factors)) < len(factors):
        raise BadInput(f"--times {times}: give each number only once")
    request = OverloadRequest(
        objective=objective,
        factors=factors,
        clients=clients,
        seconds=seconds,
        patience_s=patience,
        within=within,
        rest_s=rest,
        rate=rate,
    )
    generators = real_hosts.read_generators(hosts, server.study, clients)
    OverloadCommand(stability.spec(server, shared, what, hosts=generators), request, shared).go()
