"""`callbench agent`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.outcome.output import print_line


def command(
    keys: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of this host's keys, as `callbench hosts init ADDRESS NAME` made it. With -, the core hands"
            " them over by standard input, and the agent ends when that ends.",
        ),
    ],
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port at which the core reaches this host. Default: any.")
    ] = 0,
) -> None:
    """Let another machine, the core, use this one as a host.

    The agent connects to the core and starts adapters for it, until Ctrl-C. It starts only what is installed here, and
    commands of studies that ~/.config/callbench/commands.toml allows here. If the core is silent for some seconds,
    everything that was started for it is ended.
    """
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as reading

    extra.require_extra()
    from callbench.adapter.network.remote.agent import serve_agent, serve_by_input

    if str(keys) == "-":
        serve_by_input(port, print_line)
        return
    serve_agent(reading.read(keys), port, print_line)
