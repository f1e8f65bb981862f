"""`callbench exchange`."""

from typing import Annotated

import typer

from callbench.cli.options.parameters import AsJson, StoredResult
from callbench.cli.outcome.output import print_json


def command(
    path: StoredResult,
    stacks: Annotated[list[str] | None, typer.Argument(metavar="STACK", help="Stacks to show. Default: all.")] = None,
    group: Annotated[
        str | None, typer.Option("--group", help="Group of the study. Default: the first group of each stack.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a call packet by packet.

    Needs a run made with --pcap, and the program tshark.
    """
    from callbench.runner.wire import exchange
    from callbench.store.record import Record

    exchanges = exchange.exchanges(Record(path), stacks or [], group)
    if as_json:
        print_json([seen.record() for seen in exchanges])
        return
    for seen in exchanges:
        print(seen.text(), end="\n\n")  # noqa: T201
