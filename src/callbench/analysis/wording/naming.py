"""What a cell is called for a reader: its stack, its call, its load and its link. Its number is a matter of files."""

from collections.abc import Iterable

from callbench.analysis.cells.results import Result
from callbench.catalog.study.cells import LOOPBACK


def named(result: Result) -> str:
    """Name a cell: `native/soap+tcp Sum, 4 clients, over lan100`."""
    return f"{result.attributes['stack']} {conditions_of(result)}"


def conditions_of(result: Result) -> str:
    """Name what a stack was measured at: `Sum`, and its load and link if they are not the plainest.

    The group stands for the call with its arguments: it is what the study calls them.
    """
    attributes = result.attributes
    return at(attributes["group"], attributes["clients"], attributes["link"], attributes.get("rate", ""))


def at(group: str, clients: str, link: str, rate: str = "") -> str:
    """Write a group with a load and a link."""
    parts = [group]
    if clients != "1":
        parts.append(f"{clients} clients")
    if rate:
        parts.append(f"{rate} calls/s requested")
    if link != LOOPBACK:
        parts.append(f"over {link}")
    return ", ".join(parts)


def by_id(cells: Iterable[Result]) -> dict[str, Result]:
    """Look cells up by the number that files have."""
    return {cell.id: cell for cell in cells}
