"""Measurements of one user on this machine know of each other by a file that each has locked.

One that a page started waits until no other measures; then its process becomes the command. One of a terminal is told
which others do. A lock goes with its process, however it ends, and whether or not its page is still there.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from callbench.model.installation import cache

# Another file than the one in the cache; empty: who is started by this takes no turn, or has had it.
VARIABLE = "CALLBENCH_TURN"
_LONGEST, _LONGEST_LINE = 4096, 500
_STOPPED = 130


def waited(shown: str, argv: Sequence[str]) -> None:
    """Wait until no other command measures, and become a command.

    Args:
        shown: the command without its secrets, for those who wait for it.
        argv: of the command.
    """
    lock = _opened(os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    if lock is not None:
        if not _locks(lock, fcntl.LOCK_EX):
            _say(_waits(lock))
            fcntl.flock(lock, fcntl.LOCK_EX)
            _say("It is its turn now.")
        _enter(lock, shown)
    os.execve(argv[0], list(argv), {**os.environ, VARIABLE: ""})  # noqa: S606 - these words, and no shell


def beside(shown: str) -> str:
    """Count this process among those that measure, until it ends. Return the commands that measure now; "" for none.

    Args:
        shown: its command without secrets, for those who wait for it.
    """
    # What it starts must not keep the lock.
    lock = _opened(os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
    if lock is None:
        return ""
    others = "" if _locks(lock, fcntl.LOCK_EX) else _others(lock)
    _enter(lock, shown)
    return others


def waiting() -> str:
    """Return, in a sentence, for which commands those wait that wait for their turn."""
    lock = _opened(os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if lock is None:
        return ""
    try:
        return _waits(lock)
    finally:
        os.close(lock)


def _waits(lock: int) -> str:
    return f"It waits for the end of {_others(lock)}: beside each other, both would be slower than alone."


def _opened(flags: int) -> int | None:
    """Open the file; None where no turn is taken, or where it cannot be opened: then a measurement goes on alone."""
    named = os.environ.get(VARIABLE)
    if named == "":
        return None
    file = Path(named) if named else cache() / "turn"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(file, flags, 0o600)
    except OSError:
        return None
    os.set_inheritable(lock, not flags & os.O_CLOEXEC)
    return lock


def _locks(lock: int, how: int) -> bool:
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _enter(lock: int, shown: str) -> None:
    """Share the lock with others that measure, and write beside them what this process is."""
    _locks(lock, fcntl.LOCK_SH)
    lines = [f"{number} {command}" for number, command in _there(lock)]
    text = "\n".join([*lines, f"{os.getpid()} {' '.join(shown.split())[:_LONGEST_LINE]}"])
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
        os.pwrite(lock, text.encode()[-_LONGEST:], 0)


def _others(lock: int) -> str:
    """Name the commands that hold the lock."""
    return " and ".join(f"`{command}`" for _, command in _there(lock)) or "another command"


def _there(lock: int) -> list[tuple[int, str]]:
    """Return processes that wrote themselves down and are there, each with its command."""
    found = []
    for line in os.pread(lock, _LONGEST, 0).decode(errors="replace").splitlines():
        number, _, command = line.partition(" ")
        if number.isdigit() and Path("/proc", number).exists():
            found.append((int(number), command))
    return found


def _say(sentence: str) -> None:
    """Write into the log, which is this process's output."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        waited(sys.argv[1], sys.argv[2:])
    except KeyboardInterrupt:
        _say("It was stopped before its turn came: nothing was measured.")
        sys.exit(_STOPPED)
