"""`callbench capacity`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.grouped import grouped
from callbench.cli.options.parameters import AsJson, Commit, DryRun, GeneratorHosts, Think, Undecided
from callbench.cli.options.server import ServerArgument, ServerOptions


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: ServerArgument = "",
    objective: Annotated[
        str,
        typer.Option("--objective", metavar='"p99 under 50 ms"', help="Latency objective that the server must meet."),
    ] = "p99 under 50 ms",
    need: Annotated[
        float | None,
        typer.Option(
            "--need",
            min=0.1,
            max=1e7,
            help="Clients (or calls/s with --along rate) to hold. Exit code 1 if they are not held. Default: none.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=2, max=1e5, help="Duration of the whole search in seconds, at most.")
    ] = 120.0,
    along: Annotated[
        str,
        typer.Option(
            "--along",
            metavar="clients|rate",
            help="What is raised: clients that call in a loop, or calls/s at random moments.",
        ),
    ] = "clients",
    most: Annotated[
        float | None,
        typer.Option("--most", min=1, max=1e7, help="Highest load to try. Default: 10000 clients, or 1000000 calls/s."),
    ] = None,
    clients: Annotated[
        int,
        typer.Option("--clients", min=1, max=65_536, help="With --along rate: most calls in progress at once."),
    ] = 1_000,
    think: Think = 0.0,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Number of threads of the load driver.")] = 1,
    link: Annotated[
        str,
        typer.Option(
            "--link",
            metavar="LINK",
            autocompletion=names.links,
            help="Network link between client and server: a name of `callbench list links`.",
        ),
    ] = "loopback",
    hosts: GeneratorHosts = None,
    any_host: Annotated[
        bool, typer.Option("--any-host", help="Allow a URL of another machine. Only test servers that are yours.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the search in the folder of --out.")] = False,
    undecided: Undecided = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for the result. Default: runs/capacity-TIME."),
    ] = None,
    commit: Commit = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Find how many clients a server holds, and what limits it.

    The capacity is the most clients with which it still meets the objective. Exit code 1: --need is not held.
    """
    from callbench.adapter.stack.target import TargetSpec
    from callbench.cli.outcome import exit_code
    from callbench.cli.recorded.capacity import CapacityCommand
    from callbench.cli.recorded.command import Ending
    from callbench.model.objective import parse
    from callbench.runner.machine import checkout, real_hosts
    from callbench.store.requested.capacity import CLIENTS, CapacityRequest

    exit_code.checked(undecided)
    highest = most or (10_000.0 if along == CLIENTS else 1_000_000.0)
    request = CapacityRequest(
        objective=objective,
        along=along,
        most=highest,
        seconds=seconds,
        clients=clients,
        think_ms=think,
        threads=threads,
        need=need,
    ).checked()
    # A call that takes longer has long failed the objective, and nobody waits for it.
    timeout = max(1.0, 4 * parse(objective).limit_us / 1e6) if server.timeout is None else server.timeout
    spec = TargetSpec(
        name=server.one(what),
        timeout_s=timeout,
        server=server.given().without("timeout_s", "--timeout"),
        any_host=any_host,
        link=link,
        options={"threads": threads} if threads > 1 else {},
        hosts=real_hosts.read_generators(hosts, server.study, clients if along != CLIENTS else round(highest)),
    )
    ending = Ending(out, resume, undecided, as_json, dry_run, checkout.commit(commit))
    CapacityCommand(spec, request, ending).go()
