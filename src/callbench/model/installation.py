"""Where the installation is, and what lies where in it. A checkout and a wheel have the same layout."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from callbench.model.errors import BadInput
from callbench.model.version import VERSION

HOME_VARIABLE = "CALLBENCH_HOME"
# Lies at the root of what a wheel brings, beside contract/ and engine/; no checkout has it.
WHEEL_FILE = "wheel.json"
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Wheel:
    """What a wheel says of itself.

    Attributes:
        digest: of the files in it; two wheels that differ have different ones.
        commit: the commit it was built from, with `+` where files differed from it; None if that is not known.
    """

    digest: str
    commit: str | None


def home() -> Path:
    """The root of the installation: `CALLBENCH_HOME`, else what a wheel brought, else the checkout of this file.

    Raises:
        BadInput: there is none, or the variable names a folder that is not one.
    """
    named = os.environ.get(HOME_VARIABLE)
    root = Path(named) if named else _own()
    if not (root / "contract" / "CONTRACT.md").is_file():
        source = f"{HOME_VARIABLE} names {root}, which" if named else f"{root}"
        raise BadInput(
            f"{source} is not an installation of Callbench (it has no contract/CONTRACT.md): set {HOME_VARIABLE}"
        )
    return root


def _own() -> Path:
    brought = _PACKAGE / "installed"
    return brought if brought.is_dir() else _PACKAGE.parents[1]


def wheel() -> Wheel | None:
    """The wheel that the installation came in; None for a checkout.

    Raises:
        BadInput: the installation is damaged.
    """
    file = home() / WHEEL_FILE
    try:
        content = json.loads(file.read_text())
        return Wheel(content["digest"], content["commit"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise BadInput(f"the installation is damaged: cannot read {file}: install the wheel again") from failure


def engine_remedy() -> str:
    """The command that brings the programs of the engine."""
    return "make engine" if wheel() is None else f"pip install --force-reinstall callbench-{VERSION}-*.whl"


def cache() -> Path:
    """The folder for what Callbench can build again: `callbench` in `XDG_CACHE_HOME`, else in `~/.cache`."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    # The specification has relative paths ignored.
    if Path(named).is_absolute():
        return Path(named) / "callbench"
    try:
        return Path.home() / ".cache" / "callbench"
    except RuntimeError:
        # A user without an entry in the system's list and without HOME, as in a container.
        return Path(tempfile.gettempdir()) / f"callbench-{os.getuid()}"


def workplace() -> Path:
    """Where adapters are set up: the checkout itself; for a wheel, which may be read-only, a folder in the cache."""
    built = wheel()
    return home() if built is None else cache() / f"{VERSION}-{built.digest}"


def schema_folder() -> Path:
    """The JSON schemas of the contract."""
    return home() / "contract" / "schema"


def supervisor() -> Path | None:
    """The engine's supervisor of adapters, or None if the engine is not built.

    `CALLBENCH_SUPERVISOR` names another one; empty, it says to do without.
    """
    named = os.environ.get("CALLBENCH_SUPERVISOR")
    if named is not None:
        return Path(named) if named else None
    return _built("callbench-supervisor")


def scratch() -> Path | None:
    """The folder on which the supervisor lays an adapter's temporary files; None if none can be made.

    In a checkout it lies beside what was built; in the cache where the installation is a wheel or read-only.
    """
    places = [cache() / "scratch"]
    if wheel() is None:
        places.insert(0, home() / "engine" / "target" / "scratch")
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        return place
    return None


def netlab() -> Path | None:
    """The engine's network lab, or None if the engine is not built."""
    return _built("callbench-netlab")


def _built(name: str) -> Path | None:
    built = home() / "engine" / "target" / "release" / name
    return built if os.access(built, os.X_OK) else None


def host_monitor() -> Path | None:
    """The program that watches the machine (gaps, echo), or None if the engine is not built."""
    return _built("callbench-host-monitor")


def torture_program() -> Path | None:
    """The engine's program that opens misbehaving connections, or None if the engine is not built."""
    return _built("callbench-torture")
