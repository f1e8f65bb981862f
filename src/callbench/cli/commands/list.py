"""`callbench list`."""

from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson
from callbench.cli.outcome.output import known_stacks, show_rows
from callbench.model.errors import BadInput


def _kinds() -> list[str]:
    return ["stacks", "calls", "studies", "links", "payloads"]


def command(
    what: Annotated[
        str, typer.Argument(metavar="stacks|calls|studies|links|payloads", help="What to list.", autocompletion=_kinds)
    ],
    as_json: AsJson = False,
    instruments: Annotated[
        bool, typer.Option("--instruments", help="Include stacks that only measure Callbench itself.")
    ] = False,
) -> None:
    """List stacks, calls, studies, links or payloads.

    For a stack, study or link that cannot be used on this machine, the row says why.
    """
    from callbench.cli import listing

    rows: listing.Rows
    match what:
        case "stacks":
            rows = listing.stacks(known_stacks(), instruments=instruments)
        case "calls":
            rows = listing.CALLS
        case "studies":
            rows = listing.studies(known_stacks())
        case "links":
            rows = listing.links()
        case "payloads":
            rows = listing.payloads()
        case _:
            raise BadInput(f"there is no list of {what!r}: stacks, calls, studies, links and payloads are")
    show_rows(rows, listing.COLUMNS[what], as_json=as_json)
