"""The command line of `callbench load`: arguments to calls. No logic."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import grouped
from callbench.cli.output import AsJson, console, known_stacks, print_json
from callbench.cli.server import SERVER, SERVER_HELP, ServerOptions
from callbench.runner.load.thresholds import EXAMPLES, parsed


@grouped
def load(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    what: Annotated[str, typer.Argument(metavar=SERVER, help=SERVER_HELP, show_default=False)] = "",
    clients: Annotated[int, typer.Option("--clients", min=1, max=65_536)] = 50,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.1, max=1e6, help="10 unless --calls")] = None,
    calls: Annotated[int | None, typer.Option("--calls", min=1, help="how many, over all clients")] = None,
    rate: Annotated[float | None, typer.Option("--rate", min=0.01, max=1e7, help="arrivals/s: an open loop")] = None,
    poisson: Annotated[bool, typer.Option("--poisson", help="arrivals at random, not evenly spaced")] = False,
    think: Annotated[float, typer.Option("--think", min=0, max=1e6, metavar="MS", help="between two calls")] = 0.0,
    warm_up: Annotated[float, typer.Option("--warm-up", min=0, max=1e4, metavar="SECONDS")] = 0.0,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="of the driver")] = 1,
    fail_if: Annotated[
        list[str] | None,
        typer.Option("--fail-if", metavar="'METRIC > VALUE'", help=f"exit code 1: {EXAMPLES}; repeatable"),
    ] = None,
    expect_errors: Annotated[
        bool, typer.Option("--expect-errors", help="exit code 0 where calls fail; 1 unless given")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="the record; runs/load-TIME.json")] = None,
    as_json: AsJson = False,
) -> None:
    """Put a server under load: rate, latencies, errors by kind, and what limited it."""
    from callbench.report.load import told  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.load import driving, live, wish  # noqa: PLC0415 - statistics are slow to load
    from callbench.runner.load.record import record  # noqa: PLC0415

    limits = tuple(parsed(text) for text in fail_if or ())
    wanted = wish.Wish(
        server.one(what), clients, seconds, calls, rate, poisson, think, warm_up, threads, server.given(), out,
        limits, expect_errors,
    )  # fmt: skip
    with live.Line(wanted, quiet=as_json) as line:
        found = driving.driven(wanted, known_stacks(quiet=True), line.tells)
    if as_json:
        print_json(record(found))
    else:
        told.show(found, console())
    if found.failure:
        raise typer.Exit(1)
