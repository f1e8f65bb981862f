"""Where the installation is, and what lies where in it."""

import os
from pathlib import Path

from callbench.model.errors import BadInput

HOME_VARIABLE = "CALLBENCH_HOME"


def home() -> Path:
    """The root of the installation: `CALLBENCH_HOME`, else the checkout that this file belongs to.

    Raises:
        BadInput: there is none, or the variable names a folder that is not one.
    """
    named = os.environ.get(HOME_VARIABLE)
    root = Path(named) if named else Path(__file__).resolve().parents[3]
    if not (root / "contract" / "CONTRACT.md").is_file():
        source = f"{HOME_VARIABLE} names {root}, which" if named else f"{root}"
        raise BadInput(
            f"{source} is not an installation of Callbench (it has no contract/CONTRACT.md): set {HOME_VARIABLE}"
        )
    return root


def schema_folder() -> Path:
    """The JSON schemas of the contract."""
    return home() / "contract" / "schema"


def keeper() -> Path | None:
    """The engine's supervisor of adapters, or None where the engine is not built.

    `CALLBENCH_KEEPER` names another one; empty, it says to do without.
    """
    named = os.environ.get("CALLBENCH_KEEPER")
    if named is not None:
        return Path(named) if named else None
    return _built("callbench-keeper")


def scratch() -> Path | None:
    """The folder on which the keeper lays an adapter's temporary files; None where the installation has no place."""
    place = home() / "engine" / "target" / "scratch"
    try:
        place.mkdir(exist_ok=True)
    except OSError:
        return None
    return place


def netlab() -> Path | None:
    """The engine's network lab, or None where the engine is not built."""
    return _built("callbench-netlab")


def _built(name: str) -> Path | None:
    built = home() / "engine" / "target" / "release" / name
    return built if os.access(built, os.X_OK) else None


def witness() -> Path | None:
    """The engine's witness of the machine (gaps, canary), or None where the engine is not built."""
    built = home() / "engine" / "target" / "release" / "callbench-witness"
    return built if os.access(built, os.X_OK) else None


def storm() -> Path | None:
    """The engine's maker of connections that are up to no good, or None where the engine is not built."""
    return _built("callbench-torture")
