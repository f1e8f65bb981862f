"""A command of a page waits here until no other one measures on this machine. Then its process becomes that command.

The lock goes with the process, however it ends, and whether or not its page is still there.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import Sequence

_LONGEST = 4096
_STOPPED = 130


def take(lock: int, shown: str, argv: Sequence[str]) -> None:
    """Wait for the lock, and become the command.

    Args:
        lock: a descriptor of the file that is locked. It has what holds the lock, for those who wait.
        shown: the command without its secrets.
        argv: of the command.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other = os.pread(lock, _LONGEST, 0).decode(errors="replace") or "a command of another page"
        _say(f"It waits for the end of `{other}`: beside each other, both would be slower than alone.")
        fcntl.flock(lock, fcntl.LOCK_EX)
        _say("It is its turn now.")
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
        os.pwrite(lock, shown.encode()[:_LONGEST], 0)
    os.execv(argv[0], list(argv))  # noqa: S606 - these words, and no shell


def _say(sentence: str) -> None:
    """Write into the log, which is this process's output."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        take(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
    except KeyboardInterrupt:
        _say("It was stopped before its turn came: nothing was measured.")
        sys.exit(_STOPPED)
