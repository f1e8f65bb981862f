"""What `callbench list` tells: stacks, calls, studies, links. A row is the same for people and programs."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from callbench.catalogue import Catalogue
from callbench.errors import CallbenchError
from callbench.study import load, names

Row = dict[str, Any]

CALLS: Sequence[Row] = (
    {"call": "Empty", "arguments": "", "answer": "nothing"},
    {"call": "Send", "arguments": "type, and value; or content, count, seed", "answer": "nothing"},
    {"call": "Sum", "arguments": "a, b", "answer": "int"},
    {"call": "GetPersons", "arguments": "n", "answer": "n persons"},
    {"call": "GetBinaryData", "arguments": "size, fill (article, random, zero, text)", "answer": "bytes"},
    {"call": "EchoStructure", "arguments": "n", "answer": "the structure that was sent"},
    {"call": "EchoString", "arguments": "value; or content, count, seed", "answer": "the string that was sent"},
    {"call": "Hello", "arguments": "", "answer": "Hello World"},
    {"call": "FindItems", "arguments": "n", "answer": "a search result of n items"},
)

_NOT_YET = "comes with the network lab; this version measures over loopback"
LINKS: Sequence[Row] = (
    {"link": "loopback", "about": "client and server on this machine", "usable": True, "why_not": None},
    {"link": "lan100", "about": "two hosts, 100 Mbit/s", "usable": False, "why_not": _NOT_YET},
    {"link": "wan50ms", "about": "two hosts, 50 ms there and back", "usable": False, "why_not": _NOT_YET},
    {"link": "modem56k", "about": "two hosts, 56 kbit/s", "usable": False, "why_not": _NOT_YET},
    {"link": "lossy", "about": "two hosts, packets lost", "usable": False, "why_not": _NOT_YET},
)


def stacks(catalogue: Catalogue, *, instruments: bool = False) -> list[Row]:
    """Every stack with its card; the instruments, which are not there to be compared, where they are asked for."""
    return [
        {
            "id": stack.id,
            "message": stack.message,
            "channel": stack.channel,
            "language": stack.language,
            "library": stack.library,
            "version": stack.version,
            "available": stack.available,
            "why_not": stack.why_not,
            "instrument": stack.instrument,
            "card": dict(stack.card),
            "lacks": dict(stack.lacks),
        }
        for stack in catalogue.stacks
        if instruments or not stack.instrument
    ]


def studies() -> list[Row]:
    """Every study that comes along; one that is broken says why."""
    rows: list[Row] = []
    for name in names():
        try:
            study = load(name)
        except CallbenchError as failure:
            rows.append({"study": name, "title": None, "about": None, "parameters": {}, "why_not": str(failure)})
        else:
            rows.append(
                {
                    "study": name,
                    "title": study.title,
                    "about": study.about,
                    "parameters": dict(study.parameters),
                    "why_not": None,
                }
            )
    return rows


def table(rows: Sequence[Row], columns: Sequence[str]) -> Table:
    """Rows as a table for the terminal."""
    shown = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        shown.add_row(*(Text(_cell(row[column])) for column in columns))
    return shown


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    return "" if value is None else str(value)
