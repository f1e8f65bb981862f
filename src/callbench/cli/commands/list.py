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
    match what:
        case "stacks":
            from callbench.cli.listing import stacks

            show_rows(stacks.rows(known_stacks(), instruments=instruments), stacks.COLUMNS, as_json=as_json)
        case "calls":
            from callbench.cli.listing import calls

            show_rows(calls.ROWS, calls.COLUMNS, as_json=as_json)
        case "studies":
            from callbench.cli.listing import studies

            show_rows(studies.rows(), studies.COLUMNS, as_json=as_json)
        case "links":
            from callbench.cli.listing import links

            show_rows(links.rows(), links.COLUMNS, as_json=as_json)
        case "payloads":
            from callbench.cli.listing import payloads

            show_rows(payloads.rows(), payloads.COLUMNS, as_json=as_json)
        case _:
            raise BadInput(f"there is no list of {what!r}: stacks, calls, studies, links and payloads are")
