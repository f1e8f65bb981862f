"""`callbench verify`."""

from typing import Annotated

import typer

from callbench.cli import names
from callbench.cli.options import grouped
from callbench.cli.output import known_stacks
from callbench.cli.parameters import AsJson
from callbench.cli.server import SERVER, ServerOptions


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    stacks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar=SERVER,
            autocompletion=names.stacks,
            help="Stacks (globs too), servers of --study, URLs, or commands that start a server.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every stack that can run here.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a line for every check, not only for failures.")
    ] = False,
    only: Annotated[
        str | None,
        typer.Option("--check", metavar="GLOB", help="Make only these checks, such as 'lost/*'. Default: all."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that stacks fulfil the contract.

    Covers every call, every fault, counts, times, behaviour at the end, and a server that is lost.
    """
    from rich.console import Console

    from callbench.adapter import placement
    from callbench.catalog.study import given
    from callbench.report import verify as show
    from callbench.runner.verify import suite

    known, names = given.named(known_stacks(), server.every(stacks or []), server.given())
    outcomes = suite.of(known, names, every=every, placement=placement.placed(), only=only)
    seen = show.told(outcomes, Console(quiet=as_json), every=verbose)
    if as_json:
        print(show.as_json(seen))  # noqa: T201
    if known.broken or any(outcome.fails for outcome in seen):
        raise typer.Exit(1)
