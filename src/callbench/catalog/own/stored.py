"""What an import invented, and what a schema could not say: from `service.toml`, so that reports need no compiler."""

import tomllib
from pathlib import Path
from typing import Any

from callbench.catalog.own.place import SERVICE
from callbench.model.errors import BadInput
from callbench.model.service.schema import Loss

ASSUMED = ("unanswered", "generated")
"""Of `service.toml`: names of calls. An import writes both, also where they are empty."""


def stored_assumptions(folder: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the calls whose answer nobody gave, and those whose payloads were generated from the schema.

    Raises:
        BadInput: the file is damaged.
    """
    document = _document(folder)
    try:
        unanswered, generated = (frozenset(map(str, document.get(key, ()))) for key in ASSUMED)
    except TypeError as failure:
        raise _damaged(folder / SERVICE, failure) from failure
    return unanswered, generated


def keeps_assumptions(folder: Path) -> bool:
    """Return whether a service says what its import invented. One of an early version of Callbench does not.

    What has no service invents nothing.

    Raises:
        BadInput: the file is damaged.
    """
    document = _document(folder)
    return not document or any(key in document for key in ASSUMED)


def stored_losses(folder: Path) -> list[Loss]:
    """Return what a schema could not say of a service; nothing where the folder has none.

    Raises:
        BadInput: the file is damaged.
    """
    document = _document(folder)
    try:
        return [
            Loss(str(place), str(loss["problem"]), str(loss["mapped"]))
            for loss in document.get("loss", ())
            for place in loss["places"]
        ]
    except (KeyError, TypeError) as failure:
        raise _damaged(folder / SERVICE, failure) from failure


def _document(folder: Path) -> dict[str, Any]:
    """The content of a service's file; empty where there is none."""
    file = folder / SERVICE
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except (OSError, ValueError) as failure:
        raise _damaged(file, failure) from failure


def _damaged(file: Path, failure: Exception) -> BadInput:
    return BadInput(f"{file} is damaged: {' '.join(str(failure).split())}; import the service again")
