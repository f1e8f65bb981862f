"""The command line of `callbench verify`: arguments to calls. No logic."""

from typing import Annotated

import typer
from rich.console import Console

from callbench.adapter import placement
from callbench.catalog.study import given
from callbench.cli.options import grouped
from callbench.cli.output import AsJson, known_stacks
from callbench.cli.server import ServerOptions
from callbench.report import verify as show
from callbench.runner.verify import suite


@grouped
def verify(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    stacks: Annotated[list[str] | None, typer.Argument(metavar="STACK|NAME|URL|'COMMAND {port}'...")] = None,
    every: Annotated[bool, typer.Option("--all", help="every stack that can run here")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="a line a check, not only failures")] = False,
    only: Annotated[str | None, typer.Option("--check", metavar="GLOB", help="only these, such as 'lost/*'")] = None,
    as_json: AsJson = False,
) -> None:
    """Hold stacks against the contract: every call, every fault, counts, times, manners, a server that is lost."""
    known, names = given.named(known_stacks(), server.every(stacks or []), server.given())
    outcomes = suite.of(known, names, every=every, placement=placement.placed(), only=only)
    seen = show.told(outcomes, Console(quiet=as_json), every=verbose)
    if as_json:
        print(show.as_json(seen))  # noqa: T201
    if known.broken or any(outcome.fails for outcome in seen):
        raise typer.Exit(1)
