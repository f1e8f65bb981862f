"""What `callbench list` lists. A row is the same for people and programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbench.catalog.catalogue import Catalogue

Rows = Sequence[Mapping[str, object]]
COLUMNS: Mapping[str, Sequence[str]] = {
    "stacks": ("id", "message", "channel", "language", "library", "version", "available", "why_not"),
    "calls": ("call", "arguments", "answer"),
    "studies": ("study", "title", "parameters", "why_not"),
    "links": ("link", "to_server", "to_client", "maker", "about", "why_not"),
    "payloads": ("payloads", "about"),
}
CALLS: Sequence[Mapping[str, str]] = (
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
"""The calls of the service, with their arguments and answers."""


def stacks(catalogue: "Catalogue", *, instruments: bool = False) -> list[dict[str, object]]:
    """Every stack with its card; the instruments, which are not there to be compared, if they are asked for."""
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
        for stack in catalogue.listed
        if instruments or not stack.instrument
    ]


def studies(catalogue: "Catalogue") -> list[dict[str, object]]:
    """Every study that comes along, with what of it cannot run here; one that cannot at all says why."""
    from callbench.catalog.lacking import lacking
    from callbench.catalog.study import load, names
    from callbench.model.errors import CallbenchError

    found: list[dict[str, object]] = []
    for name in names():
        try:
            study = load(name)
            cells = study.cells(catalogue.every, quick=True)
        except CallbenchError as failure:
            found.append(
                {
                    "study": name,
                    "title": None,
                    "about": None,
                    "parameters": {},
                    "cells": 0,
                    "lacking": [],
                    "why_not": str(failure),
                }
            )
            continue
        lacks = lacking(cells, catalogue)
        found.append(
            {
                "study": name,
                "title": study.title,
                "about": study.about,
                "parameters": dict(study.parameters),
                "cells": len(cells),
                "lacking": [asdict(lack) for lack in lacks],
                "why_not": "; ".join(lack.why for lack in lacks)
                if sum(lack.cells for lack in lacks) == len(cells)
                else None,
            }
        )
    return found


def links() -> list[dict[str, object]]:
    """Every link that comes along, each tried out: whether it can be made here, and who makes it."""
    from callbench.adapter.network import creation
    from callbench.catalog.links import profile
    from callbench.catalog.reach import LOOPBACK

    found: list[dict[str, object]] = [
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
    for name, link in profile.builtin_links().items():
        attempt = creation.try_link(link.wire)
        found.append(
            {
                "link": name,
                "about": link.about,
                "to_server": link.describe("to_server"),
                "to_client": link.describe("to_client"),
                "usable": attempt.maker is not None,
                "why_not": attempt.why_not,
                "maker": attempt.maker,
                "why_emulated": attempt.why if attempt.maker else None,
                "source": link.source,
            }
        )
    return found


def payloads() -> list[dict[str, str]]:
    """Each with one sentence."""
    from callbench.catalog.imports.fleet import named

    return [{"payloads": name, "about": about} for name, about in named.names().items()]
