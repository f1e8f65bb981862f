"""`callbench serve`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.options import names
from callbench.cli.outcome.output import known_stacks, print_json, print_line


def command(  # noqa: PLR0913, PLR0917 - the options a person has
    stacks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STACK",
            autocompletion=names.stacks,
            help="Names or globs of stacks. Each runs in a process of its own.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Serve every native stack, in one process.")] = False,
    host: Annotated[str, typer.Option(help="IP address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="First port. Further stacks and HTTP channels take the next ones. 0: free ports."
        ),
    ] = 0,
    channels: Annotated[
        str, typer.Option(metavar="A,B", help="With --all: channels that are on at the start. Default: all.")
    ] = "",
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Option of the servers, its value in JSON. Can be repeated."
        ),
    ] = None,
    exposed: Annotated[
        bool, typer.Option("--i-know-what-i-expose", help="Allow a --host that other machines can reach.")
    ] = False,
    status: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for what is on, its calls and example calls, as JSON, until the command ends. Default: none.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Serve stacks for a client of your own.

    Prints each endpoint. Lines `on NAME` and `off NAME` on standard input switch a channel or stack. Ctrl-C ends it.
    """
    from callbench.runner import serve as serving
    from callbench.runner.run import launch

    where = serving.check_host(host, exposed=exposed)
    wanted = [channel for channel in channels.split(",") if channel]
    request = serving.ServeRequest(
        stacks=stacks or [], every=every, host=where, port=port, channels=wanted,
        options=launch.values_of(options or [], "--option"), status=status,
    )  # fmt: skip
    if as_json:
        shown = serving.Output(
            message=lambda line: print_json({"message": line}, indent=None),
            endpoints=lambda endpoints: print_json({"endpoints": dict(endpoints)}, indent=None),
        )
    else:
        shown = serving.Output(message=print_line, endpoints=lambda endpoints: print_line(serving.lines(endpoints)))
    serving.serve(known_stacks(), request, shown)
