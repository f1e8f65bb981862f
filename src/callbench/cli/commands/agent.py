"""`callbench agent`."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    keys: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Folder of this host's keys, as `callbench hosts init ADDRESS NAME` made it."
        ),
    ],
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port at which the core reaches this host. Default: any.")
    ] = 0,
) -> None:
    """Make this machine a host of a core.

    It connects to the core, and starts only adapters that are installed here, until Ctrl-C. If the core is silent for
    some seconds, everything that it started here is ended.
    """
    from callbench.adapter.network.remote import extra
    from callbench.adapter.network.remote import keys as reading

    extra.require_extra()
    from callbench.adapter.network.remote.agent import serve_agent

    serve_agent(reading.read(keys), port, lambda sentence: print(sentence, flush=True))  # noqa: T201
