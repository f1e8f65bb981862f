"""What is generated for an imported service: made once for everything that it is made of, and kept in the cache."""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from callbench.adapter.generators import compiled_cache
from callbench.model import machine_limits
from callbench.model.installation import cache


def kept(language: str, of: Iterable[bytes], make: Callable[[Path], None]) -> Path:
    """A folder of the cache. Half-made folders are never returned, and two programs never make one at the same time.

    Args:
        language: the adapter's name.
        of: all that the content depends on.
        make: fills an empty folder, which is moved to its place when all of it is there.

    Raises:
        MachineFailure: the cache cannot be written; or what `make` raises.
    """
    digest = hashlib.sha256()
    for part in of:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    of_language = cache() / "own" / language
    folder = of_language / digest.hexdigest()[:32]
    # Another program can remove it until it is in use.
    if folder.is_dir() and _used(folder).is_dir():
        return folder
    # The lock is for one at a time: what is there under this name is of a program that was killed.
    beside = of_language / f".{folder.name}"
    try:
        of_language.mkdir(parents=True, exist_ok=True)
        with (of_language / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                shutil.rmtree(beside, ignore_errors=True)
                beside.mkdir()
                try:
                    make(beside)
                    beside.rename(folder)
                finally:
                    shutil.rmtree(beside, ignore_errors=True)
            _used(folder)
        compiled_cache.trim(compiled_cache.limit_bytes())
    except OSError as failure:
        raise machine_limits.written(
            f"what is generated for {language} cannot be kept in {folder}", failure
        ) from failure
    return folder


def _used(folder: Path) -> Path:
    """Return the folder, which nobody removes while this program lives. A cache that is read-only is not trimmed."""
    with suppress(OSError):
        compiled_cache.use(folder)
    return folder
