"""`callbench load`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.analysis.load.thresholds import EXAMPLES, parse
from callbench.cli.options.grouped import grouped
from callbench.cli.options.parameters import AsJson, Commit, DryRun, GeneratorHosts, Think, Undecided
from callbench.cli.options.server import ServerArgument, ServerOptions


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: ServerArgument = "",
    clients: Annotated[
        int,
        typer.Option(
            "--clients", min=1, max=65_536, help="Number of clients; with --rate, the most calls in progress at once."
        ),
    ] = 50,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.1,
            max=1e6,
            help="Duration in seconds; --calls may end it earlier. Default: 10, or until --calls are made; up to 120"
            " for the calls that a percentile of --fail-if needs.",
        ),
    ] = None,
    calls: Annotated[
        int | None, typer.Option("--calls", min=1, help="Number of calls of all clients together. Default: no limit.")
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate", min=0.01, max=1e7, help="Arrivals per second: an open loop. Default: each client calls in a loop."
        ),
    ] = None,
    poisson: Annotated[
        bool, typer.Option("--poisson", help="With --rate: random arrivals (Poisson), not evenly spaced ones.")
    ] = False,
    think: Think = 0.0,
    warm_up: Annotated[
        float,
        typer.Option(
            "--warm-up", min=0, max=1e4, metavar="SECONDS", help="Seconds of calls before the measurement begins."
        ),
    ] = 0.0,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Number of threads of the load driver.")] = 1,
    hosts: GeneratorHosts = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="'METRIC > VALUE'",
            help=f"Exit with code 1 if this is true: {EXAMPLES}. Can be repeated. Default: 'errors > 0%'.",
        ),
    ] = None,
    expect_errors: Annotated[
        bool, typer.Option("--expect-errors", help="Exit with code 0 even if calls fail.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Folder for the result. Default: runs/load-TIME."),
    ] = None,
    undecided: Undecided = None,
    commit: Commit = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Put a server under load: rate, latency and errors.

    Also says what limited the rate. Exit code 1: calls failed, or a condition of --fail-if is true. Exit code 3: the
    calls do not show whether one is.
    """
    from callbench.analysis.load.request import LoadRequest
    from callbench.cli.outcome import exit_code
    from callbench.cli.recorded.command import Ending
    from callbench.cli.recorded.load import LoadCommand
    from callbench.runner.machine import checkout, real_hosts

    exit_code.checked(undecided)
    limits = tuple(parse(text) for text in fail_if or ())
    request = LoadRequest(
        target=server.one(what),
        clients=clients,
        seconds=seconds,
        calls=calls,
        rate=rate,
        poisson=poisson,
        think_ms=think,
        warm_up_s=warm_up,
        threads=threads,
        server=server.given(),
        fail_if=limits,
        expect_errors=expect_errors,
        hosts=real_hosts.read_generators(hosts, server.study, clients),
    )
    ending = Ending(out=out, undecided=undecided, as_json=as_json, dry_run=dry_run, commit=checkout.commit(commit))
    LoadCommand(request, ending).go()
