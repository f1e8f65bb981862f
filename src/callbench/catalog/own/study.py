"""The study of an imported service: its folder is one. A file `study.toml` in it stands instead of this."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import tomli_w

from callbench.catalog import manifest
from callbench.catalog.own.place import SERVICE
from callbench.model.cell import SERVICE as SERVICE_STUDY
from callbench.model.cell import USUAL_IN
from callbench.model.errors import BadInput
from callbench.model.installation import home
from callbench.model.service.imported import MOST_CALLS

STUDY = "study.toml"
QUICK_CALLS = "quick_calls"
"""The parameter of the usual study with the calls that a cell has at least in each fork of a quick run."""
_ALL = "Every native message over the usual channels"
_NATIVE = "engine/native/adapter.toml"


@cache
def usual_channels() -> tuple[str, ...]:
    """The native channels that the manifest has in the usual study of a service (`usual_in`).

    Raises:
        BadInput: the manifest is wrong or missing.
    """
    stacks = manifest.read(home() / _NATIVE).stacks
    return tuple(dict.fromkeys(stack.channel for stack in stacks if SERVICE_STUDY in stack.card.get(USUAL_IN, ())))


def calls(folder: Path) -> dict[str, Path | None]:
    """The calls that a folder's `service.toml` names, and the file with the payloads of each.

    Raises:
        BadInput: the file cannot be read.
    """
    file = folder / SERVICE
    try:
        named = tomllib.loads(file.read_text(encoding="utf-8")).get("call", [])
        return {str(call["name"]): folder / call["payloads"] if "payloads" in call else None for call in named}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{file} cannot be read: {error}; make a folder with `callbench import`") from None


def usual(folder: Path, languages: Sequence[str] = (), stacks: Sequence[str] = ()) -> bytes:
    """The study that a folder is without one of its own: every call, over the usual channels, with one client.

    Args:
        folder: the service's.
        languages: whose stacks are measured besides the native ones, by their adapters' names.
        stacks: the native ones; empty: every message over the usual channels.

    Raises:
        BadInput: the folder cannot be read, or has no calls.
    """
    measured = calls(folder)
    if not measured:
        raise BadInput(f"{folder / SERVICE} has no calls: give it at least one [[call]]")
    if len(measured) > MOST_CALLS:
        raise BadInput(
            f"{folder} has {len(measured):,} calls, and one run measures {MOST_CALLS} at most:"
            " import the document again with --call NAME for each call that matters"
        )
    made = [name for name, payloads in measured.items() if payloads is None]
    note = f" The payloads of {', '.join(made)} are made from the schema, so their sizes are not yours." if made else ""
    others = f" The stacks of {', '.join(languages)} besides." if languages else ""
    document: dict[str, object] = {
        "title": folder.absolute().name,
        "about": f"{'Native stacks' if stacks else _ALL}, with the calls of the service.{others}{note}",
        "load": {"clients": [1], "calls": 1000, "seconds": 0.5, "forks": 5, "rounds": 10, "minutes": 20},
        "parameters": {QUICK_CALLS: 100},
        "quick": {"calls": f"{{{QUICK_CALLS}}}", "seconds": 0.1, "forks": 2, "rounds": 2, "minutes": 1},
        "cells": [
            {
                "group": name,
                "optional": [
                    *(stacks or (f"native/*+{channel}" for channel in usual_channels())),
                    *(f"{language}/*" for language in languages),
                ],
                "call": name,
                "ledger": True,
            }
            for name in measured
        ],
    }
    return tomli_w.dumps(document).encode()
