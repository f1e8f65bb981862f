"""The stacks that can be measured."""

from typing import Any

from callbench.catalog.catalogue import Catalogue

COLUMNS = ("id", "message", "channel", "language", "library", "version", "available", "why_not")


def rows(catalogue: Catalogue, *, instruments: bool = False) -> list[dict[str, Any]]:
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
