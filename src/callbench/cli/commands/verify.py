"""`callbench verify`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callbench.cli.options import names
from callbench.cli.options.grouped import grouped
from callbench.cli.options.parameters import AsJson, Languages
from callbench.cli.options.server import SERVER, ServerOptions
from callbench.cli.outcome.output import known_stacks
from callbench.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Generator

    from callbench.model.verify_outcome import CheckOutcome


@grouped
def command(  # noqa: PLR0913, PLR0917 - the options a person has
    server: ServerOptions,
    stacks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar=SERVER,
            autocompletion=names.stacks,
            help="Stacks (globs too), servers of --study, URLs, commands that start a server, or a service's folder.",
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
    languages: Languages = None,
    as_json: AsJson = False,
) -> None:
    """Check that stacks fulfil the contract.

    Covers every call, every fault, counts, times, behaviour at the end, and a server that is lost.
    """
    from callbench.adapter import placement
    from callbench.catalog.study import own_servers
    from callbench.runner.plan import own_service
    from callbench.runner.verify import own_calls, suite

    folder = _service(stacks or [])
    if folder is not None:
        failed = _show(
            own_calls.of(
                known_stacks(),
                folder,
                placement=placement.choose_placement(),
                only=only,
                languages=own_service.languages(languages),
            ),
            as_json=as_json,
            verbose=verbose,
        )
    elif languages is not None:
        raise BadInput("--languages is for the folder of a service of your own: name that folder")
    else:
        known, chosen = own_servers.with_named_servers(known_stacks(), server.every(stacks or []), server.given())
        outcomes = suite.outcomes_of(known, chosen, every=every, placement=placement.choose_placement(), only=only)
        failed = _show(outcomes, as_json=as_json, verbose=verbose) or bool(known.broken)
    if failed:
        raise typer.Exit(1)


def _service(given: list[str]) -> Path | None:
    """The folder of an imported service, if that is what is named."""
    from callbench.catalog.own.place import is_service

    named = [Path(name) for name in given if is_service(Path(name))]
    if named and len(given) > 1:
        raise BadInput(f"{named[0]} is the folder of a service: verify it alone")
    return named[0] if named else None


def _show(outcomes: "Generator[CheckOutcome, None, None]", *, as_json: bool, verbose: bool) -> bool:
    """Prints outcomes as they come; whether one disturbs the suite. Who stops it is told what was seen."""
    from contextlib import closing

    from rich.console import Console

    from callbench.report import verify as show
    from callbench.store.stopping import Sigterm, as_error

    to = Console(quiet=as_json)
    seen: list[CheckOutcome] = []
    stopped: Exception | None = None
    try:
        # What was started ends here: Python could not end it any more while it ends itself.
        with closing(outcomes):
            for outcome in outcomes:
                seen.append(outcome)
                show.show_outcome(outcome, to, every=verbose)
    except (KeyboardInterrupt, Sigterm) as stop:
        stopped = as_error(stop, "stopped; the checks that are left were not made")
    show.show_summary(seen, to)
    if as_json:
        print(show.as_json(seen, stopped=stopped is not None))  # noqa: T201
    if stopped is not None:
        raise stopped
    return any(outcome.fails for outcome in seen)
