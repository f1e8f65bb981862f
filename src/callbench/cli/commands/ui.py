"""`callbench ui`."""

from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.outcome.output import print_line


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="[RECORDS]", help="Folder of records. It need not exist yet.")
    ] = Path("runs"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at. 0: a free one.")] = 0,
) -> None:
    """Open the page: start commands, watch them, and read records.

    Prints an address to open in a browser on this machine. Only that browser can use the page. Ctrl-C ends it.
    """
    from callbench.web.server import serve

    serve(folder, port, lambda address: print_line(f"open {address} (Ctrl-C ends the page)"), print_line)
