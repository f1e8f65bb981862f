"""`callbench publish`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callbench.cli.outcome.output import print_line


def command(
    folder: Annotated[Path, typer.Argument(metavar="[RECORDS]", help="Folder of records.")] = Path("runs"),
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FOLDER", help="New folder for the files, or one that this command made."),
    ] = Path("site"),
    url: Annotated[
        str,
        typer.Option("--url", metavar="URL", help="Address of the files on the web, for the feed's links."),
    ] = "",
) -> None:
    """Write the records of a folder as static files for any web host.

    The files are an index with the verdicts, a page for each record, the records to download, and an Atom feed. They
    also open from disk. A record has the same address in each publication. A folder of other files is never changed.
    """
    from callbench.analysis.wording.words import counted
    from callbench.store.shelf import Shelf
    from callbench.web.publishing import publish

    made = publish(Shelf(folder), out, url, lambda line: print(f"callbench: {line}", file=sys.stderr))  # noqa: T201
    print_line(f"{counted(len(made), 'record')}: {out / 'index.html'}")
