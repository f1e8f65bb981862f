"""`callbench setup`."""

from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import known_stacks, show_rows


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Adapters, or jmeter. Default: list what can be set up."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set up adapters that need a toolchain.

    Without a name: list them, what each needs and whether it is set up. From a wheel they are built in a cache folder.
    """
    from callbench.runner.setup import adapter_setup

    known = known_stacks()
    if names:
        adapter_setup.set_up(names, known)
        return
    show_rows(adapter_setup.rows(known), adapter_setup.COLUMNS, as_json=as_json)
