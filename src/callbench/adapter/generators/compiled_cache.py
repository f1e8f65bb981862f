"""The cache of compiled services: who uses an entry, how large all are, and which go when there are too many."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from callbench.model.errors import BadInput
from callbench.model.installation import cache

VARIABLE = "CALLBENCH_CACHE_GB"
_DEFAULT_GB = 2.0
_NAME_LENGTH = 32
# Open as long as this program lives: another one does not remove what is locked.
_in_use: list[IO[bytes]] = []


@dataclass(frozen=True)
class CacheEntry:
    """What was compiled for a service, or what cargo has compiled for all.

    Attributes:
        used_s: when it was used last, as a file's time.
    """

    path: Path
    size: int
    used_s: float


def place() -> Path:
    """Return the folder of the cache."""
    return cache() / "own"


def limit_bytes() -> int:
    """Return how large the cache may be.

    Raises:
        BadInput: the variable is no number.
    """
    text = os.environ.get(VARIABLE) or str(_DEFAULT_GB)
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not 0 <= gigabytes < 1e6:
        raise BadInput(f"{VARIABLE}={text}: give the size of the cache in GB, such as 2")
    return round(gigabytes * 1e9)


def use(entry: Path) -> None:
    """Note that this program uses an entry now, so that it is neither old nor removed.

    Raises:
        OSError: the cache cannot be written.
    """
    lock = _lock_of(entry)
    lock.parent.mkdir(parents=True, exist_ok=True)
    file = lock.open("ab")
    fcntl.flock(file, fcntl.LOCK_SH)
    os.utime(lock)
    _in_use.append(file)


def entries() -> list[CacheEntry]:
    """Return what is in the cache, the least recently used first."""
    return sorted(map(_read, _paths()), key=lambda entry: entry.used_s)


def trim(most_bytes: int) -> int:
    """Remove the least recently used entries until the others are no larger than this, but none that is in use.

    Returns:
        How many bytes were removed.
    """
    known = entries()
    total, removed = sum(entry.size for entry in known), 0
    for entry in known:
        if total - removed <= most_bytes:
            break
        if _remove(entry.path):
            removed += entry.size
    return removed


def _remove(path: Path) -> bool:
    """Remove an entry if nobody uses it."""
    lock = _lock_of(path)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        # Nobody finds half of it: it has another name before anything of it goes.
        going = path.with_name(f".{path.name}.going")
        path.rename(going)
        if going.is_dir():
            shutil.rmtree(going, ignore_errors=True)
        else:
            going.unlink()
        lock.unlink(missing_ok=True)
    return True


def _paths() -> Iterator[Path]:
    """Yield the folders and files that can be removed one by one."""
    root = place()
    for folder in (root, *(each for each in _inside(root) if each.is_dir())):
        yield from (each for each in _inside(folder) if len(each.name.partition(".")[0]) == _NAME_LENGTH)
    for installation in _inside(root / "target"):
        yield from _inside(installation)


def _inside(folder: Path) -> list[Path]:
    hidden = ("lock", "uses")
    if not folder.is_dir():
        return []
    return [each for each in folder.iterdir() if not each.name.startswith(".") and each.name not in hidden]


def _lock_of(entry: Path) -> Path:
    return place() / "uses" / "-".join(entry.relative_to(place()).parts)


def _read(path: Path) -> CacheEntry:
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    size = 0
    for file in files:
        try:
            size += file.lstat().st_blocks * 512
        except OSError:
            continue
    lock = _lock_of(path)
    return CacheEntry(path, size, (lock if lock.exists() else path).lstat().st_mtime)
