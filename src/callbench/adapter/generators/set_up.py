"""Where an adapter is set up whose own runner runs the code that is written for a service."""

import os
from pathlib import Path

from callbench.model.errors import BadInput
from callbench.model.installation import workplace


def place(adapter: str) -> Path:
    """The folder where an adapter is set up. `adapter` is its folder in an installation, as in `launcher`."""
    return workplace() / adapter


def launcher(adapter: str, program: str, target: str) -> Path:
    """The runner of an adapter.

    Args:
        adapter: its folder in an installation, `adapters/node`.
        program: the name of its launcher.
        target: what sets it up, `callbench setup TARGET`.

    Raises:
        BadInput: it is not set up.
    """
    path = place(adapter) / "target" / program
    if not os.access(path, os.X_OK):
        raise BadInput(f"the runner {path} is missing; this makes it: callbench setup {target}")
    return path
