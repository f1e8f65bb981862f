"""`callbench ui`."""

import getpass
from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.outcome.output import print_line


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="[RECORDS]", help="Folder of records. It need not exist yet.")
    ] = Path("runs"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at. 0: a free one.")] = 0,
    host: Annotated[
        str,
        typer.Option(
            metavar="NAME|ADDRESS",
            help="Where browsers reach this machine. All but its own loopback need TLS: a certificate is made then.",
        ),
    ] = "127.0.0.1",
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Certificate of TLS, in PEM. Default: none, or one made here.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its key, in PEM. Default: as for the certificate.")
    ] = None,
) -> None:
    """Open the page: start commands, watch them, and read records.

    Prints an address to open in a browser. Who has it can use the page, and start programs here. Ctrl-C ends it.
    """
    from callbench.web.listening import listening
    from callbench.web.server import serve

    at = listening(host, port, certificate, key)

    def opened(address: str) -> None:
        print_line(f"open {address} (Ctrl-C ends the page)")
        if at.certificate is not None:
            print_line(f"all who have this address can start programs as {getpass.getuser()} on this machine")
        if at.fingerprint:
            print_line(f"the certificate was made here; compare what the browser shows, SHA-256: {at.fingerprint}")

    serve(folder, at, opened, print_line)
