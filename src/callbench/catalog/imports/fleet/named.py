"""The payloads that come along, by name: `fleet:homa-w3`, `fleet:google-2023`, `fleet:viotti/geojson`."""

import difflib

from callbench.catalog.imports.fleet import documents, google, homa
from callbench.model.errors import BadInput
from callbench.model.service.imported import Imported

PREFIX = "fleet:"


def names() -> dict[str, str]:
    """Every name with one sentence about it."""
    return {
        **{f"{PREFIX}{name}": about for name, about in homa.names().items()},
        f"{PREFIX}{google.NAME}": google.ABOUT,
        f"{PREFIX}{documents.NAME}": documents.ABOUT,
        **{f"{PREFIX}{documents.NAME}/{name}": "One of them." for name in documents.names()},
    }


def imported(name: str) -> Imported:
    """The service of a name.

    Raises:
        BadInput: there is none of this name.
    """
    kind, _, document = name.removeprefix(PREFIX).partition("/")
    if name not in names():
        near = difflib.get_close_matches(name, names(), 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_short())}"
        raise BadInput(f"no payloads called {name} come along: {hint}")
    if kind == google.NAME:
        return google.imported()
    if kind == documents.NAME:
        return documents.imported([document] if document else documents.names(), name)
    return homa.imported(kind)


def _short() -> list[str]:
    return [name for name in names() if "/" not in name]
