"""Ends what tests started if pytest itself is killed: also programs that are meant to outlive who started them.

Each test marks the environment of all that it starts (`conftest.mark`). A process of its own waits for the end of each
process that runs tests. If that says that it ends as it should, nothing is ended: what is left then is to be seen.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

MARK = "CALLBENCH_TEST_MARK"
SESSION = uuid.uuid4().hex
"""The marks of all tests of this process begin so."""
_ENDED = b"ended"
# A command that is told to stop writes what it knows.
_GRACE_S = 20.0


def marked(name: str) -> list[int]:
    """Every process whose mark begins so, but for this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if f"{MARK}={name}".encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


class Watch:
    """Waits for the end of this process, as a process of its own."""

    def __init__(self) -> None:
        """Start it."""
        argv = [sys.executable, "-E", "-S", __file__, SESSION]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def close(self) -> None:
        """End it: this process ends as it should."""
        self._process.communicate(_ENDED)


def _end_all(session: str) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        due = time.monotonic() + _GRACE_S
        for pid in marked(session):
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        while marked(session):
            if time.monotonic() > due:
                break
            time.sleep(0.2)


if __name__ == "__main__" and sys.stdin.buffer.read() != _ENDED:
    _end_all(sys.argv[1])
