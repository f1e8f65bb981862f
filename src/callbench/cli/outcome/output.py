"""What commands print: rows, JSON, lines, and sentences on stderr about manifests that could not be used."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from callbench.model.secrets import SECRETS

if TYPE_CHECKING:
    from rich.console import Console

    from callbench.catalog.catalogue import Catalogue


def known_stacks(*, quiet: bool = False) -> "Catalogue":
    """What there is; manifests that could not be used are named on stderr."""
    from callbench.catalog import catalogue

    known = catalogue.load()
    for sentence in () if quiet else known.broken:
        print(f"callbench: {sentence}", file=sys.stderr)  # noqa: T201
    return known


def say_who_measures() -> None:
    """Count this program among those that measure, and name others on stderr: they slow each other down."""
    from callbench.store import turn

    if others := turn.beside(shlex.join(["callbench", *SECRETS.masked(sys.argv[1:])])):
        sentence = f"also measuring on this machine now: {others}. Beside each other, all are slower than alone"
        print(f"callbench: {sentence}; Ctrl-C stops this one", file=sys.stderr)  # noqa: T201


def print_line(line: str) -> None:
    """Prints a line at once."""
    print(line, flush=True)  # noqa: T201


def show_rows(rows: Sequence[Mapping[str, object]], columns: Sequence[str], *, as_json: bool) -> None:
    """Prints rows as a table, or as JSON."""
    if as_json:
        print_json(rows)
        return
    from callbench.report.text.grid import Column, Grid

    shown = Grid([Column(name) for name in columns], ruled=False)
    for row in rows:
        shown.add(*(_cell(row[column]) for column in columns))
    shown.print(console(1000))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    return "" if value is None else str(value)


def console(width: int = 160) -> "Console":
    """Where no one watches, lines are not cut to the width of a window."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=width)


def print_json(value: object, *, indent: int | None = 1) -> None:
    """Prints a record for programs; without an indent, on one line and at once."""
    print(json.dumps(SECRETS.masked(value), indent=indent, ensure_ascii=False, default=str), flush=indent is None)  # noqa: T201
