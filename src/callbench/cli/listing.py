"""What `callbench list` tells: stacks, calls, studies, links. A row is the same for people and programs."""

from collections.abc import Sequence
from typing import Any

from callbench.adapter.network import made
from callbench.catalog.catalogue import Catalogue
from callbench.catalog.links import profile
from callbench.catalog.reach import LOOPBACK
from callbench.catalog.study import load, names
from callbench.model.errors import CallbenchError
from callbench.report.text.grid import Column, Grid

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


def links() -> list[Row]:
    """Every link that comes along, each tried out: whether it can be made here, and who makes it."""
    rows: list[Row] = [
        {
            "link": LOOPBACK,
            "about": "client and server on this machine",
            "to_server": "",
            "to_client": "",
            "usable": True,
            "why_not": None,
            "maker": None,
            "why_emulated": None,
            "source": "",
        }
    ]
    for name, link in profile.named().items():
        attempt = made.attempted(link.wire)
        rows.append(
            {
                "link": name,
                "about": link.about,
                "to_server": link.says("to_server"),
                "to_client": link.says("to_client"),
                "usable": attempt.maker is not None,
                "why_not": attempt.why_not,
                "maker": attempt.maker,
                "why_emulated": attempt.why if attempt.maker else None,
                "source": link.source,
            }
        )
    return rows


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
        for stack in catalogue.every
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


def table(rows: Sequence[Row], columns: Sequence[str]) -> Grid:
    """Rows as a table for the terminal."""
    shown = Grid([Column(name) for name in columns], ruled=False)
    for row in rows:
        shown.add(*(_cell(row[column]) for column in columns))
    return shown


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in value.items())
    return "" if value is None else str(value)
