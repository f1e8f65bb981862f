"""What a checkout has compiled already of other people's libraries, taken over into the cache's target folder.

Cargo takes it as its own, since it is of the same workspace, compiler and options; else it compiles the library itself.
Nothing of the checkout is ever changed: cargo and rustc write libraries under new names and rename them, and only such
files are linked. The others are copied.
"""

import hashlib
import os
import shutil
from collections.abc import Container
from pathlib import Path

from callbench.model.installation import home, wheel

_OF_CARGO = (".fingerprint", "build")
_LIBRARIES = frozenset({".rlib", ".rmeta"})
_COPIED = frozenset({".so", ".d"})
_OURS = "callbench"


def target(place: Path, crates: Container[str]) -> Path:
    """The folder in which cargo compiles: one for each installation, with the libraries of its Cargo.lock.

    A new one begins with what the checkout has compiled. Nothing is added later: a library that was compiled here does
    not fit to one that was compiled there against another copy of the libraries that both use.

    Args:
        place: where the folders lie.
        crates: those of the workspace's own crates that do not depend on a service.

    Raises:
        OSError: a folder cannot be written.
    """
    of_installation = place / _name(str(home()).encode())
    folder = of_installation / _name((home() / "engine" / "Cargo.lock").read_bytes())
    if not folder.is_dir():
        # What was compiled for an earlier Cargo.lock is not used again.
        shutil.rmtree(of_installation, ignore_errors=True)
        folder.mkdir(parents=True)
        if wheel() is None:
            take_over(home() / "engine" / "target" / "release", folder / "release", crates)
    return folder


def take_over(built: Path, release: Path, crates: Container[str]) -> None:
    """Fill a new target folder.

    Args:
        built: the checkout's `engine/target/release`; nothing is done if it is not there.
        release: the folder `release` of the cache. What it has already may not fit to what is taken over.
        crates: those of the workspace's own crates that do not depend on a service.

    Raises:
        OSError: the cache cannot be written.
    """
    if not (built / ".fingerprint").is_dir():
        return
    # A fingerprint says that a library is there: so it is taken first from the one, and comes last to the other.
    taken = [entry for folder in _OF_CARGO for entry in _entries(built / folder) if _wanted(entry, crates)]
    for folder in ("deps", *_OF_CARGO):
        (release / folder).mkdir(parents=True, exist_ok=True)
    for file in _entries(built / "deps"):
        if file.suffix in _LIBRARIES | _COPIED and _wanted(file, crates):
            _file(file, release / "deps" / file.name, linked=file.suffix in _LIBRARIES and _OURS not in file.name)
    for entry in reversed(taken):
        _folder(entry, release / entry.parent.name / entry.name)


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _wanted(entry: Path, crates: Container[str]) -> bool:
    """Whether it is of another project's library, or of such a crate of the workspace."""
    name = entry.name.removeprefix("lib").replace("_", "-").rpartition("-")[0]
    return not name.startswith(_OURS) or name in crates


def _file(source: Path, to: Path, *, linked: bool) -> None:
    """Have a file with its date, on which cargo relies."""
    if linked:
        try:
            os.link(source, to)
        except OSError:
            # Another file system, or one without links.
            pass
        else:
            return
    beside = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        shutil.copy2(source, beside)
    except FileNotFoundError:
        # The checkout is being built at this moment.
        return
    beside.replace(to)


def _folder(source: Path, to: Path) -> None:
    """Have a folder, as a whole or not at all."""
    beside = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        shutil.copytree(source, beside, dirs_exist_ok=True)
    except shutil.Error:
        shutil.rmtree(beside, ignore_errors=True)
        return
    beside.replace(to)


def _name(of: bytes) -> str:
    return hashlib.sha256(of).hexdigest()[:16]
