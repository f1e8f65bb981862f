"""What commands print: rows, JSON, lines, and sentences on stderr about manifests that could not be used."""

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from callbench.catalog import catalogue
from callbench.cli import listing

AsJson = Annotated[bool, typer.Option("--json", help="for programs")]
Undecided = Annotated[
    str | None, typer.Option("--undecided", metavar="pass|fail", help="what undecided ends with; exit code 3 if unsaid")
]


def known_stacks(*, quiet: bool = False) -> catalogue.Catalogue:
    """What there is; manifests that could not be used are told on stderr."""
    known = catalogue.load()
    for sentence in () if quiet else known.broken:
        print(f"callbench: {sentence}", file=sys.stderr)  # noqa: T201
    return known


def tell(line: str) -> None:
    """Prints a line at once."""
    print(line, flush=True)  # noqa: T201


def show_rows(rows: list[dict[str, Any]], columns: tuple[str, ...] | list[str], as_json: bool) -> None:
    """Prints rows as a table, or as JSON."""
    if as_json:
        print_json(rows)
    else:
        listing.table(rows, columns).print(console(1000))


def console(width: int = 160) -> Console:
    """Where nobody watches, lines are not cut to the width of a window."""
    return Console() if sys.stdout.isatty() else Console(width=width)


def print_json(value: object) -> None:
    """Prints a record for programs."""
    print(json.dumps(value, indent=1, ensure_ascii=False, default=str))  # noqa: T201
